import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseGcfg, type GcfgSection } from '../../../shared/config/cloud-conf/gcfg.ts';

/** The entries of one section `[s]` with these lines. */
function entries(...lines: readonly string[]) {
  const { sections, problems } = parseGcfg(['[s]', ...lines].join('\n'));
  return { values: sections[0]?.entries.map(({ key, value }) => [key, value]), problems };
}

describe('a value', () => {
  it.each([
    ['k=v', 'v'],
    ['  k \t=\t v \t ', 'v'],
    ['k = a b', 'a b'],
    ['k =', ''],
    ['k = ""', ''],
    ['k = p#ss', 'p'],
    ['k = p;ss', 'p'],
    ['k = "p#s;s" # note', 'p#s;s'],
    ['k = a" b "c', 'a b c'],
    ['k = " v "', ' v '],
    ["k = 'v'", "'v'"],
    ['k = "a\\\\b\\"c\\nd\\te"', 'a\\b"c\nd\te'],
    ['k = a\\"b', 'a"b'],
    ['k = a\\\n  b', 'a  b'],
    ['k = a \\\n', 'a '],
    ['k = a=b', 'a=b'],
    ['k = ünï', 'ünï'],
    ['k', undefined],
    ['k ; note', undefined],
  ])('of %j is %j', (line, value) => {
    expect(entries(line)).toEqual({ values: [['k', value]], problems: [] });
  });

  it.each([
    ['k = a\\b', 'outside double quotes'],
    ['k = a\\', 'outside double quotes'],
    ['k = "a\\b"', 'in double quotes'],
    ['k = "a', 'the file ends inside double quotes'],
    ['k = "a\nb"', 'ends on its line'],
  ])('of %j is a problem that does not show it', (line, says) => {
    const { problems } = entries(line);
    expect(problems[0]).toMatchObject({ line: 2, message: expect.not.stringContaining('k: ') as string });
    expect(problems[0]?.message).toContain(says);
  });
});

describe('a line', () => {
  it.each(['1k = v', '= v', '"k" = v', 'k_x = v', 'k.x = v', 'k v'])('%j is a problem', (line) => {
    const { values, problems } = entries(line, 'next = 1');
    expect(values).toEqual([['next', '1']]);
    expect(problems).toMatchObject([{ line: 2 }]);
  });

  it('knows its number behind continued lines', () => {
    const { sections } = parseGcfg('# top\n\n[s]\r\na = 1 \\\n 2 \\\n 3\nb = 4\r\n');
    expect(sections[0]?.entries).toEqual([
      { key: 'a', value: '1  2  3', line: 4 },
      { key: 'b', value: '4', line: 7 },
    ]);
  });

  it('before the first section is a problem', () => {
    expect(parseGcfg('k = v').problems).toEqual([
      { line: 1, message: 'this stands before the first [section]' },
    ]);
  });
});

describe('a header', () => {
  it.each([
    ['[Global]', { name: 'global' }],
    ['\uFEFF[ Global ] # note', { name: 'global' }],
    ['[LoadBalancerClass "internet.facing"]', { name: 'loadbalancerclass', subsection: 'internet.facing' }],
    ['[a "Sub#1" ] ; c', { name: 'a', subsection: 'Sub#1' }],
    ['[a "x\\"y\\\\z"]', { name: 'a', subsection: 'x"y\\z' }],
  ])('%j', (line, section) => {
    expect(parseGcfg(line)).toEqual({ sections: [{ ...section, line: 1, entries: [] }], problems: [] });
  });

  it.each(['[a.b]', '[a ""]', '[]', '[1]', '[a', '[a] k = v', '[a "b\\n"]', '[a b]'])(
    '%j is a problem, and what is below it belongs nowhere',
    (line) => {
      const { sections, problems } = parseGcfg(`${line}\nk = v\n[b]`);
      expect(problems).toMatchObject([{ line: 1 }]);
      expect(sections).toEqual([{ name: 'b', line: 3, entries: [] }]);
    },
  );
});

const name = fc.stringMatching(/^[a-z][a-z0-9-]{0,8}$/);
const text = fc.string({ unit: 'grapheme' }).map((value) => value.replaceAll('\r', ''));
const subsection = text.map((value) => value.replaceAll('\n', '')).filter((value) => value !== '');
const section = fc.record(
  { name, subsection, entries: fc.array(fc.tuple(name, fc.option(text, { nil: undefined }))) },
  { requiredKeys: ['name', 'entries'] },
);

const quote = (value: string): string =>
  `"${value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n').replaceAll('\t', '\\t')}"`;
const label = (value: string): string => `"${value.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;

it('what is printed is read again', () => {
  fc.assert(
    fc.property(fc.array(section), (sections) => {
      const lines = sections.flatMap((each) => [
        each.subsection === undefined ? `[${each.name}]` : `[${each.name} ${label(each.subsection)}]`,
        ...each.entries.map(([key, value]) => (value === undefined ? key : `${key} = ${quote(value)}`)),
      ]);
      const { sections: read, problems } = parseGcfg(lines.join('\n'));
      expect(problems).toEqual([]);
      const bare = (found: GcfgSection) => ({
        name: found.name,
        ...(found.subsection === undefined ? {} : { subsection: found.subsection }),
        entries: found.entries.map(({ key, value }) => [key, value]),
      });
      expect(read.map(bare)).toEqual(sections);
    }),
  );
});

it('never throws, and names lines that exist', () => {
  const noise = fc.string({ unit: fc.constantFrom(...Array.from('[]"\\;#= \t\n\r\uFEFFabc1-.\u0000é')) });
  fc.assert(
    fc.property(fc.oneof(noise, fc.string({ unit: 'binary' })), (source) => {
      const { sections, problems } = parseGcfg(source);
      const last = source.split('\n').length;
      const lines = [...problems, ...sections, ...sections.flatMap((each) => each.entries)].map(
        ({ line }) => line,
      );
      expect(lines.every((line) => line >= 1 && line <= last)).toBe(true);
    }),
    { numRuns: 2_000 },
  );
});
