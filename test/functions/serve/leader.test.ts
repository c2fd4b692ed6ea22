/** Of two processes with one namespace for their state one leads: it works, and the other one says who does. */
import { expect, test } from 'vitest';
import { aService, sandboxWorld, until, type SandboxWorld } from '../sandbox-world.ts';
import { addressOf } from '../../support/told.ts';
import { running, type Running } from '../running.ts';
import { RESYNC_TOKEN } from '../../http/tokens.ts';

const started = (world: SandboxWorld) => running(world, { sweepInterval: '1s' });
const get = async ({ url }: Running, path: string): Promise<readonly [number, string]> => {
  const answer = await fetch(url + path);
  return [answer.status, await answer.text()];
};
const leads = async (one: Running) => (await one.get('/metrics')).includes('levelset_leader 1');
const isServed = ({ sandbox }: SandboxWorld, name: string): boolean => addressOf(sandbox, name) !== undefined;

test('the one that follows is ready, answers nothing else, and works when the other one stops', async () => {
  const world = await sandboxWorld();
  const first = await started(world);
  const second = await started(world);
  world.sandbox.kube.apply(aService('web'));
  await until('it has its address', () => isServed(world, 'web'));

  expect([await leads(first), await leads(second)]).toEqual([true, false]);
  expect(await get(second, '/readyz')).toEqual([200, expect.stringMatching(/^ok\nfollows: \S+ leads\n$/)]);
  const follows = expect.stringMatching(/this process does not lead, \S+ does/) as string;
  expect(await get(second, '/')).toEqual([503, follows]);
  const post = await second.post('/resync', RESYNC_TOKEN);
  expect([post.status, post.headers.get('retry-after')]).toEqual([503, '2']);
  expect(second.lines.filter((line) => /"(reconciled|swept)"/.test(line))).toEqual([]);

  await first.stop();
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
    const metadata = { namespace: 'levelset', name: 'levelset' };
    kube.apply({ kind: 'Lease', metadata, spec: { holderIdentity } });
  };
  held('somebody-else');
  await until('it follows', async () => !(await leads(only)));
  kube.apply(aService('web'));
  expect(await only.get('/readyz')).toContain('follows: somebody-else leads');
  const before = only.lines.length;

  held('');
  await until('it has its address', () => isServed(world, 'web'));
  expect(only.lines.slice(before).join()).toContain('this process leads');
}, 30_000);
