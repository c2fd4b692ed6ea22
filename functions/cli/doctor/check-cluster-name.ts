import { madeUnderOtherName } from '../../../shared/model/load-balancer/shared-load-balancer.ts';
import { keyOf } from '../../../shared/model/request.ts';
import { namedId } from '../../../shared/service/observe/load-balancer/adoption.ts';
import { tried, type Examined } from './examined.ts';
import type { Finding } from './finding.ts';

/** Whether load balancers to which Services lead by their ids were made under another cluster name: levelset would take none of them. */
export async function checkClusterName({ connected }: Examined): Promise<readonly Finding[]> {
  const { world } = connected;
  const asked = await tried(() =>
    Promise.all([world.kube.listServices(), world.cloud.list('loadbalancer'), connected.cluster()]),
  );
  // rights and endpoints have checks of their own
  if ('error' in asked) return [];
  const [services, all, identity] = asked.value;
  const byId = new Map(all.map((lb) => [lb.id, lb]));
  const others = services.flatMap((service) => {
    const lb = byId.get(namedId(service) ?? '');
    const { names: [made] = [] } = (lb && madeUnderOtherName(lb, keyOf(service), identity)) ?? {};
    return made === undefined ? [] : [made];
  });
  return [...Map.groupBy(others, (made) => made)].map(([made, { length }]) => ({
    area: 'configuration',
    level: 'failure',
    what: `the load balancers of ${length} ${length === 1 ? 'Service' : 'Services'} were made in a cluster named ${made}, and --cluster-name is ${identity.name}: levelset takes none of them`,
    remedy: `--cluster-name=${made}`,
  }));
}
