/** What goes wrong around the functions on Lambda, with the simulators as cluster and cloud. */
import { expect, it } from 'vitest';
import type { FaultRule } from '../../../infra/sandbox/sandbox.ts';
import { aService } from '../../support/service.ts';
import { until } from '../lab/until.ts';
import { aws } from './aws/aws.ts';
import { toldSince } from './aws/told.ts';
import { sandboxStack } from './sandbox-stack.ts';

const parts = aws();
const names = (count: number): readonly string[] => Array.from({ length: count }, (_, index) => `s${index}`);
const seconds = (since: number): string => ((Date.now() - since) / 1_000).toFixed(1);

it('gives ten Services that come at once their addresses, and takes them away', async () => {
  const stack = await sandboxStack(parts);
  const { sandbox, deployment, address, quiet } = stack;
  const began = Date.now();
  for (const name of names(10)) sandbox.kube.apply(aService({ name }));
  const times = await Promise.all(
    names(10).map(async (name) => {
      await address(name);
      return seconds(began);
    }),
  );
  await quiet();
  console.log(
    `ten Services: ${times.join(' ')} s; ${sandbox.requests.length} requests; ${toldSince(deployment, began)}`,
  );
  expect(sandbox.cloud.loadbalancers).toHaveLength(10);
  expect(sandbox.requests.length).toBeLessThan(10 * 60);

  for (const name of names(10)) sandbox.kube.delete('Service', 'default', name);
  await until(
    'nothing left',
    () => sandbox.cloud.loadbalancers.length + sandbox.cloud.floatingips.length === 0,
  );
  await quiet();
  expect(deployment.lambda.invocations.filter(({ functionError }) => functionError)).toEqual([]);
});

const STAGES: readonly (readonly [stage: string, match: FaultRule['match']])[] = [
  ['the login', { path: /auth\/tokens$/ }],
  ['every read', { method: 'GET' }],
  ['the search for the load balancer', { method: 'GET', path: /lbaas\/loadbalancers\?/ }],
  ['its creation', { method: 'POST', path: /lbaas\/loadbalancers$/ }],
  ['the floating IP', { method: 'POST', path: /floatingips$/ }],
];

it(
  'ends in time when OpenStack hangs at any stage, and the next sweep goes on when it answers',
  { timeout: 300_000 },
  async () => {
    await Promise.all(
      STAGES.map(async ([stage, match]) => {
        const { sandbox, deployment, address } = await sandboxStack(parts);
        const mend = sandbox.fault({ match: { side: 'openstack', ...match }, times: 1_000, kind: 'hang' });
        const began = Date.now();
        sandbox.kube.apply(aService());
        const [first] = await until(
          `the end of the worker while ${stage} hangs`,
          () => {
            const runs = deployment.invocationsOf('reconcile');
            return runs.length > 0 && runs;
          },
          { timeoutMs: 90_000 },
        );
        mend();
        const mended = Date.now();
        await deployment.tick();
        await address('web');
        console.log(
          `${stage} hangs: the worker ended after ${first?.ms} ms, the address came ${seconds(mended)} s after the end of it; ` +
            toldSince(deployment, began),
        );
        const runs = deployment.invocationsOf('reconcile');
        expect(
          runs.filter(({ functionError }) => functionError),
          stage,
        ).toEqual([]);
        expect(Math.max(...runs.map(({ ms }) => ms)), stage).toBeLessThan(58_000);
        expect(Date.now() - mended, stage).toBeLessThan(60_000);
        expect(sandbox.cloud.loadbalancers, stage).toHaveLength(1);
      }),
    );
  },
);

it('takes every batch twice and makes nothing twice', async () => {
  const { sandbox, deployment, address, quiet } = await sandboxStack(parts, {
    change: (template) => ({
      ...template,
      mappings: template.mappings.map((mapping) => ({ ...mapping, deliversTwice: true })),
    }),
  });
  const began = Date.now();
  for (const name of names(3)) sandbox.kube.apply(aService({ name }));
  await Promise.all(names(3).map(address));
  await quiet();
  expect(sandbox.cloud.loadbalancers).toHaveLength(3);
  expect(sandbox.cloud.floatingips).toHaveLength(3);
  for (const name of names(3)) sandbox.kube.delete('Service', 'default', name);
  await until(
    'nothing left',
    () => sandbox.cloud.loadbalancers.length + sandbox.cloud.floatingips.length === 0,
  );
  console.log(`delivered twice: ${toldSince(deployment, began)}`);
});

/**
 * Writes to cluster and cloud, by their number: the process is killed before one, or when it has had its effect. Its message is there
 * again 75 s after it was received.
 */
const KILLS: readonly (readonly [write: number, when: 'before' | 'after'])[] = [
  [1, 'after'],
  [2, 'before'],
  [2, 'after'],
  [3, 'after'],
  [4, 'before'],
  [5, 'after'],
];

it(
  'goes on after the kill of its process at a write, with nothing double and nothing left',
  { timeout: 400_000 },
  async () => {
    await Promise.all(
      KILLS.map(async ([nth, when]) => {
        const { sandbox, deployment, address } = await sandboxStack(parts);
        let killed = 0;
        const killAt = (): (() => void) => {
          const kill = (): void =>
            void (killed += deployment.lambda.killBusy(deployment.functionNamed('reconcile')));
          return sandbox.fault({ match: { write: true, nth }, kind: 'call', [when]: kill });
        };
        const stage = `killed ${when} write ${nth}`;
        const began = Date.now();
        sandbox.kube.apply(aService());
        const forget = killAt();
        await address('web');
        const created = seconds(began);
        expect(killed, stage).toBeGreaterThan(0);
        expect(sandbox.cloud.loadbalancers, stage).toHaveLength(1);
        expect(sandbox.cloud.floatingips, stage).toHaveLength(1);

        forget();
        sandbox.kube.delete('Service', 'default', 'web');
        const removed = Date.now();
        killAt();
        await until(
          `${stage}: the Service is gone`,
          () => sandbox.kube.get('Service', 'default', 'web') === undefined,
          {
            timeoutMs: 120_000,
          },
        );
        console.log(
          `${stage}: address after ${created} s, gone after ${seconds(removed)} s, ${killed} kills; ` +
            toldSince(deployment, began),
        );
        expect(sandbox.cloud.loadbalancers, stage).toHaveLength(0);
        expect(sandbox.cloud.floatingips, stage).toHaveLength(0);
      }),
    );
  },
);
