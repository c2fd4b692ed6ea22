/** Commands of the tutorials and how-to pages, whether a test runs them or not: they name only what the program and the chart have. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { program } from '../../functions/cli/program.ts';
import { FLAGS } from '../../shared/config/flags.ts';
import { DOCUMENTS, linesOf, wrongValues } from './document-blocks.ts';
import { ROOT, textOf } from './files.ts';

/** Pages whose commands tests run. */
const RUN = ['docs/tutorials/sandbox.md', 'docs/tutorials/cluster.md'];
const commands = program({}, () => undefined).commands.map((command) => command.name());
const flags = new Map<string, { readonly commands: readonly string[] }>(Object.entries(FLAGS));

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

test('every credential that a page makes has the role that is enough in a cloud of today, and no other', () => {
  const roles = [...DOCUMENTS, 'infra/openstack/README.md'].flatMap((path) =>
    linesOf(path).flatMap((line) => [...line.matchAll(/ --role (\S+)/g)].map(([, role]) => [path, role])),
  );
  expect(roles).toEqual([
    ['docs/tutorials/magnum.md', 'member'],
    ['infra/openstack/README.md', 'member'],
  ]);
});

describe.each(DOCUMENTS)('%s', (path) => {
  test('names commands and flags of levelset', () => {
    const unknown = linesOf(path).flatMap((line) => unknownIn(line).map((name) => `${name}: ${line}`));
    expect(unknown).toEqual([]);
  });

  test('gives the chart values that it takes', () => {
    const given = linesOf(path).filter((line) => /^\s*helm (install|upgrade)\b/.test(line));
    expect(given.filter((line) => wrongValues(valuesOf(line)) !== null)).toEqual([]);
  });

  test('applies files that are there', () => {
    const named = linesOf(path).flatMap((line) => [
      ...line.matchAll(/ (?:-f|--access-rules) ([\w./-]+\/[\w./-]+)/g),
    ]);
    expect(named.map(([, file = '']) => file).filter((file) => !existsSync(join(ROOT, file)))).toEqual([]);
  });

  test('says where its commands are not run', () => {
    const text = textOf(path);
    const isGuide = /\/(tutorials|how-to)\//.test(path) && text.includes('```sh');
    if (isGuide && !RUN.includes(path)) expect(text.replace(/\s+/g, ' ')).toContain('not run by CI');
  });
});
