import { build } from 'esbuild';
import { compileScript } from './compile-script.ts';

let compiled: Promise<string> | undefined;

/** The script of the pages. The build puts its text in the place of this file (build.ts); from the sources it is compiled once. */
export function pageScript(): Promise<string> {
  compiled ??= compileScript(build);
  return compiled;
}
