/** A table with columns as wide as their widest cell, as the formatter wants them. */
export function tableOf(titles: readonly string[], rows: readonly (readonly string[])[]): readonly string[] {
  const widths = titles.map((title, at) =>
    Math.max(title.length, 3, ...rows.map((row) => widthOf(row[at] ?? ''))),
  );
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell, at) => cell + ' '.repeat((widths[at] ?? 0) - widthOf(cell))).join(' | ')} |`;
  return [line(titles), line(widths.map((width) => '-'.repeat(width))), ...rows.map(line)];
}

function widthOf(text: string): number {
  return text.length;
}
