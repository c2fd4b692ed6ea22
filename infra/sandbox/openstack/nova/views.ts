import type { Json } from '../../json.ts';
import type { CloudState } from '../cloud-state.ts';
import type { Port } from '../neutron/objects.ts';
import { novaStates, type NovaFlavor, type Server } from './objects.ts';

/**
 * A server as GET shows it at microversion 2.`minor` (recorded: nova_server_get_2_1, _2_47, _2_79, _2_90). Without a
 * host, as while it is built or shelved away, it has no zone.
 */
export function serverView(world: CloudState, server: Server, minor: number, base: string): Json {
  const { id, name, status, tenant_id, metadata, created, updated, accessIPv4, accessIPv6, flavor } = server;
  const { vm_state, power_state } = novaStates[status] ?? { vm_state: status.toLowerCase(), power_state: 0 };
  const hosted = !['BUILD', 'SHELVED_OFFLOADED'].includes(status);
  const since = (from: number, more: Json): Json => (minor >= from ? more : {});
  return {
    ...{ id, name, status, tenant_id, metadata },
    flavor:
      minor >= 47 ? embedded(flavor) : { id: flavor.id, links: [bookmark(base, `flavors/${flavor.id}`)] },
    ...{ created, updated, addresses: addressesOf(world, server), accessIPv4, accessIPv6 },
    links: linksOf(base, `servers/${id}`),
    ...(['ACTIVE', 'BUILD'].includes(status) ? { progress: 0 } : {}),
    'OS-EXT-AZ:availability_zone': hosted ? server.zone : '',
    'OS-SRV-USG:launched_at': status === 'BUILD' ? null : `${created.slice(0, 19)}.000000`,
    'OS-SRV-USG:terminated_at': null,
    'OS-EXT-STS:task_state': null,
    'OS-EXT-STS:vm_state': vm_state,
    'OS-EXT-STS:power_state': power_state,
    ...since(19, { description: null }),
    ...since(26, { tags: server.tags }),
    ...since(90, { 'OS-EXT-SRV-ATTR:hostname': name.toLowerCase() }),
  };
}

/**
 * The addresses of a server by network name: ports in the order in which they were attached, their addresses by the
 * ids of the subnets, floating IPs after all fixed IPs. The state of a port does not matter (tried on the lab).
 */
function addressesOf(world: CloudState, server: Server): Json {
  const networks = new Map<string, { fixed: Json[]; floating: Json[] }>();
  for (const port of world.ports.of('device_id', server.id)) {
    const name = world.networks.byId(port.network_id)?.name ?? '';
    const shown = networks.get(name) ?? { fixed: [], floating: [] };
    networks.set(name, shown);
    const fixed = [...port.fixed_ips].sort((a, b) => (a.subnet_id < b.subnet_id ? -1 : 1));
    shown.fixed.push(...fixed.map((ip) => entry(ip.ip_address, 'fixed', port)));
    const floating = world.floatingips.of('port_id', port.id);
    shown.floating.push(...floating.map((ip) => entry(ip.floating_ip_address, 'floating', port)));
  }
  return Object.fromEntries(
    [...networks].map(([name, { fixed, floating }]) => [name, [...fixed, ...floating]]),
  );
}

const entry = (addr: string, type: 'fixed' | 'floating', port: Port): Json => ({
  version: addr.includes(':') ? 6 : 4,
  addr,
  'OS-EXT-IPS:type': type,
  'OS-EXT-IPS-MAC:mac_addr': port['mac_address'],
});

const embedded = ({ vcpus, ram, disk, name }: NovaFlavor): Json => ({
  ...{ vcpus, ram, disk, ephemeral: 0, swap: 0, original_name: name, extra_specs: {} },
});

/** A server or a flavor as lists without `/detail` show it. */
export const briefView = (kind: string, { id, name }: { id: string; name: string }, base: string): Json => ({
  id,
  name,
  links: linksOf(base, `${kind}/${id}`),
});

export const flavorView = (flavor: NovaFlavor, minor: number, base: string): Json => ({
  ...{ id: flavor.id, name: flavor.name, ram: flavor.ram, disk: flavor.disk, swap: '', vcpus: flavor.vcpus },
  ...{ 'OS-FLV-EXT-DATA:ephemeral': 0, 'OS-FLV-DISABLED:disabled': false },
  ...{ 'os-flavor-access:is_public': true, rxtx_factor: 1, links: linksOf(base, `flavors/${flavor.id}`) },
  ...(minor >= 55 ? { description: null } : {}),
  ...(minor >= 61 ? { extra_specs: {} } : {}),
});

const bookmark = (base: string, path: string): Json => ({ rel: 'bookmark', href: `${base}/${path}` });
export const linksOf = (base: string, path: string): Json[] => [
  { rel: 'self', href: `${base}/v2.1/${path}` },
  bookmark(base, path),
];
