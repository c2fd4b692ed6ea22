import { expect, test } from 'vitest';
import { ERRORS } from '../../shared/model/errors.ts';
import { codeOf, filesOf } from './files.ts';

/** Where an error may end: it becomes an outcome, a condition or a warning there. */
const ENDS = /^shared\/(apply\/|(.*\/)?(reconcile|finish|sweep)\.ts$)/;

/** The bodies of all handlers of errors in a text. */
function handlersIn(code: string): readonly string[] {
  const starts = [...code.matchAll(/\bcatch\s*(\([^)]*\)\s*)?\{|\.catch\(/g)];
  return starts.map(({ index, 0: start }) => bodyAt(code, index + start.length - 1));
}

/** From a bracket to the one that closes it. */
function bodyAt(code: string, from: number): string {
  let depth = 0;
  for (let at = from; at < code.length; at += 1) {
    if ('({'.includes(code.charAt(at))) depth += 1;
    if (')}'.includes(code.charAt(at))) depth -= 1;
    if (depth === 0) return code.slice(from, at + 1);
  }
  return code.slice(from);
}

const throwsOn = (handler: string): boolean => /\bthrow (error;|new ReconcileError\()/.test(handler);

test('errors end in apply, and in files named reconcile, finish and sweep; others answer a code and let the rest pass', () => {
  const files = filesOf('shared/{*.ts,{observe,apply,plan,report,service,node,routes}/**/*.ts}');
  const ending = files.filter((path) => handlersIn(codeOf(path)).some((handler) => !throwsOn(handler)));
  expect(ending.filter((path) => !ENDS.test(path))).toEqual([]);
});

test('the reason follows from the disposition, as docs/runbooks/error-codes.md says', () => {
  const others = Object.entries(ERRORS).filter(
    ([, { disposition, reason }]) =>
      reason !== (disposition === 'wait' ? 'EnsuringLoadBalancer' : 'SyncLoadBalancerFailed'),
  );
  expect(others).toEqual([]);
});
