/** Writes the manifests of infra/kubernetes from the chart with its default values: one source for helm and kustomize. */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, globSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { format } from 'oxfmt';
import { helm } from './helm.ts';

const STYLE = { printWidth: 110, singleQuote: true };
const ROOT = join(import.meta.dirname, '../..');
const CHART = 'infra/charts/levelset';
const MANIFESTS = 'infra/kubernetes';
/** Of every file that went into the manifests, and of these, as sha256sum prints it. */
export const SUMS = `${MANIFESTS}/rendered.sha256`;
const HEAD = `# Written by npm run generate from ${CHART}, whose values are the way to change it.\n`;

/** Lines that only helm's own releases have. */
const OF_RELEASES = /^ *(app\.kubernetes\.io\/managed-by|helm\.sh\/chart): .*\n/gm;

/** What is rendered: helm's arguments each time. */
const RENDERED: readonly (readonly string[])[] = [
  [],
  // not there by default, but a manifest to apply beside the others
  ['--set', 'clusters.from=secrets', '--show-only', 'templates/rbac-clusters.yaml'],
];

/** By the path of each manifest, its text. */
export async function render(): Promise<ReadonlyMap<string, string>> {
  const texts = new Map<string, string[]>();
  for (const args of RENDERED)
    for (const part of template(args).split(/^---\n/m)) {
      const [, name] = /^# Source: \S+\/templates\/(\S+)\n/.exec(part) ?? [];
      if (name === undefined) continue;
      const path = `${MANIFESTS}/${basename(name)}`;
      const text = part.replace(/^# Source: .*\n/, '').replace(OF_RELEASES, '');
      texts.set(path, [...(texts.get(path) ?? []), text]);
    }
  const written = [...texts].map(async ([path, documents]) => {
    return [
      path,
      (await format(path, HEAD + documents.map((text) => text.trimEnd()).join('\n---\n'), STYLE)).code,
    ] as const;
  });
  return new Map(await Promise.all(written));
}

function template(more: readonly string[]): string {
  const args = ['template', 'levelset', CHART, '--namespace', 'levelset', ...more];
  return execFileSync(helm(), args, { cwd: ROOT, encoding: 'utf8' });
}

/** The sums of these manifests and of the chart as it is now. */
export function sumsOf(manifests: readonly string[]): string {
  const sources = globSync(`${CHART}/**/*.*`, { cwd: ROOT }).filter(
    (path) => basename(path) !== 'values.schema.json',
  );
  return [...sources, ...manifests]
    .sort()
    .map(
      (path) =>
        `${createHash('sha256')
          .update(readFileSync(join(ROOT, path)))
          .digest('hex')}  ${path}\n`,
    )
    .join('');
}

/** The manifests that the sums name, from the file of sums. One that is gone makes other sums. */
export function manifestsIn(sums: string): readonly string[] {
  return [...sums.matchAll(/^\w+ {2}(.*)$/gm)].flatMap(([, path = '']) =>
    path.startsWith(MANIFESTS) && existsSync(join(ROOT, path)) ? path : [],
  );
}

if (import.meta.main) {
  const known = readFileSync(join(ROOT, SUMS), { encoding: 'utf8', flag: 'a+' });
  if (known === '' || known !== sumsOf(manifestsIn(known))) {
    const rendered = await render();
    for (const [path, text] of rendered) writeFileSync(join(ROOT, path), text);
    writeFileSync(join(ROOT, SUMS), sumsOf([...rendered.keys()]));
  }
}
