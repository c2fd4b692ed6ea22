import type { build } from 'esbuild';
import { fileURLToPath } from 'node:url';

export async function compileScript(bundle: typeof build): Promise<string> {
  const { outputFiles } = await bundle({
    entryPoints: [fileURLToPath(new URL('browser/main.ts', import.meta.url))],
    bundle: true,
    minify: true,
    format: 'iife',
    target: 'es2022',
    write: false,
    logLevel: 'warning',
  });
  return outputFiles.map(({ text }) => text).join('');
}
