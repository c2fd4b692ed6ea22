import { isDeepStrictEqual } from 'node:util';

/** What stands for one Service, as rows of attributes: `listener tcp/80` with its `connection_limit`, and so on. */
export type Attributes = Readonly<Record<string, unknown>>;
export type Picture = ReadonlyMap<string, Attributes>;

export interface Comparison {
  /** How many attributes were compared. */
  readonly attributes: number;
  /** One line for each that is not as it has to be. */
  readonly differences: readonly string[];
}

/** Every row and every attribute that is expected, and every row that is there and nobody expects. */
export function comparePictures(what: string, expected: Picture, found: Picture): Comparison {
  const differences: string[] = [];
  let attributes = 0;
  for (const [row, wanted] of expected) {
    const there = found.get(row);
    if (!there) differences.push(`${what}: ${row} is missing`);
    for (const [name, value] of Object.entries(wanted)) {
      attributes++;
      const is = there?.[name] ?? null;
      if (there && !isDeepStrictEqual(is, value))
        differences.push(`${what}: ${row} ${name} is ${JSON.stringify(is)}, not ${JSON.stringify(value)}`);
    }
  }
  for (const row of found.keys())
    if (!expected.has(row)) differences.push(`${what}: ${row} is there, and nothing asks for it`);
  return { attributes, differences };
}
