import { describe, expect, test } from 'vitest';
import { itself, Rows } from '../../infra/sandbox/openstack/rows.ts';

interface Row {
  readonly id: string;
  readonly parent: string;
  port: string | null;
  tags: readonly string[];
}

const row = (id: string, more: Partial<Row> = {}): Row => ({
  ...{ id, parent: 'p', port: null, tags: [] },
  ...more,
});

function some(...rows: readonly Row[]): Rows<Row> {
  const made = Rows.by<Row>({
    fixed: { parent: (one) => one.parent },
    live: { port: itself, tags: (value) => value as readonly string[] },
  });
  made.push(...rows);
  return made;
}

const idsOf = (rows: readonly Row[] | undefined): readonly string[] | undefined => rows?.map(({ id }) => id);

describe('rows', () => {
  test('are an array to whoever reads them', () => {
    const rows = some(row('a'), row('b'));
    expect(rows).toEqual([row('a'), row('b')]);
    expect(rows.filter(({ id }) => id === 'b')).toEqual([row('b')]);
    expect(structuredClone([...rows])).toEqual([row('a'), row('b')]);
    expect([{ ...rows[0] }, rows.length, rows[1]?.id]).toEqual([row('a'), 2, 'b']);
  });

  test('are found by id and by what never changes', () => {
    const rows = some(row('a'), row('b', { parent: 'Q' }), row('c'));
    expect(rows.byId('c')).toBe(rows[2]);
    expect(rows.byId('x')).toBeUndefined();
    expect(idsOf(rows.of('parent', 'p'))).toEqual(['a', 'c']);
    expect([rows.count('parent', 'q'), rows.count('parent', 'x')]).toEqual([1, 0]);
    expect(() => rows.of('colour', 'red')).toThrow('no index colour');
  });

  test('are found by what has been set anew since', () => {
    const rows = some(row('a', { port: '1' }), row('b', { tags: ['x', 'y'] }));
    Object.assign(rows[0] ?? {}, { port: '2', tags: ['y'] });
    expect([rows.count('port', '1'), idsOf(rows.of('port', '2'))]).toEqual([0, ['a']]);
    expect(idsOf(rows.candidates('tags', ['x', 'y']))).toEqual(['b', 'a']);
    expect(rows.candidates('id', ['B', 'none'])).toEqual([rows[1]]);
    expect(rows.candidates('colour', ['red'])).toBeUndefined();
  });

  test.each([
    ['one by one', (rows: Rows<Row>) => rows.remove(rows[1] ?? row(''))],
    ['by their place', (rows: Rows<Row>) => rows.splice(1, 1)],
    ['after they were turned round', (rows: Rows<Row>) => (rows.reverse(), rows.remove(rows[1] ?? row('')))],
  ])('are gone when they are taken out %s', (_how, take) => {
    const rows = some(row('a'), row('b', { port: '1', tags: ['x'] }), row('c'));
    const [, taken] = rows;
    take(rows);
    if (taken) taken.port = '7';
    expect([...(idsOf(rows) ?? [])].sort()).toEqual(['a', 'c']);
    expect(rows.byId('b')).toBeUndefined();
    expect(['1', '7'].map((port) => rows.count('port', port))).toEqual([0, 0]);
    expect([rows.count('tags', 'x'), rows.count('parent', 'p')]).toEqual([0, 2]);
    expect(rows.remove(row('b'))).toBe(false);
  });

  test('are gone when the array is emptied by its length', () => {
    const rows = some(row('a'), row('b'));
    rows.length = 0;
    expect([rows.byId('a'), rows.count('parent', 'p')]).toEqual([undefined, 0]);
    rows.push(row('c'));
    expect(idsOf(rows.of('parent', 'p'))).toEqual(['c']);
  });

  test('are found after many were taken out of thousands', () => {
    const all = Array.from({ length: 3_000 }, (_, at) => row(`row-${at}`, { parent: `p-${at % 3}` }));
    const rows = some(...all);
    const gone = all.filter((_, at) => at % 3 === 1);
    expect(gone.map((one) => rows.remove(one))).toEqual(gone.map(() => true));
    expect([rows.length, rows.count('parent', 'p-1'), rows.remove(gone[0] ?? row(''))]).toEqual([
      2_000,
      0,
      false,
    ]);
    const left = all.filter((_, at) => at % 3 !== 1);
    expect(new Set(rows)).toEqual(new Set(left));
    expect(left.every((one) => rows.byId(one.id) === one && rows.remove(one))).toBe(true);
    expect([rows.length, [...rows]]).toEqual([0, []]);
  });
});
