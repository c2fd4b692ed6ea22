/** Of two processes with one namespace for their state one leads: it works, and the other one says who does. */
import { expect, onTestFinished, test } from 'vitest';
import { serve, type Serving } from '../../../functions/serve.ts';
import { addressOf, aService, sandboxWorld, until, type SandboxWorld } from '../sandbox-world.ts';

const RESYNC_TOKEN = 'resync-token-of-the-test';

interface Process {
  readonly serving: Serving;
  readonly lines: string[];
}

async function started({ flags }: SandboxWorld): Promise<Process> {
  const lines: string[] = [];
  const note = (message: string, fields?: object): void => void lines.push(JSON.stringify([message, fields]));
  const serving = await serve({
    flags: { ...flags, listen: '127.0.0.1:0', sweepInterval: '1s' },
    env: { LEVELSET_RESYNC_TOKENS: RESYNC_TOKEN },
    log: { debug: () => undefined, info: note, warn: note, error: note },
  });
  onTestFinished(() => serving.stop());
  return { serving, lines };
}

const get = async ({ serving }: Process, path: string): Promise<readonly [number, string]> => {
  const answer = await fetch(serving.url + path);
  return [answer.status, await answer.text()];
};
const leads = async (one: Process): Promise<boolean> =>
  (await get(one, '/metrics'))[1].includes('levelset_leader 1');
const isServed = ({ sandbox }: SandboxWorld, name: string): boolean =>
  addressOf(sandbox.kube.get('Service', 'default', name)) !== undefined;

test('the one that follows is ready, answers nothing else, and works when the other one stops', async () => {
  const world = await sandboxWorld();
  const first = await started(world);
  const second = await started(world);
  world.sandbox.kube.apply(aService('web'));
  await until('it has its address', () => isServed(world, 'web'));

  expect([await leads(first), await leads(second)]).toEqual([true, false]);
  expect(await get(second, '/readyz')).toEqual([200, expect.stringMatching(/^ok\nfollows: \S+ leads\n$/)]);
  expect(await get(second, '/')).toEqual([
    503,
    expect.stringMatching(/this process does not lead, \S+ does/),
  ]);
  const post = await fetch(`${second.serving.url}/resync`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${RESYNC_TOKEN}` },
  });
  expect([post.status, post.headers.get('retry-after')]).toEqual([503, '2']);
  expect(second.lines.filter((line) => /reconciled|swept/.test(line))).toEqual([]);

  await first.serving.stop();
  await until('the second one leads', () => leads(second));
  world.sandbox.kube.apply(aService('api'));
  await until('it has its address', () => isServed(world, 'api'));
  expect(await get(second, '/readyz')).toEqual([200, 'ok\n']);
}, 30_000);

test('one that lost the Lease ends its work, and begins anew when it has it again', async () => {
  const world = await sandboxWorld();
  const { kube } = world.sandbox;
  const only = await started(world);
  const held = (holderIdentity: string): void => {
    kube.apply({
      kind: 'Lease',
      metadata: { namespace: 'levelset', name: 'levelset' },
      spec: { holderIdentity },
    });
  };
  held('somebody-else');
  await until('it follows', async () => !(await leads(only)));
  kube.apply(aService('web'));
  expect((await get(only, '/readyz'))[1]).toContain('follows: somebody-else leads');
  const before = only.lines.length;

  held('');
  await until('it has its address', () => isServed(world, 'web'));
  expect(only.lines.slice(before).some((line) => line.includes('this process leads'))).toBe(true);
}, 30_000);
