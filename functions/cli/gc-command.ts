import { setTimeout as sleep } from 'node:timers/promises';
import { clustersOf, observeBelongings } from '../../shared/gc/belongings.ts';
import type { Belongings } from '../../shared/gc/belongings.ts';
import { findClusters, forgottenVips } from '../../shared/gc/find-clusters.ts';
import type { FoundCluster, NamedClusters } from '../../shared/gc/find-clusters.ts';
import { planGc } from '../../shared/gc/plan-gc.ts';
import type { GcPlan } from '../../shared/gc/plan-gc.ts';
import { findAnswering, runGc } from '../../shared/gc/run-gc.ts';
import { readFlags } from '../../shared/config/read-flags.ts';
import type { Flags } from '../../shared/config/read-flags.ts';
import { ReconcileError } from '../../shared/model/errors.ts';
import { printable } from '../../shared/model/text/text.ts';
import { renderPlan, summarizeSteps } from '../../shared/plan/render-plan.ts';
import type { World } from '../../shared/ports.ts';
import { connectForGcWithLogins } from '../connect-with-logins.ts';
import { coloured } from './terminal/coloured.ts';
import { commandLog } from './terminal/command-log.ts';
import { printObjects, printsObjects } from './outputs.ts';
import { RegisteredClusters } from './registered-clusters.ts';

interface Gc extends Pick<World, 'cloud' | 'clock' | 'config'> {
  readonly thisOne: string | undefined;
  readonly named?: NamedClusters;
}

/**
 * `levelset gc`: lists the clusters that have something in the project. With a UID it plans what that cluster has left, and with
 * --approve it deletes it. With --clusters the project is that of the entry --cluster, and no cluster of an entry is touched.
 * Exit codes: those of `levelset plan`, and 2 while Octavia still deletes.
 */
export async function gcCommand(
  uid: string | undefined,
  flags: Flags,
  env: NodeJS.ProcessEnv,
): Promise<number> {
  const { cluster, approve, unwrittenFor } = readFlags(flags, []);
  if (!flags.clusters && cluster !== undefined && (uid ?? cluster) !== cluster)
    throw new ReconcileError(
      'CONFIG_INVALID',
      `two UIDs are given, ${uid} and --cluster=${cluster}: give one; --cluster is the name of an entry with --clusters alone`,
    );
  const id = flags.clusters ? uid : (uid ?? cluster);
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
  const asked = flags.clusters
    ? `--clusters=${flags.clusters} --cluster=${cluster} ${id}`
    : `--cluster=${id}`;
  if (approve === undefined) return printPlan(plan, asked, flags);
  if (approve !== plan.approval) {
    await printPlan(plan, asked, flags);
    console.error(
      `levelset: --approve=${approve} is not the hash of this plan: something has changed, so read it again`,
    );
    return 1;
  }
  return collect(plan, id, gc);
}

/** The project of one entry, and which clusters all of them are. */
async function connectRegistered(flags: Flags, env: NodeJS.ProcessEnv): Promise<Gc> {
  const registered = await RegisteredClusters.of(flags, env);
  const { world } = await registered.connect(await registered.one(flags));
  return { ...world, thisOne: undefined, named: await registered.identified() };
}

/** Which clusters have something in the project, and ports that nobody may need. Returns the exit code. */
export async function printClusters(
  all: Belongings,
  { thisOne, named }: Pick<Gc, 'thisOne' | 'named'>,
  flags: Pick<Flags, 'output'>,
): Promise<number> {
  const clusters = findClusters(all, thisOne).map((found) => {
    const entry = named?.entries.get(found.id);
    return { ...found, ...(entry !== undefined && { entry }) };
  });
  const forgotten = forgottenVips(all);
  if (printsObjects(flags)) {
    const rows = clusters.map(({ writtenAt, ...row }) => ({ ...row, lastWrite: inWords(writtenAt) }));
    const vips = forgotten.map((port) => ({ id: port.id, name: port['name'] }));
    await printObjects({ clusters: rows, forgottenVipPorts: vips }, flags);
    return 0;
  }
  const lines = clusters.flatMap((one) => [
    row(one),
    ...(flags.output === 'wide' ? belongingsOf(one.id, all) : []),
  ]);
  console.log(lines.join('\n') || 'No cluster of levelset has anything in this project.');
  for (const port of forgotten)
    console.log(
      printable(
        `port ${port.id} (${String(port['name'])}): its load balancer is gone, and nothing says of which cluster it was; if it is nobody's: openstack port delete ${port.id}`,
      ),
    );
  return 0;
}

const TITLES: Readonly<Record<keyof FoundCluster['has'], string>> = {
  loadBalancers: 'load balancer',
  listeners: 'listener',
  floatingIPs: 'floating IP',
  securityGroups: 'security group',
  secrets: 'certificate',
};

function row({ id, isThisOne, entry, writtenAt, has }: FoundCluster & { readonly entry?: string }): string {
  const counts = Object.entries(has).flatMap(([kind, count]) =>
    count > 0 ? [counted(count, TITLES[kind as keyof typeof TITLES])] : [],
  );
  const whose = entry === undefined ? '' : ` (the cluster of the entry ${entry})`;
  const mark = isThisOne ? ' (this cluster)' : whose;
  return printable(`${id}${mark}  last written ${inWords(writtenAt)}  ${counts.join(', ')}`);
}

/** Each thing of a cluster with its id. */
function belongingsOf(cluster: string, all: Belongings): readonly string[] {
  return Object.entries(TITLES).flatMap(([kind, title]) =>
    all[kind as keyof typeof TITLES]
      .filter((wire) => clustersOf(wire).includes(cluster))
      .map(({ id }) => printable(`  ${title} ${id}`)),
  );
}

function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`;
}

function inWords(time: number): string {
  return time === 0 ? 'never' : `${new Date(time).toISOString().slice(0, 19)}Z`;
}

/**
 * Exit 1 if nothing of the cluster may be touched.
 *
 * @param asked what asks for the cluster on the command line
 */
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
  const going = new Set(
    done.flatMap((step) => ('id' in step && step.kind === 'loadbalancer' ? [step.id] : [])),
  );
  const left = async (): Promise<readonly string[]> => {
    if (going.size === 0) return [];
    const all = await cloud.list('loadbalancer');
    return all.flatMap((lb) => (going.has(lb.id) && clustersOf(lb).includes(id) ? [lb.id] : []));
  };
  let deleting = await left();
  while (deleting.length > 0 && clock.now() < until) {
    await sleep(AGAIN_MS);
    deleting = await left();
  }
  const still = deleting.length > 0 ? `; Octavia still deletes ${deleting.join(', ')}` : '';
  console.log(
    `cluster/${id}: ${done.length} of ${plan.steps.length} steps done (${summarizeSteps(done)})${still}`,
  );
  if (failed.length > 0) return 1;
  return deleting.length > 0 ? 2 : 0;
}

/** The pause between two looks at load balancers that are being deleted, in milliseconds. */
const AGAIN_MS = 1_000;
