/** What levelset prints of a world with many damages, as a person reads it at night; `UPDATE=1` writes it anew. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { observeBelongings } from '../../shared/gc/belongings.ts';
import { planGc } from '../../shared/gc/plan-gc.ts';
import { reasonOf, type Report } from '../../shared/model/outcome.ts';
import { renderDrift, renderPlan } from '../../shared/plan/render-plan.ts';
import { reconcile } from '../../shared/reconcile.ts';
import { explainService } from '../../shared/service/report/object-details.ts';
import { sweep } from '../../shared/sweep.ts';
import { renderExplained } from '../../functions/cli/look-commands.ts';
import { printClusters, printPlan } from '../../functions/cli/gc-command.ts';
import { startRouteWorld } from '../support/route-world.ts';
import { runsOf } from '../support/virtual-time.ts';
import { GONE, startDamages, type Damages } from './damages/damaged-world.ts';

const FOLDER = join(import.meta.dirname, 'damages');

function expectGolden(file: string, text: string): void {
  const path = join(FOLDER, file);
  if (process.env['UPDATE'] === '1') writeFileSync(path, text);
  expect(text).toBe(readFileSync(path, 'utf8'));
}

/** What `levelset plan` or `levelset drift` would run and be warned of. */
async function dryRuns(it: Damages, more: Parameters<typeof sweep>[1] = {}) {
  const { requests, warnings } = await sweep(it.world, { readOnly: true, ...more });
  const reports: Report[] = [];
  for (const request of requests)
    reports.push(await reconcile({ ...request, dryRun: true }, it.world, { remainingMs: () => 60_000 }));
  const failed = reports.flatMap(({ request, outcome }) =>
    outcome.status === 'failed' ? `levelset: ${request.key}: ${reasonOf(outcome)}` : [],
  );
  const told = [...warnings.map((one) => `warning: ${one}`), ...failed].map((one) => `${one}\n`);
  return [reports, told.join('')] as const;
}

test('a world with many damages is told in words that one reads once', async () => {
  const it = await startDamages();
  const [planned, warned] = await dryRuns(it);
  const plans = planned.flatMap(({ plan }) => (plan ? [renderPlan(plan)] : []));
  expectGolden('plan.txt', `${plans.join('\n\n')}\n${warned}`);
  const [compared] = await dryRuns(it, { everyService: true });
  const drifted = compared.flatMap(({ plan }) => (plan?.drift ? [plan] : []));
  expectGolden('drift.txt', `${drifted.map(renderDrift).join('\n')}\n`);
  expectGolden('explain.txt', await explained(it));
  expectGolden('gc.txt', await collected(it));
  const before = countsOf(it);
  for (const request of (await sweep(it.world)).requests) await runsOf(request, it.world, it.inside);
  expectGolden('events.txt', told(it, before));
});

test('routes that somebody removed or moved are told in words that one reads once', async () => {
  const it = await startRouteWorld();
  for (const at of [1, 2, 3]) it.addNode(at);
  await it.routed();
  const [router] = it.sandbox.cloud.routers;
  const port = it.sandbox.cloud.ports.find(({ fixed_ips: ips }) => ips[0]?.ip_address === it.hop(3));
  if (!router || !port) throw new Error('no router, or no port');
  router.routes = [{ destination: '10.244.2.0/24', nexthop: it.hop(3) }, ...router.routes.slice(2)];
  port['allowed_address_pairs'] = [];
  const { plan } = await it.reconcile({ trigger: 'command', dryRun: true });
  const text = plan ? `${renderPlan(plan)}\n\n${renderDrift(plan)}\n` : '';
  expectGolden('routes.txt', text.replaceAll(router.id, 'ROUTER').replaceAll(port.id, 'PORT'));
  await it.close();
});

/** What `levelset explain` prints of a Service that serves and of one whose load balancer is in ERROR. */
async function explained({ world }: Damages): Promise<string> {
  const texts: string[] = [];
  for (const name of ['algorithm-changed', 'balancer-broken', 'balancer-stuck']) {
    const found = await explainService(`service/shop/${name}`, world);
    if (found) texts.push(renderExplained(found));
  }
  return `${texts.join('\n\n')}\n`;
}

/** What `levelset gc` prints, and `levelset gc UID` about the cluster that is gone. */
async function collected({ world, inside: { clock } }: Damages): Promise<string> {
  const lines: string[] = [];
  const log = vi.spyOn(console, 'log').mockImplementation((text: string) => void lines.push(text));
  const [thisOne, all] = [await world.kube.clusterId(), await observeBelongings(world.cloud)];
  await printClusters(all, { thisOne }, {});
  const about = { thisOne, answering: undefined, unwrittenForMs: 3_600_000, now: clock.millis() };
  await printPlan(planGc(all, { ...about, id: GONE }), GONE, {});
  log.mockRestore();
  return `${lines.join('\n')}\n`;
}

/** How often each Event was written. */
function countsOf({ inside: { kube } }: Damages): ReadonlyMap<string, unknown> {
  return new Map(kube.list('Event', 'shop').map(({ metadata, count }) => [metadata.name, count]));
}

/** The condition and the Events since then, by Service. */
function told({ inside: { kube } }: Damages, before: ReadonlyMap<string, unknown>): string {
  const texts = kube.list('Service', 'shop').map(({ metadata: { name }, status }) => {
    const { conditions = [] } = status as { conditions?: Record<string, string>[] };
    const states = conditions.map(
      (one) => `Ready=${one['status'] ?? ''} ${one['reason'] ?? ''}: ${one['message'] ?? ''}`,
    );
    const events = kube
      .list('Event', 'shop')
      .filter(({ involvedObject }) => (involvedObject as { name: string }).name === name)
      .filter((event) => before.get(event.metadata.name) !== event['count'])
      .map(({ type, reason, message }) => `${String(type)} ${String(reason)}: ${String(message)}`)
      .sort();
    const lines = [...states, ...events].map((text) => `  ${text.replaceAll('\n', '\n    ')}`);
    return [name, ...lines].join('\n');
  });
  return `${texts.join('\n\n')}\n`;
}
