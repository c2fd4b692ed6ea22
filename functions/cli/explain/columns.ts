/** Columns that are wider than this do not push the next one to the right. */
const WIDEST = 48;

/** Rows of cells as lines whose columns stand below each other. */
export function columns(rows: readonly (readonly string[])[]): readonly string[] {
  const widths = (rows[0] ?? []).map((_, at) =>
    Math.min(WIDEST, Math.max(...rows.map((row) => row[at]?.length ?? 0))),
  );
  return rows.map((row) =>
    row
      .map((cell, at) => (at === row.length - 1 ? cell : cell.padEnd(widths[at] ?? 0)))
      .join('  ')
      .trimEnd(),
  );
}
