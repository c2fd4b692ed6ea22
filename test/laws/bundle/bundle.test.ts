/** A support bundle plans anywhere what was planned where it was made. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { pack, unpack, safeConfig } from '../../../functions/cli/bundle/bundle.ts';
import { recordWorld, replayWorld } from '../../../functions/cli/bundle/recorded.ts';
import { findPlans, tellPlans } from '../../../functions/cli/look-commands.ts';
import { createSandbox, type SandboxInside } from '../../../infra/sandbox/sandbox.ts';
import { CONTROLLER_NAMES } from '../../../shared/config/config.ts';
import type { World } from '../../../shared/ports.ts';
import { aConfig } from '../../support/config.ts';
import { AUTH_URL, inProcessWorld } from '../../support/in-process.ts';
import { failing } from '../../support/failing.ts';
import { aTlsSecret } from '../../support/tls-secret.ts';
import { joinNode } from '../../support/nodes.ts';
import { runAll, SILENT } from '../../support/sandbox-world.ts';
import { sweep } from '../../../shared/sweep.ts';
import { anEdit, specOf, type Edit } from '../arbitrary.ts';
import { forAll } from '../seed.ts';

/** What went wrong after levelset was at work for a while. */
const DAMAGES: Readonly<Record<string, (it: SandboxInside) => unknown>> = {
  none: () => undefined,
  'pool changed': ({ cloud }) => Object.assign(cloud.pools[0] ?? {}, { lb_algorithm: 'SOURCE_IP' }),
  'listener gone': ({ cloud }) => cloud.listeners.splice(0, 1),
  'load balancer gone': ({ cloud }) => cloud.loadbalancers.splice(0, 1),
  'server gone': ({ cloud }) => cloud.servers.splice(0, 1),
  'Service gone': ({ kube }) => {
    kube.delete('Service', 'default', 'web-0');
  },
  'Node joins': (it) => joinNode(it, 'worker-1'),
  'OpenStack refuses lists of pools': (it) => failing(it, 'GET', /\/lbaas\/pools/, 403),
};

const aWorld = fc.record({
  withCredential: fc.boolean(),
  services: fc.array(anEdit, { maxLength: 3 }),
  later: fc.array(anEdit, { maxLength: 2 }),
  sweeps: fc.integer({ min: 0, max: 3 }),
  damages: fc.uniqueArray(fc.constantFrom(...Object.keys(DAMAGES)), { maxLength: 3 }),
});

function apply({ kube }: SandboxInside, edits: readonly Edit[]): void {
  for (const [at, edit] of edits.entries()) {
    const annotations = { ...edit.annotations, 'example.org/owner': 'team-a' };
    const metadata = { name: `web-${at}`, namespace: 'default', annotations };
    kube.apply({ apiVersion: 'v1', kind: 'Service', metadata, spec: specOf(edit) });
  }
}

/** All of a plan as a person reads it. */
const planned = async (world: World) => tellPlans(await findPlans(['all'], world));

test('of whatever world', { timeout: 300_000 }, () =>
  forAll(aWorld, async ({ withCredential, services, later, sweeps, damages }) => {
    const sandbox = createSandbox({ pendingMs: 0, nodes: 2 });
    const { openstack, ...others } = aConfig(AUTH_URL);
    const { id, secret } = sandbox.cloud.applicationCredential;
    const credentials = withCredential
      ? ({ type: 'application-credential', id, secret } as const)
      : openstack.credentials;
    const config = { ...others, openstack: { ...openstack, credentials }, controllers: CONTROLLER_NAMES };
    sandbox.kube.apply({ apiVersion: 'v1', kind: 'Secret', ...aTlsSecret('one', { name: 'web-tls' }) });
    apply(sandbox, services);
    const world = inProcessWorld(sandbox, config, SILENT);
    for (let at = 0; at < sweeps; at += 1) await runAll(await sweep(world), world);
    sandbox.advanceClock(5_000);
    apply(sandbox, later);
    const { cloud } = sandbox;
    for (const what of damages) DAMAGES[what]?.(sandbox);
    Object.assign(cloud.loadbalancers[0] ?? {}, { updated_at: cloud.octaviaTime() });

    const there = await planned(inProcessWorld(sandbox, config, SILENT));
    const { world: recorded, reads, answered } = recordWorld(inProcessWorld(sandbox, config, SILENT));
    const plan = await planned(recorded);
    expect(plan).toEqual(there);
    await answered();
    const made = { bundle: 1, version: '0.0.0', node: '', now: recorded.clock.now() } as const;
    const told = { reads, plan: { code: plan.code, text: plan.text ?? '' } };
    const packed = pack({ ...made, config: safeConfig(config), ...told }, 'bundle.json.gz');
    await sandbox.close();
    expect(await planned(replayWorld(unpack('bundle.json.gz', packed), SILENT))).toEqual(there);
  }),
);
