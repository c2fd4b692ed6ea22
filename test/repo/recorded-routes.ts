import type { RecordedRequest } from '../../infra/sandbox/sandbox.ts';
import { nodeName, startRouteWorld } from '../support/route-world.ts';

/** Routes that come, move and go, with and without the extension that changes single ones; the requests that came of it. */
export async function recordRoutes(): Promise<readonly RecordedRequest[]> {
  const it = await startRouteWorld();
  const { kube, cloud, requests } = it.sandbox;
  try {
    for (const at of [1, 2]) it.addNode(at);
    await it.routed();
    kube.delete('Node', undefined, nodeName(2));
    await it.routed();
    cloud.extensions.splice(cloud.extensions.indexOf('extraroute-atomic'), 1);
    it.addNode(3);
    await it.routed(await it.another(it.world.config));
    return [...requests];
  } finally {
    await it.close();
  }
}
