/**
 * VIP ports that are gone. Octavia keeps the id of a port that somebody deleted in Neutron, and says nothing of it
 * (docs/sources/openstack.md, "A VIP port that is deleted").
 */
import { isLocked } from '../../model/load-balancer/octavia.ts';
import { VIP_PORT_OWNERS } from '../../model/load-balancer/vip-port.ts';
import type { WireResource } from '../../model/resources.ts';
import { listPorts } from '../../observe/list-ports.ts';
import type { Cloud } from '../../ports.ts';

/**
 * The load balancers of the list whose VIP port is gone. Neutron takes a floating IP off a port that it deletes, so a port with one is
 * there. One list of the ports of Octavia for the others, and a second one only for ports that others made. The load balancers were
 * listed before, so a port that is not there is not yet to come.
 */
export async function findWithoutVipPort(
  loadBalancers: readonly WireResource[],
  floatingIPs: readonly WireResource[],
  cloud: Pick<Cloud, 'list'>,
): Promise<readonly WireResource[]> {
  const there = new Set(floatingIPs.map((ip) => ip['port_id']));
  const unseen = (): readonly WireResource[] =>
    loadBalancers.filter((lb) => vipPortOf(lb) !== undefined && !isLocked(lb) && !there.has(vipPortOf(lb)));
  if (unseen().length === 0) return [];
  for (const { id } of await cloud.list('port', { device_owner: VIP_PORT_OWNERS, fields: ['id'] }))
    there.add(id);
  const ids = unseen().flatMap((lb) => vipPortOf(lb) ?? []);
  for (const { id } of await listPorts('id', ids, ['id'], cloud)) there.add(id);
  return unseen();
}

/** Whether Neutron says that the load balancer's VIP port is gone. */
export async function isVipPortGone(lb: WireResource, cloud: Pick<Cloud, 'get'>): Promise<boolean> {
  const id = vipPortOf(lb);
  return id !== undefined && !isLocked(lb) && (await cloud.get('port', id)) === undefined;
}

function vipPortOf({ vip_port_id: id }: WireResource): string | undefined {
  return typeof id === 'string' && id !== '' ? id : undefined;
}
