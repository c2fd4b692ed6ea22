/** Commands and manifests of the tutorials and how-to pages, whether a test runs them or not: they name only what the program and the chart have. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import { describe, expect, test } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { program } from '../../functions/cli/program.ts';
import { FLAGS } from '../../shared/config/flags.ts';
import { ANNOTATIONS } from '../../shared/service/intent/annotations.ts';
import { filesOf, ROOT, textOf } from './files.ts';

const documents = [
  ...filesOf('docs/{tutorials,how-to}/*.md'),
  'docs/migration.md',
  'docs/troubleshooting.md',
];
/** Pages whose commands tests run. */
const RUN = ['docs/tutorials/sandbox.md', 'docs/tutorials/cluster.md'];
const commands = program({}, () => undefined).commands.map((command) => command.name());
const flags = new Map<string, { readonly commands: readonly string[] }>(Object.entries(FLAGS));
const rows = new Map(ANNOTATIONS.flatMap((row) => row.names.map((name) => [name, row] as const)));

/** The texts of the blocks of a document that are in one of these languages. */
function blocksOf(path: string, ...languages: readonly string[]): readonly string[] {
  const blocks = [...textOf(path).matchAll(/^( *)```(\w*)\n([^]*?)\n\1```$/gm)];
  return blocks
    .filter(([, , language = '']) => languages.includes(language))
    .map(([, indent = '', , block = '']) => `\n${block}`.replaceAll(`\n${indent}`, '\n').slice(1));
}

/** The lines of commands, each with its continuations. */
function linesOf(path: string): readonly string[] {
  return blocksOf(path, 'sh', '').flatMap((block) => block.replace(/\\\n\s*/g, ' ').split('\n'));
}

function manifestsOf(path: string): readonly unknown[] {
  return blocksOf(path, 'yaml').flatMap((block) =>
    parseAllDocuments(block).map((document) => document.toJS() as unknown),
  );
}

/** The command, or the flags, that levelset does not have. A line may be what levelset prints, and then begins with no command. */
function unknownIn(line: string): readonly string[] {
  const [, program = '', text = ''] =
    /(npx node dist\/levelset\.mjs|^\s*levelset) ([a-z].*)/.exec(line.replace(/ [|>] .*/, '')) ?? [];
  if (program === '') return [];
  const [command = '', ...rest] = text.split(/[\s;]+/);
  if (!commands.includes(command)) return program.startsWith('npx') ? [command] : [];
  const named = rest.flatMap((word) => /^--([a-z-]+)/.exec(word)?.[1] ?? []);
  return named.filter((name) => !flags.get(name)?.commands.includes(command));
}

/** The values that the options --set of a command give; what a file or a variable says is a text. */
function valuesOf(line: string): Readonly<Record<string, unknown>> {
  const values: Record<string, unknown> = {};
  for (const [, quote, quoted, plain] of line.matchAll(/--set(?:-file)? (?:(')([^']*)'|(\S+))/g)) {
    const text = (quote ? quoted : plain) ?? '';
    for (const pair of text.split(/,(?![^{]*\})/)) {
      const [path = '', ...value] = pair.split('=');
      const given = value
        .join('=')
        .replace(/^\{(.*)\}$/, '[$1]')
        .replace(/^".*"$/, 'text');
      const names = path.split('.');
      let at = values;
      for (const name of names.slice(0, -1)) at = (at[name] ??= {}) as Record<string, unknown>;
      if (given !== 'null') at[names.at(-1) ?? ''] = parse(given) as unknown;
    }
  }
  return values;
}

describe.each(documents)('%s', (path) => {
  test('names commands and flags of levelset', () => {
    const unknown = linesOf(path).flatMap((line) => unknownIn(line).map((name) => `${name}: ${line}`));
    expect(unknown).toEqual([]);
  });

  test('gives the chart values that it takes', () => {
    const valid = new Ajv({ strict: false }).compile(
      JSON.parse(textOf('infra/charts/levelset/values.schema.json')) as object,
    );
    const wrong = linesOf(path)
      .filter((line) => /^\s*helm (install|upgrade)\b/.test(line))
      .filter((line) => !valid(valuesOf(line)));
    expect(wrong).toEqual([]);
  });

  test('applies files that are there', () => {
    const named = linesOf(path).flatMap((line) => [
      ...line.matchAll(/ (?:-f|--access-rules) ([\w./-]+\/[\w./-]+)/g),
    ]);
    expect(named.map(([, file = '']) => file).filter((file) => !existsSync(join(ROOT, file)))).toEqual([]);
  });

  test('has annotations that levelset reads, with values that are allowed', () => {
    const annotations = manifestsOf(path).flatMap((manifest) => {
      const { kind, metadata } = (manifest ?? {}) as {
        readonly kind?: string;
        readonly metadata?: { readonly annotations?: Readonly<Record<string, string>> };
      };
      return kind === 'Service' ? Object.entries(metadata?.annotations ?? {}) : [];
    });
    const wrong = annotations.filter(([name, value]) => {
      const row = rows.get(name);
      return row === undefined || 'allowed' in row.parse(value);
    });
    expect(wrong).toEqual([]);
  });

  test('says where its commands are not run', () => {
    const text = textOf(path);
    const isGuide = /\/(tutorials|how-to)\//.test(path) && text.includes('```sh');
    if (isGuide && !RUN.includes(path)) expect(text.replace(/\s+/g, ' ')).toContain('not run by CI');
  });
});
