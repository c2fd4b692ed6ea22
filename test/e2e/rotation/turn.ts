import { execFileSync } from 'node:child_process';
import { PARTS, type Part } from './lab-files.ts';

export interface Turn {
  readonly part: Exclude<Part, 'core'>;
  /** What it was found by, to be read by people: `commit 441`. */
  readonly by: string;
}

/**
 * Whose turn it is: the count of commits decides, so that seven commits in a row have everything run. A shallow history
 * cannot count; there the time of the commit decides. Throws where there is no history at all.
 */
export function turnOf(repository: string): Turn {
  const git = (...args: string[]): string =>
    execFileSync('git', args, {
      cwd: repository,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    }).trim();
  if (git('rev-parse', '--is-shallow-repository') === 'true') {
    const seconds = git('log', '-1', '--format=%ct');
    return { part: partOf(Number(seconds)), by: `commit of ${seconds} s, the history is shallow` };
  }
  const count = git('rev-list', '--count', 'HEAD');
  return { part: partOf(Number(count)), by: `commit ${count}` };
}

export function partOf(turn: number): Turn['part'] {
  return PARTS[turn % PARTS.length] ?? 1;
}
