/** The formatter makes the columns as wide as their cells. */
export function tableOf(titles: readonly string[], rows: readonly (readonly string[])[]): readonly string[] {
  return [titles, titles.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`);
}
