import fc from 'fast-check';
import { expect } from 'vitest';
import { THOROUGH, WORLDS } from './worlds.ts';

/** Always the same, so that a failure belongs to the change; LAWS_SEED=N for others. */
const seed = Number(process.env['LAWS_SEED'] ?? 20_261_121);
fc.configureGlobal({ ...fc.readConfigureGlobal(), numRuns: WORLDS, seed });

/**
 * As fc.assert, and the message of a failure has the line that replays it: with LAWS_PATH that one case is played and no
 * other.
 */
export async function assertReplayable<T>(property: fc.IAsyncProperty<T>, parameters: fc.Parameters<T> = {}) {
  const path = process.env['LAWS_PATH'];
  const details = await fc.check(property, { ...parameters, ...(path === undefined ? {} : { path }) });
  if (!details.failed) return;
  const { currentTestName = '', testPath = '' } = expect.getState();
  const file = testPath.slice(testPath.indexOf('test/laws'));
  const [name = ''] = currentTestName.split(' > ').slice(-1);
  const replay = `LAWS_SEED=${details.seed} LAWS_PATH=${details.counterexamplePath ?? ''}`;
  const line = `${replay} npm run ${THOROUGH ? 'thorough' : 'unit'} -- ${file} -t '${name}'`;
  const cause = details.errorInstance;
  throw new Error(`${fc.defaultReportMessage(details) ?? ''}\n\nagain: ${line}\n`, { cause });
}

/** What an arbitrary draws. */
export type Drawn<A> = A extends fc.Arbitrary<infer T> ? T : never;

/** What worlds are drawn from, and what holds in each of them. */
type Law<Ts extends unknown[]> = [
  ...from: { [K in keyof Ts]: fc.Arbitrary<Ts[K]> },
  holds: (...drawn: Ts) => Promise<void>,
];

const lawOf =
  (parameters: Pick<fc.Parameters, 'endOnFailure'>, examples: unknown[][] = []) =>
  <Ts extends [unknown, ...unknown[]]>(...law: Law<Ts>): Promise<void> =>
    assertReplayable(fc.asyncProperty<Ts>(...law), { ...parameters, examples: examples as Ts[] });

export const forAll = lawOf({});
/** For these worlds, too. */
export const forAllAnd = (...examples: unknown[][]) => lawOf({}, examples);
/** Where a world takes so long that none smaller is looked for. */
export const forAllAsDrawn = lawOf({ endOnFailure: true });
