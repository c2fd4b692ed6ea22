/** Two relays of one cluster at one receiver: each change comes twice, is worked on once or twice, and none is lost. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { relay, type Relaying } from '../../../functions/relay.ts';
import { serve } from '../../../functions/serve.ts';
import type { Key } from '../../../shared/model/request.ts';
import { SILENT } from '../../support/sandbox-world.ts';
import { AUDIT_TOKEN } from '../../http/tokens.ts';
import {
  addressOf,
  aService,
  sandboxWorld,
  until,
  whatIsThere,
  type SandboxWorld,
} from '../sandbox-world.ts';

type Kube = SandboxWorld['sandbox']['kube'];
const web = (kube: Kube) => kube.get('Service', 'default', 'web');

/** Each with what shows that it was worked on. */
const CHANGES: Readonly<Record<string, readonly [(kube: Kube) => void, (world: SandboxWorld) => boolean]>> = {
  'a Service is made': [
    (kube) => kube.apply(aService('web')),
    ({ sandbox }) => addressOf(web(sandbox.kube)) !== undefined,
  ],
  'it is changed': [
    (kube) => kube.apply(aService('web', { 'loadbalancer.openstack.org/timeout-client-data': '70000' })),
    ({ sandbox }) => sandbox.cloud.listeners[0]?.['timeout_client_data'] === 70_000,
  ],
  'a Node joins': [(kube) => kube.addNode('node-9'), ({ sandbox }) => sandbox.cloud.members.length === 3],
  // two events: it is marked, and it is gone
  'the Service goes': [
    (kube) => {
      kube.delete('Service', 'default', 'web');
    },
    ({ sandbox }) => web(sandbox.kube) === undefined,
  ],
};

interface Counts {
  /** Keys that were posted. */
  readonly hints: number;
  readonly runs: Readonly<Partial<Record<Key, number>>>;
}

async function relaying({ flags }: SandboxWorld, to: string): Promise<Relaying> {
  const directory = await mkdtemp(join(tmpdir(), 'levelset-relays-'));
  const eventsTokenFile = join(directory, 'token');
  await writeFile(eventsTokenFile, AUDIT_TOKEN);
  const started = await relay({
    flags: {
      ...{ kubeconfig: flags.kubeconfig, listen: '127.0.0.1:0', eventsTokenFile },
      eventsUrl: `${to}/events/kubernetes`,
    },
    env: {},
    log: SILENT,
  });
  onTestFinished(async () => {
    await started.stop();
    await rm(directory, { recursive: true });
  });
  await until('a relay is ready', async () => (await fetch(`${started.url}/readyz`)).status === 200);
  return started;
}

async function postedBy(relays: readonly Relaying[]): Promise<number> {
  const texts = relays.map(async ({ url }) => (await fetch(`${url}/metrics`)).text());
  const counts = (await Promise.all(texts)).map(
    (text) => /^levelset_relay_keys_total\{result="posted"\} (\d+)$/m.exec(text)?.[1] ?? 0,
  );
  return counts.reduce((sum: number, count) => sum + Number(count), 0);
}

/** All changes one after another, with so many relays; in the middle the first so many of them end. */
async function story(count: number, ending = 0): Promise<Readonly<Record<string, Counts>>> {
  const world = await sandboxWorld({ nodes: 2, pendingMs: 0 });
  const runs: Key[] = [];
  const serving = await serve({
    flags: { ...world.flags, sweepInterval: '1h', listen: '127.0.0.1:0' },
    env: { LEVELSET_AUDIT_TOKENS: AUDIT_TOKEN },
    log: SILENT,
    reported: ({ request }) => runs.push(request.key),
  });
  onTestFinished(() => serving.stop());
  const relays = await Promise.all(Array.from({ length: count }, () => relaying(world, serving.url)));
  await until('each has asked for a sweep', async () => (await postedBy(relays)) === count);
  await until('idle', serving.idle);
  const counts: [string, Counts][] = [];
  for (const [name, [change, isDone]] of Object.entries(CHANGES)) {
    const [posted, ran] = [await postedBy(relays), runs.length];
    change(world.sandbox.kube);
    await until(name, () => isDone(world));
    // what comes late belongs to this change, too
    await new Promise((resolve) => setTimeout(resolve, 150));
    await until('idle', serving.idle);
    const of = Object.groupBy(runs.slice(ran), (key) => key);
    counts.push([
      name,
      {
        hints: (await postedBy(relays)) - posted,
        runs: Object.fromEntries(Object.entries(of).map(([key, all = []]) => [key, all.length])),
      },
    ]);
    if (name === 'it is changed')
      await Promise.all(relays.splice(0, ending).map((relayed) => relayed.stop()));
  }
  expect(whatIsThere(world.sandbox)).toMatchObject({ loadBalancers: 0, floatingIps: 0 });
  return Object.fromEntries(counts);
}

test('an event is two hints and at most one run more of its key; when one relay ends, nothing is lost', async () => {
  const [one, two, ending] = await Promise.all([story(1), story(2), story(2, 1)]);
  for (const [name, { hints, runs }] of Object.entries(one)) {
    expect(hints, name).toBeGreaterThan(0);
    expect(two[name]?.hints, name).toBe(2 * hints);
    const more = Object.entries(two[name]?.runs ?? {}).map(
      ([key, count]) => (count ?? 0) - (runs[key as Key] ?? 0),
    );
    expect(Math.max(...more), `${name}: ${JSON.stringify({ one, two })}`).toBeLessThanOrEqual(
      name === 'the Service goes' ? 2 : 1,
    );
  }
  expect(ending['a Node joins']).toMatchObject({ hints: one['a Node joins']?.hints });
});
