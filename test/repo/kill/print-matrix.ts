/** What a run of kill-matrix.ts found, as text. */
import type { Result, TestFile } from './kill-matrix.ts';

export function printMatrix(results: readonly Result[], tests: readonly TestFile[], title: string): void {
  const killed = results.filter(({ killers }) => killers.length > 0);
  const share = results.length === 0 ? 0 : Math.round((100 * killed.length) / results.length);
  console.log(`\n${title}: ${killed.length} of ${results.length} killed (${share} %)`);

  console.log('\nKillers of each');
  for (const { mutant, killers, reach, ran } of killed)
    console.log(`${mutant.file}:${mutant.line} (${ran} of ${reach} ran)\n    ${killers.join('\n    ')}`);

  const seconds = new Map(tests.map(({ file, ms }) => [file, ms / 1000]));
  const byFile = new Map<string, Result[]>();
  for (const result of killed)
    for (const file of result.killers) byFile.set(file, [...(byFile.get(file) ?? []), result]);
  const rows = [...byFile].map(([file, its]) => ({
    file,
    kills: its.length,
    alone: its.filter(({ killers }) => killers.length === 1).length,
    seconds: seconds.get(file) ?? 0,
  }));
  console.log('\nTest files that kill (kills, of them alone, seconds)');
  rows.sort((a, b) => b.alone - a.alone || b.kills - a.kills);
  for (const { file, kills, alone, seconds: took } of rows)
    console.log(`${kills}\t${alone}\t${took.toFixed(1)}\t${file}`);

  // the slowest for its kills goes first; each that goes leaves its kills to those that stay
  const left = new Map(killed.map((result) => [result, new Set(result.killers)]));
  const dear = rows.toSorted((a, b) => b.seconds / b.kills - a.seconds / a.kills);
  const redundant = dear.filter(({ file }) => {
    const its = byFile.get(file) ?? [];
    if (its.some((result) => left.get(result)?.size === 1)) return false;
    for (const result of its) left.get(result)?.delete(file);
    return true;
  });
  console.log('\nTest files whose kills all lie within those of the files that stay (kills, seconds)');
  for (const { file, kills, seconds: took } of redundant)
    console.log(`${kills}\t${took.toFixed(1)}\t${file}`);

  console.log('\nSurvivors');
  for (const { mutant, killers, reach, ran } of results) {
    if (killers.length > 0) continue;
    const ranOf = reach === 0 ? 'no test enters it' : `${ran} of ${reach} ran`;
    console.log(
      `${mutant.file}:${mutant.line} (${ranOf})\n    ${changed(mutant.before)}  ->  ${changed(mutant.after)}`,
    );
  }
}

function changed(code: string): string {
  const line = code.replace(/\s+/g, ' ').trim();
  return line === '' ? '(nothing)' : line.length > 100 ? `${line.slice(0, 100)}...` : line;
}
