/** Of two deployments that serve one cluster one writes. */
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Kube } from '../../../shared/ports.ts';
import { sandboxKube, type SandboxKube } from './sandbox-kube.ts';

const MINUTE = 60_000;

let its: SandboxKube;
beforeEach(async () => {
  its = await sandboxKube();
  vi.useFakeTimers({ toFake: ['Date'], now: Date.UTC(2026, 0, 1) });
});
afterEach(() => void vi.useRealTimers());

const deployment = (name: string, minutes = 5): Kube['deployment'] =>
  its.connect({ deployment: () => name, sweepIntervalMs: minutes * MINUTE }).deployment;
const lease = () => its.sandbox.kube.get('Lease', 'levelset', 'levelset-deployment');
const holder = (): unknown => (lease()?.spec as { holderIdentity?: string } | undefined)?.holderIdentity;
const pass = (minutes: number): void => void vi.setSystemTime(Date.now() + minutes * MINUTE);
const said = async (act: Promise<void>): Promise<string> =>
  act.then(
    () => 'has it',
    (error: unknown) => (error as Error).message,
  );
const HELD_BY_A: unknown = expect.stringMatching(
  /^a writes to this cluster, and so b writes nothing: .* delete lease /,
);

test('the first one has the cluster, and the other one writes nothing and says whose it is', async () => {
  const [a, b] = [deployment('a'), deployment('b')];
  const first = await Promise.all([said(a.require()), said(b.require())]);
  expect(first.filter((words) => words === 'has it')).toHaveLength(1);
  const metadata = { namespace: 'levelset', name: 'levelset-deployment' };
  its.sandbox.kube.apply({ kind: 'Lease', metadata, spec: { holderIdentity: 'a' } });
  const then = await Promise.all([a.require(), b.require(), b.renew()].map(said));
  expect(then).toEqual(['has it', HELD_BY_A, HELD_BY_A]);
});

test.each([
  ['whose sweeps go on keeps it, whoever claims it', 5, 5, 2.5],
  ['that sweeps seldom keeps it beside one that sweeps often', 60, 1, 1],
])('one %s', async (_what, ofA, ofB, step) => {
  const [a, b] = [deployment('a', ofA), deployment('b', ofB)];
  await a.renew();
  for (let minutes = step; minutes <= 4 * ofA; minutes += step) {
    pass(step);
    expect(await said(b.renew())).toEqual(HELD_BY_A);
    if (minutes % ofA === 0) expect(await said(a.renew())).toBe('has it');
  }
  expect(lease()?.metadata.annotations).toEqual({});
});

test('one that is gone is followed after three sweeps in a row', async () => {
  const [a, b] = [deployment('a'), deployment('b')];
  await a.renew();
  const words: string[] = [];
  for (let sweeps = 0; sweeps < 3; sweeps += 1) {
    pass(5);
    words.push(await said(b.renew()));
    expect(await said(b.renew())).toEqual(sweeps < 2 ? HELD_BY_A : 'has it'); // one more, for an event
  }
  expect(words).toEqual([HELD_BY_A, HELD_BY_A, 'has it']);
  expect([holder(), await said(a.require())]).toEqual(['b', expect.stringMatching(/^b writes to this/)]);
});

test('sweeps that are not in a row count for nothing', async () => {
  const [a, b] = [deployment('a'), deployment('b')];
  await a.renew();
  for (let days = 0; days < 5; days += 1) {
    pass(24 * 60);
    expect(await said(b.renew())).toEqual(HELD_BY_A);
  }
});

test('a command gives back what it has from nobody, and nothing else', async () => {
  const [command, a] = [deployment('command'), deployment('a')];
  await command.require();
  await command.release();
  expect(holder()).toBe('');
  await a.require();
  await command.release();
  expect(holder()).toBe('a');
  const beside = deployment('a');
  await beside.require();
  await beside.release();
  expect(holder()).toBe('a');
});

test('in a cluster without the namespace nobody writes, and the words say what to do', async () => {
  its.sandbox.kube.delete('Namespace', undefined, 'levelset');
  const one = deployment('a');
  expect(await said(one.require())).toBe(
    'cannot write Lease levelset/levelset-deployment: there is no such namespace: kubectl create namespace levelset',
  );
});
