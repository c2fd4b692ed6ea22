/** A Node registers with a podCIDR inside another Node's. It gets a route, which is narrower: traffic to those Pods goes to it. */
import { startRouteWorld } from '../../support/route-world.ts';
import { show } from '../show.ts';

const it = await startRouteWorld();
it.addNode(1);
it.addNode(2);
await it.routed();
show('routes', it.routes());
it.addNode(9, ['10.244.1.0/25']);
const { outcome, plan } = await it.routed();
show('routes with node-9', it.routes());
show('address pairs of node-9', it.pairs(9));
show('outcome, problems', [outcome.status, plan?.problems]);
await it.close();
