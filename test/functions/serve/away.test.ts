/** `serve` lives, says what is away, and recovers, whatever cannot be reached at start or later. */
import { appendFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import type { FaultRule } from '../../../infra/sandbox/fault-rules.ts';
import { aService, sandboxWorld, until } from '../sandbox-world.ts';
import { addressOf } from '../../support/told.ts';
import { running } from '../running.ts';

const WARNS = 'class="warning"';
/** Without an apiserver nobody leads. */
const NOBODY = 'this process does not lead, nobody does';
const forbidden = { kind: 'Status', status: 'Failure', message: 'forbidden', reason: 'Forbidden', code: 403 };
const ofNodes = { side: 'kube', method: 'GET', path: /\/nodes(\?|$)/ } as const;
/** With what /readyz says, and what the page says at the start. */
const CASES: readonly [name: string, fault: Omit<FaultRule, 'times'>, ready: RegExp, first: string][] = [
  ['apiserver', { match: { side: 'kube' }, kind: 'reset-before' }, /kubernetes: cannot/, NOBODY],
  ['OpenStack', { match: { side: 'openstack' }, kind: 'reset-before' }, /openstack: .*Keystone/, WARNS],
  ['Nodes', { match: ofNodes, kind: 'fail-before', status: 403, body: forbidden }, /^ok$/m, WARNS],
];

/** Away at start, back, away again, and back. */
async function comesAndGoes([name, fault, ready, first]: (typeof CASES)[number]): Promise<void> {
  const world = await sandboxWorld();
  const { sandbox, flags } = world;
  const goes = () => sandbox.fault({ ...fault, times: 1e6 });
  const come = goes();
  await appendFile(flags.cloudConfig, `\n[Route]\nrouter-id = ${sandbox.cloud.routerId}\n`);
  const { get, warnings } = await running(world, { clusterCidr: '10.244.0.0/16', sweepInterval: '1s' });
  const isWell = async (): Promise<boolean> => {
    const text = await get('/');
    return !text.includes(WARNS) && !text.includes(NOBODY);
  };

  await until(`${name}: the log says so`, () => warnings.length > 0);
  expect(await get('/healthz')).toBe('ok\n');
  expect(await get('/readyz')).toMatch(ready);
  await until(`${name}: the page says so`, async () => (await get('/')).includes(first));
  come();
  await until(`${name}: well`, isWell);

  const comeAgain = goes();
  await until(`${name}: the page says so again`, async () => (await get('/')).includes(WARNS));
  comeAgain();
  sandbox.kube.apply(aService('web'));
  const isServed = (): boolean => addressOf(sandbox) !== undefined;
  await until(`${name}: a Service is served`, isServed);
  await until(`${name}: well again`, isWell);
  await until(`${name}: ready`, async () => (await get('/readyz')) === 'ok\n');
}

test('what is away at start, or goes later, ends no process, is told, and is made up for', async () => {
  await Promise.all(CASES.map(comesAndGoes));
});
