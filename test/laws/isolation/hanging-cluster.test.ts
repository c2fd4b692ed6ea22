/** A cluster whose kube-apiserver or OpenStack hangs changes no time of another one in the same process. */
import fc from 'fast-check';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { sweep } from '../../../shared/sweep.ts';
import { serveInVirtualTime } from '../../support/clusters/serving-clusters.ts';
import type { Hang, ServingCluster } from '../../support/clusters/serving-clusters.ts';
import { addNodeIn } from '../../support/sandbox-world.ts';
import { aService } from '../../support/service.ts';
import { forAllAsDrawn, type Drawn } from '../seed.ts';
import { THOROUGH } from '../worlds.ts';

beforeEach(() => {
  vi.useFakeTimers({ now: Date.UTC(2026, 0, 1) });
  vi.spyOn(Math, 'random').mockReturnValue(0.5); // for jitters, which all clusters draw from one source
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

/** In which edits come and hangs begin. */
const EVENTFUL_MS = 120_000;
const INTERVAL_MS = 300_000;
/** From the end of a hang until it is noticed: a look that hangs to its end, and the longest rest after it. */
const NOTICED_MS = 100_000;
/** How long a run that hangs may keep Octavia's room from a cluster of its project, and the look after it (decision 349). */
const ROOM_KEPT_MS = 15_000;

const edit = fc.record({
  atMs: fc.integer({ min: 1_000, max: EVENTFUL_MS }),
  of: fc.nat(1),
  do: fc.constantFrom('apply', 'remove', 'a Node joins'),
  name: fc.constantFrom('web', 'api'),
  port: fc.constantFrom(80, 443),
});
type Edit = Drawn<typeof edit>;
/** A Service that is applied again while its deletion waits for a cluster that hangs is gone afterwards, as in any cluster. */
const comesBack = ({ do: what, of, name }: Edit, before: readonly Edit[]): boolean =>
  what === 'apply' && before.some((one) => one.do === 'remove' && one.of === of && one.name === name);
const edits = fc
  .array(edit, { minLength: 4, maxLength: 10 })
  .map((all) => all.toSorted((one, other) => one.atMs - other.atMs))
  .map((all) => all.filter((one, at) => !comesBack(one, all.slice(0, at))));
const lastsMs = fc.integer({ min: 1_000, max: INTERVAL_MS });
const lasting = fc.record({ fromMs: fc.nat(EVENTFUL_MS), lastsMs });

function make({ inside, work }: ServingCluster, { do: what, name, port }: Edit, number: number): void {
  const { kube } = inside;
  if (what === 'a Node joins') addNodeIn(inside, `joins-${number}`, inside);
  else if (what === 'remove') kube.delete('Service', 'default', name);
  else kube.apply(aService({ name, spec: { ports: [{ name: 'it', port }] } }));
  const key = what === 'a Node joins' ? 'nodeset' : (`service/default/${name}` as const);
  work.enqueue([{ key, trigger: 'audit' }]);
}

/** What is there in the end, without what is drawn. */
function picture({ inside: { cloud, kube } }: ServingCluster): unknown {
  const nameOf = new Map(cloud.loadbalancers.map(({ id, name }) => [id, name]));
  return {
    services: kube
      .list('Service')
      .map(({ metadata, status }) => [metadata.name, JSON.stringify(status).includes('"ip"')]),
    listeners: cloud.listeners.map((one) => [nameOf.get(one.loadbalancer_id), one.protocol_port]).sort(),
    members: cloud.members.length,
  };
}

/** When each key was settled for the last time. */
const settledMs = ({ story }: ServingCluster): ReadonlyMap<string, number> => {
  const settled = story.filter(([, what]) => what.endsWith('settled'));
  return new Map(settled.map(([atMs, what]) => [what.split(' ', 1)[0] ?? what, atMs]));
};

/** Alone in its project a cluster does all at the same times; beside the one that hangs it ends no later than said. */
function expectSameTimes(its: ServingCluster, calm: ServingCluster, oneProject: boolean): void {
  if (!oneProject) expect(its.story).toEqual(calm.story);
  const [ends, calmEnds] = [settledMs(its), settledMs(calm)];
  expect([...ends.keys()].sort()).toEqual([...calmEnds.keys()].sort());
  for (const [key, atMs] of ends) expect(atMs).toBeLessThan((calmEnds.get(key) ?? 0) + ROOM_KEPT_MS);
}

async function play(all: readonly Edit[], hang: Hang | undefined, oneProject: boolean, endMs: number) {
  const its = serveInVirtualTime([{ name: 'prod-a', hang }, { name: 'prod-b' }], { oneProject });
  for (const [number, edit] of all.entries()) {
    await its.passUntil(edit.atMs);
    const cluster = its.clusters[edit.of];
    if (cluster) make(cluster, edit, number);
  }
  await its.passUntil(endMs);
  return its;
}

test.each([
  { side: 'kube', oneProject: false },
  { side: 'openstack', oneProject: false },
  { side: 'kube', oneProject: true },
] as const)(
  'while the $side of one cluster hangs the other one ends its keys when it would, and the first is right after it; one project: $oneProject',
  async ({ side, oneProject }) => {
    await forAllAsDrawn(edits, lasting, async (all, { fromMs, lastsMs }) => {
      const hang = { side, fromMs, untilMs: fromMs + lastsMs };
      const endMs = hang.untilMs + NOTICED_MS + INTERVAL_MS;
      const calm = await play(all, undefined, oneProject, endMs);
      const pictures = calm.clusters.map(picture);
      await calm.stop();
      const its = await play(all, hang, oneProject, endMs);
      const [other, calmOther] = [its.clusters[1], calm.clusters[1]];
      if (!other || !calmOther) throw new Error('a cluster is missing');
      expectSameTimes(other, calmOther, oneProject);
      expect(its.clusters.map(picture)).toEqual(pictures);
      const swept = await its.untilDone(sweep(its.clusters[0].world));
      expect(swept).toMatchObject({ requests: [], warnings: [] });
      await its.stop();
    });
  },
  THOROUGH ? 600_000 : 120_000,
);
