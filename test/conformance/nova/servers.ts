import { setTimeout as pause } from 'node:timers/promises';
import type { Body } from '../cloud-case.ts';
import type { CloudSession } from '../cloud-session.ts';
import { at, listAt, textAt } from '../json-path.ts';

/** A request to Nova at a microversion (`2.47`), or at 2.1. */
export function nova(cloud: CloudSession, method: string, path: string, body?: unknown, version?: string) {
  const headers = version === undefined ? {} : { 'OpenStack-API-Version': `compute ${version}` };
  return cloud.call('compute', method, path, body, headers);
}

export async function getServer(cloud: CloudSession, id: string, version?: string): Promise<unknown> {
  return at((await nova(cloud, 'GET', `/servers/${id}`, undefined, version)).body, 'server');
}

export const uniqueName = (): string => `Conformance-${Date.now()}-${Math.random().toString(36).slice(2, 6)}`;

/** A network of the case with one IPv4 subnet. */
export async function aNetwork(cloud: CloudSession, cidr: string) {
  const name = uniqueName();
  const id = textAt((await cloud.neutron('POST', 'networks', { network: { name } })).body, 'network.id');
  cloud.leave('network', `/v2.0/networks/${id}`);
  const subnet = { network_id: id, ip_version: 4, cidr };
  return { id, name, subnet: textAt((await cloud.neutron('POST', 'subnets', { subnet })).body, 'subnet.id') };
}

/** A server that is ACTIVE, on the private network unless told otherwise; gone at the end of the case. */
export async function aServer(cloud: CloudSession, more: Body = {}): Promise<{ id: string; name: string }> {
  const flavors = listAt((await nova(cloud, 'GET', '/flavors')).body, 'flavors');
  const images = listAt((await nova(cloud, 'GET', '/images/detail')).body, 'images');
  const server = {
    name: uniqueName(),
    flavorRef: at(flavors.find((one) => at(one, 'name') === 'm1.tiny') ?? flavors[0], 'id'),
    imageRef: at(images[0], 'id'),
    networks: more['networks'] ?? [{ uuid: await cloud.network() }],
    ...more,
  };
  const id = textAt((await nova(cloud, 'POST', '/servers', { server })).body, 'server.id');
  cloud.leave('compute', `/servers/${id}`);
  await serverIs(cloud, id, 'ACTIVE');
  return { id, name: server.name };
}

/** What happens to servers happens a little later. */
export async function serverIs(cloud: CloudSession, id: string, status: string): Promise<void> {
  const isSo = async (): Promise<boolean> => at(await getServer(cloud, id), 'status') === status;
  await eventually(`server ${id} to be ${status}`, isSo);
}

export async function eventually(what: string, holds: () => Promise<boolean>): Promise<void> {
  const until = Date.now() + 60_000;
  while (Date.now() < until) {
    if (await holds()) return;
    await pause(250);
  }
  throw new Error(`waited in vain for ${what}`);
}
