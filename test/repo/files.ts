import { globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';

export const ROOT = join(import.meta.dirname, '../..');
const WAYS =
  '{functions,shared,infra/sandbox,infra/kubernetes,infra/charts,infra/knative,infra/openstack,infra/aws,infra/image,infra/monitoring,infra/release,infra/node,test,docs,examples}';

/** Paths of the project's own files from its root; nothing that is built or installed. */
export function filesOf(pattern = `${WAYS}/**/*`): readonly string[] {
  return globSync(pattern, { cwd: ROOT, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(ROOT.length + 1))
    .sort();
}

export function textOf(path: string): string {
  return readFileSync(join(ROOT, path), 'utf8');
}

/** `PATH: LINE` of each line that the pattern finds. */
export function linesWith(pattern: RegExp, paths: readonly string[], read = textOf): readonly string[] {
  return paths.flatMap((path) =>
    read(path)
      .split('\n')
      .filter((line) => pattern.test(line))
      .map((line) => `${path}: ${line.trim()}`),
  );
}

/** As wc counts them. */
export function linesOf(path: string): number {
  return textOf(path).split('\n').length - 1;
}

/** Code without its comments and the content of its quotes. */
export function codeOf(path: string): string {
  return textOf(path)
    .replace(/\/\*[^]*?\*\//g, '')
    .replace(/'(?:[^'\\\n]|\\.)*'/g, "''")
    .replace(/`(?:[^`\\]|\\[^])*`/g, '``')
    .replace(/\/\/.*$/gm, '');
}

export interface Import {
  readonly from: string;
  /** A path from the root for the project's own files, the name of a package for others. */
  readonly target: string;
  /** Only a type: nothing is loaded. */
  readonly type: boolean;
}

export function importsOf(path: string): readonly Import[] {
  const text = textOf(path);
  const found = [
    ...text.matchAll(/^(?:import|export)( type)?\b[^;]*?\bfrom '([^']+)'/gm),
    ...text.matchAll(/\bimport()\(\s*'([^']+)'/g),
  ];
  return found.map(([, type, target = '']) => ({
    from: path,
    target: target.startsWith('.') ? normalize(join(dirname(path), target)) : target,
    type: type !== undefined && type !== '',
  }));
}
