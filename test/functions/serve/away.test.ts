/** `serve` lives, says what is away, and recovers, whatever cannot be reached at start or later. */
import { appendFile } from 'node:fs/promises';
import { expect, onTestFinished, test } from 'vitest';
import { serve } from '../../../functions/serve.ts';
import type { FaultRule } from '../../../infra/sandbox/fault-rules.ts';
import { addressOf, aService, sandboxWorld, until } from '../sandbox-world.ts';
import { AUDIT_TOKEN, RESYNC_TOKEN } from '../../http/tokens.ts';

const FORBIDDEN = { kind: 'Status', status: 'Failure', message: 'forbidden', reason: 'Forbidden', code: 403 };
const ALWAYS = 1e6;
const KUBE: FaultRule = { match: { side: 'kube' }, kind: 'reset-before', times: ALWAYS };
const OPENSTACK: FaultRule = { match: { side: 'openstack' }, kind: 'reset-before', times: ALWAYS };
const refused = (path: RegExp): FaultRule => ({
  match: { side: 'kube', method: 'GET', path },
  kind: 'fail-before',
  status: 403,
  body: FORBIDDEN,
  times: ALWAYS,
});

interface Away {
  readonly fault: FaultRule;
  /** What /readyz says. */
  readonly ready: RegExp;
  /** What the page warns of. */
  readonly page: RegExp;
  /** The same at the start, if it is something else. */
  readonly first?: RegExp;
}

const WARNS = /class="warning"/;
/** Without an apiserver nobody leads. */
const NOBODY = 'this process does not lead, nobody does';
const CASES: Readonly<Record<string, Away>> = {
  apiserver: {
    fault: KUBE,
    ready: /kubernetes: cannot/,
    page: WARNS,
    first: new RegExp(NOBODY),
  },
  OpenStack: { fault: OPENSTACK, ready: /openstack: .*Keystone/, page: WARNS },
  'the list of Nodes': { fault: refused(/\/nodes(\?|$)/), ready: /^ok$/m, page: WARNS },
};

/** Away at start, back, away again, and back. */
async function comesAndGoes(name: string, { fault, ready, page, first = page }: Away): Promise<void> {
  const { sandbox, flags } = await sandboxWorld();
  const come = sandbox.fault(fault);
  const troubles: string[] = [];
  const note = (message: string): void => {
    troubles.push(message);
  };
  await appendFile(flags.cloudConfig, `\n[Route]\nrouter-id = ${sandbox.cloud.routerId}\n`);
  const serving = await serve({
    flags: { ...flags, clusterCidr: '10.244.0.0/16', sweepInterval: '1s', listen: '127.0.0.1:0' },
    env: { LEVELSET_AUDIT_TOKENS: AUDIT_TOKEN, LEVELSET_RESYNC_TOKENS: RESYNC_TOKEN },
    log: { debug: () => undefined, info: () => undefined, warn: note, error: note },
  });
  onTestFinished(() => serving.stop());
  const get = async (path: string): Promise<string> => (await fetch(serving.url + path)).text();
  const isWell = async (): Promise<boolean> => {
    const text = await get('/');
    return !text.includes('class="warning"') && !text.includes(NOBODY);
  };

  await until(`${name}: the log says so`, () => troubles.length > 0);
  expect(await get('/healthz')).toBe('ok\n');
  expect(await get('/readyz')).toMatch(ready);
  await until(`${name}: the page says so`, async () => first.test(await get('/')));
  come();
  await until(`${name}: well`, isWell);

  const comeAgain = sandbox.fault(fault);
  await until(`${name}: the page says so again`, async () => page.test(await get('/')));
  comeAgain();
  sandbox.kube.apply(aService('web'));
  const isServed = (): boolean => addressOf(sandbox.kube.get('Service', 'default', 'web')) !== undefined;
  await until(`${name}: a Service is served`, isServed);
  await until(`${name}: well again`, isWell);
  await until(`${name}: ready`, async () => (await get('/readyz')) === 'ok\n');
}

test('what is away at start, or goes later, ends no process, is told, and is made up for', async () => {
  await Promise.all(Object.entries(CASES).map(([name, away]) => comesAndGoes(name, away)));
});
