import type { RecordedRequest } from '../../infra/sandbox/sandbox.ts';
import { joinNodes } from '../support/nodes.ts';
import { startNodeWorld } from '../support/node-world.ts';

const MINUTE = 61_000;
const CIDR = { clusterCidr: '10.244.0.0/20', family: 4, maskSize: 24 } as const;

/** Nodes that join, get their CIDRs, stop and go, on a Nova of these days and on an old one; the requests that came of it. */
export async function recordNodes(): Promise<readonly RecordedRequest[]> {
  const it = await startNodeWorld(() => ({
    deletionPercent: 100,
    nodeCidrs: { ranges: [CIDR], serviceCidrs: [] },
  }));
  const { kube, cloud, requests, fault } = it.sandbox;
  try {
    const workers = joinNodes(it.sandbox, 3);
    kube.registerNode('stranger');
    for (const { name } of workers) await it.reconcile(name);
    await it.reconcile('stranger');
    await it.sweepUntilSettled();
    for (const { name, server } of workers.slice(0, 2)) {
      cloud.removeNovaServer(server.id);
      kube.setReady(name, false);
      await it.reconcile(name);
      await it.reconcile(name, {}, it.later(MINUTE));
    }
    const refused = {
      match: { side: 'openstack', path: /servers/ },
      kind: 'fail-before',
      status: 406,
    } as const;
    await it.sweepUntilSettled();
    fault({ ...refused, times: 1 });
    await it.reconcile('worker-3', { trigger: 'resync' });
    return [...requests];
  } finally {
    await it.close();
  }
}
