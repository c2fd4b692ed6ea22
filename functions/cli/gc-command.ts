import { setTimeout as sleep } from 'node:timers/promises';
import { clustersOf, observeBelongings, findClusters, forgottenVips } from '../../shared/gc/belongings.ts';
import type { Belongings, FoundCluster, NamedClusters } from '../../shared/gc/belongings.ts';
import { planGc, type GcPlan } from '../../shared/gc/plan-gc.ts';
import { findAnswering, runGc } from '../../shared/gc/run-gc.ts';
import { readFlags, type Flags } from '../../shared/config/read-flags.ts';
import { printable } from '../../shared/model/text/text.ts';
import { renderPlan, summarizeSteps } from '../../shared/plan/render-plan.ts';
import type { World } from '../../shared/ports.ts';
import { connectForGcWithLogins } from '../connect-with-logins.ts';
import { RegisteredClusters } from './registered-clusters.ts';
import { coloured, commandLog, counted, misused, printObjects, printsObjects } from './command.ts';
import type { RunCommand } from './command.ts';

const AGAIN_MS = 1_000;

interface Gc extends Pick<World, 'cloud' | 'clock' | 'config'> {
  readonly thisOne: string | undefined;
  readonly named?: NamedClusters;
}

/** `levelset gc`. With --clusters the project is that of the entry --cluster, and no cluster of an entry is touched. */
export const gcCommand: RunCommand = async ([id], flags, env) => {
  const { cluster, approve, unwrittenFor } = readFlags(flags, []);
  if (!flags.clusters && cluster !== undefined)
    throw misused('--cluster names an entry of --clusters: give both, or the UID alone');
  const gc: Gc = flags.clusters
    ? await connectRegistered(flags, env)
    : await connectForGcWithLogins({ flags, env, log: commandLog(flags) });
  const all = await observeBelongings(gc.cloud);
  if (id === undefined) return printClusters(all, gc, flags);
  const plan = planGc(all, {
    ...{ id, thisOne: gc.thisOne, unwrittenForMs: unwrittenFor, now: gc.clock.now() },
    ...(gc.named && { named: gc.named }),
    answering: await findAnswering(all, id, gc.cloud),
  });
  if (approve !== undefined && approve === plan.approval) return collect(plan, id, gc);
  const asked = flags.clusters ? `--clusters=${flags.clusters} --cluster=${cluster} ${id}` : id;
  const code = await printPlan(plan, asked, flags);
  if (approve === undefined) return code;
  console.error(
    `levelset: --approve=${approve} is not the hash of this plan: something has changed, so read it again`,
  );
  return 1;
};

async function connectRegistered(flags: Flags, env: NodeJS.ProcessEnv): Promise<Gc> {
  const registered = await RegisteredClusters.of(flags, env);
  const { world } = await registered.connect(await registered.one(flags));
  return { ...world, thisOne: undefined, named: await registered.identified() };
}

const TITLES: Readonly<Record<keyof FoundCluster['has'], string>> = {
  loadBalancers: 'load balancer',
  listeners: 'listener',
  floatingIPs: 'floating IP',
  securityGroups: 'security group',
  secrets: 'certificate',
};
const KINDS = Object.keys(TITLES) as readonly (keyof typeof TITLES)[];

/** Which clusters have something in the project, and ports that nobody may need. Returns the exit code. */
export async function printClusters(
  all: Belongings,
  { thisOne, named }: Pick<Gc, 'thisOne' | 'named'>,
  flags: Pick<Flags, 'output'>,
): Promise<number> {
  const clusters = findClusters(all, thisOne).map(({ writtenAt, ...found }) => {
    const entry = named?.entries.get(found.id);
    const lastWrite = writtenAt === 0 ? 'never' : `${new Date(writtenAt).toISOString().slice(0, 19)}Z`;
    return { ...found, ...(entry !== undefined && { entry }), lastWrite };
  });
  const forgottenVipPorts = forgottenVips(all).map((port) => ({ id: port.id, name: port['name'] }));
  if (printsObjects(flags)) {
    await printObjects({ clusters, forgottenVipPorts }, flags);
    return 0;
  }
  const lines = clusters.flatMap(({ id, isThisOne, entry, lastWrite, has }) => {
    const whose = entry === undefined ? '' : ` (the cluster of the entry ${entry})`;
    const counts = KINDS.flatMap((kind) => (has[kind] > 0 ? counted(has[kind], TITLES[kind]) : []));
    const mark = isThisOne ? ' (this cluster)' : whose;
    const own = KINDS.flatMap((kind) =>
      all[kind].flatMap((wire) => (clustersOf(wire).includes(id) ? `  ${TITLES[kind]} ${wire.id}` : [])),
    );
    const wide = flags.output === 'wide' ? own : [];
    return [`${id}${mark}  last written ${lastWrite}  ${counts.join(', ')}`, ...wide].map(printable);
  });
  console.log(lines.join('\n') || 'No cluster of levelset has anything in this project.');
  for (const { id, name } of forgottenVipPorts)
    console.log(
      printable(
        `port ${id} (${String(name)}): its load balancer is gone, and nothing says of which cluster it was; if it is nobody's: openstack port delete ${id}`,
      ),
    );
  return 0;
}

/** @param asked what asks for the cluster on the command line */
export async function printPlan(plan: GcPlan, asked: string, flags: Pick<Flags, 'output'>): Promise<number> {
  if (printsObjects(flags)) await printObjects([plan], flags);
  else {
    console.log(coloured(renderPlan(plan, flags.output === 'wide')));
    if (plan.approval !== undefined)
      console.log(
        `levelset cannot see whether a cluster that is at rest is gone: make sure that no apiserver has this UID of kube-system.\nTo delete this, and nothing else, run: levelset gc ${asked} --approve=${plan.approval}`,
      );
  }
  return plan.problems.length > 0 ? 1 : 0;
}

async function collect(plan: GcPlan, id: string, { cloud, clock, config }: Gc): Promise<number> {
  const until = clock.now() + config.reconcileTimeoutMs;
  const { done, failed, left: untried } = await runGc(plan, cloud);
  for (const { step, reason } of failed) console.error(`levelset: ${step.address}: ${reason}`);
  if (untried.length > 0)
    console.error(
      `levelset: ${untried.length} steps were not tried, since a load balancer did not go: make sure that nobody writes to it, then plan anew`,
    );
  let going = done.flatMap((step) =>
    'id' in step && typeof step.id === 'string' && step.kind === 'loadbalancer' ? [step.id] : [],
  );
  const look = async (): Promise<void> => {
    const all = going.length > 0 ? await cloud.list('loadbalancer') : [];
    going = all.flatMap((lb) => (going.includes(lb.id) && clustersOf(lb).includes(id) ? [lb.id] : []));
  };
  await look();
  while (going.length > 0 && clock.now() < until) {
    await sleep(AGAIN_MS);
    await look();
  }
  const still = going.length > 0 ? `; Octavia still deletes ${going.join(', ')}` : '';
  console.log(
    `cluster/${id}: ${done.length} of ${plan.steps.length} steps done (${summarizeSteps(done)})${still}`,
  );
  if (failed.length > 0) return 1;
  return going.length > 0 ? 2 : 0;
}
