/** What levelset prints of routes that somebody changed, as a person reads it at night; `UPDATE=1` writes it anew. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { World } from '../../shared/ports.ts';
import { renderDrift, renderPlan } from '../../shared/plan/render-plan.ts';
import { sweep } from '../../shared/sweep.ts';
import { runAll } from '../support/sandbox-world.ts';
import { startRouteWorld } from '../support/route-world.ts';

const PATH = join(import.meta.dirname, 'damages/routes.txt');

test('routes that somebody removed or moved are told in words that one reads once', async () => {
  const it = await startRouteWorld();
  const world: World = {
    ...it.world,
    config: { ...it.world.config, controllers: ['node-route-controller'] },
  };
  for (const at of [1, 2, 3]) it.addNode(at);
  await it.routed(world);
  await sweep(world);
  const [router] = it.sandbox.cloud.routers;
  const port = it.sandbox.cloud.ports.find(({ fixed_ips: ips }) => ips[0]?.ip_address === it.hop(3));
  if (!router || !port) throw new Error('no router, or no port');
  router.routes = [{ destination: '10.244.2.0/24', nexthop: it.hop(3) }, ...router.routes.slice(2)];
  port['allowed_address_pairs'] = [];

  const { plan } = await it.reconcile({ trigger: 'command', dryRun: true }, world);
  await runAll(await sweep(world), world);

  const events = [1, 2, 3].map((at) =>
    [`node-${at}`, ...it.events(at).map((text) => `  ${text}`)].join('\n'),
  );
  const text = plan ? [renderPlan(plan), renderDrift(plan), ...events].join('\n\n') : '';
  const names = new Map<string, string>();
  const stable = text
    .replace(
      /[0-9a-f]{8}-[0-9a-f-]{27}/g,
      (id) => names.get(id) ?? names.set(id, `ID-${names.size + 1}`).get(id) ?? '',
    )
    .replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ/g, 'TIME');
  if (process.env['UPDATE'] === '1') writeFileSync(PATH, `${stable}\n`);
  expect(`${stable}\n`).toBe(readFileSync(PATH, 'utf8'));
  await it.close();
});
