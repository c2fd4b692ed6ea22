/** `serve` lives, says what is away, and recovers, whatever cannot be reached at start or later. */
import { appendFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import type { FaultRule } from '../../../infra/sandbox/fault-rules.ts';
import { aService, sandboxWorld, until } from '../sandbox-world.ts';
import { addressOf } from '../../support/told.ts';
import { running } from '../running.ts';

interface Away {
  readonly fault: Omit<FaultRule, 'times'>;
  /** What /readyz says. */
  readonly ready: RegExp;
  /** What the page says at the start, if it is something else than a warning. */
  readonly first?: string;
}

const WARNS = 'class="warning"';
/** Without an apiserver nobody leads. */
const NOBODY = 'this process does not lead, nobody does';
const forbidden = { kind: 'Status', status: 'Failure', message: 'forbidden', reason: 'Forbidden', code: 403 };
const CASES: Readonly<Record<string, Away>> = {
  apiserver: {
    fault: { match: { side: 'kube' }, kind: 'reset-before' },
    ready: /kubernetes: cannot/,
    first: NOBODY,
  },
  OpenStack: {
    fault: { match: { side: 'openstack' }, kind: 'reset-before' },
    ready: /openstack: .*Keystone/,
  },
  'the list of Nodes': {
    fault: {
      match: { side: 'kube', method: 'GET', path: /\/nodes(\?|$)/ },
      ...{ kind: 'fail-before', status: 403, body: forbidden },
    },
    ready: /^ok$/m,
  },
};

/** Away at start, back, away again, and back. */
async function comesAndGoes(name: string, { fault, ready, first = WARNS }: Away): Promise<void> {
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
  await Promise.all(Object.entries(CASES).map(([name, away]) => comesAndGoes(name, away)));
});
