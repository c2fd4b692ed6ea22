import { Ajv, type ErrorObject } from 'ajv';
import { parseAllDocuments } from 'yaml';
import { filesOf, textOf } from './files.ts';

type Manifest = Readonly<Record<string, unknown>>;

/** Pages whose commands and manifests somebody types. */
export const DOCUMENTS = [
  ...filesOf('docs/{tutorials,how-to}/*.md'),
  'docs/migration.md',
  'docs/troubleshooting.md',
];

/** The texts of the blocks of a document that are in one of these languages. */
export function blocksOf(path: string, ...languages: readonly string[]): readonly string[] {
  const blocks = [...textOf(path).matchAll(/^( *)```(\w*)\n([^]*?)\n\1```$/gm)];
  return blocks
    .filter(([, , language = '']) => languages.includes(language))
    .map(([, indent = '', , block = '']) => `\n${block}`.replaceAll(`\n${indent}`, '\n').slice(1));
}

/** The lines of commands, each with its continuations. */
export function linesOf(path: string): readonly string[] {
  return blocksOf(path, 'sh', '').flatMap((block) => block.replace(/\\\n\s*/g, ' ').split('\n'));
}

/** The objects of its YAML. */
export function manifestsOf(path: string): readonly Manifest[] {
  return blocksOf(path, 'yaml').flatMap((block) =>
    parseAllDocuments(block).map((document) => document.toJS() as Manifest),
  );
}

/** What the schema of the chart has against these values; null: nothing. */
export function wrongValues(values: Manifest): readonly ErrorObject[] | null {
  const schema = JSON.parse(textOf('infra/charts/levelset/values.schema.json')) as object;
  const valid = new Ajv({ strict: false }).compile(schema);
  valid(values);
  return valid.errors ?? null;
}
