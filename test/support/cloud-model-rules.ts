import { ReconcileError } from '../../shared/model/errors.ts';
import type { Attributes, CloudKind } from '../../shared/model/resources.ts';
import { checkRule } from './cloud-model-groups.ts';
import type { CloudModel, Wire } from './cloud-model.ts';
import { checkListenerTls, checkPoolTls, checkSecret, LISTENER_TLS, POOL_TLS } from './cloud-model-tls.ts';

/** What a PUT may carry (Octavia API v2 and Networking API v2.0, "Update ..."). */
const MUTABLE: Readonly<Record<CloudKind, readonly string[]>> = {
  loadbalancer: ['name', 'description', 'admin_state_up', 'tags', 'vip_qos_policy_id', 'vip_sg_ids'],
  listener: [
    ...[
      'name',
      'admin_state_up',
      'allowed_cidrs',
      'connection_limit',
      'default_pool_id',
      'tags',
      'insert_headers',
    ],
    ...['timeout_client_data', 'timeout_member_connect', 'timeout_member_data', 'timeout_tcp_inspect'],
    ...LISTENER_TLS,
  ],
  pool: ['name', 'lb_algorithm', 'admin_state_up', 'session_persistence', 'tags', ...POOL_TLS],
  member: ['name', 'monitor_port', 'admin_state_up', 'tags', 'weight', 'backup'],
  healthmonitor: [
    ...['name', 'delay', 'timeout', 'max_retries', 'max_retries_down', 'admin_state_up'],
    ...['http_method', 'http_version', 'domain_name', 'url_path', 'expected_codes', 'tags'],
  ],
  l7policy: ['name', 'action', 'redirect_prefix', 'redirect_http_code', 'position', 'admin_state_up', 'tags'],
  l7rule: ['type', 'compare_type', 'value', 'admin_state_up'],
  floatingip: ['port_id', 'description', 'tags'],
  secret: [],
  securitygroup: ['name', 'description', 'tags'],
  securitygrouprule: [],
  port: [],
  router: [],
};

export function checkUpdate(cloud: CloudModel, kind: CloudKind, wire: Wire, attributes: Attributes): void {
  const names = Object.keys(attributes);
  if (names.length === 0) throw refused(`an empty PUT of ${kind}`);
  for (const name of names) if (!MUTABLE[kind].includes(name)) throw refused(`Unknown attribute: ${name}`);
  if (kind === 'listener') checkListener(cloud, { ...wire, ...attributes });
  if (kind === 'pool') checkPoolTls(cloud, { ...wire, ...attributes });
  if (kind === 'healthmonitor') checkMonitor(cloud, { ...wire, ...attributes });
  if (kind === 'floatingip' && attributes['port_id']) checkPort(cloud, attributes['port_id'], wire.id);
}

export function checkCreate(cloud: CloudModel, kind: CloudKind, attributes: Attributes): void {
  switch (kind) {
    case 'loadbalancer': {
      const subnet = attributes['vip_subnet_id'];
      if (attributes['vip_port_id'] !== undefined) return;
      if (subnet !== undefined) exists(cloud, 'subnet', subnet);
      else if (attributes['vip_network_id'] === undefined) throw refused('no VIP subnet, network or port');
      checkVips(cloud, attributes);
      return;
    }
    case 'listener':
      exists(cloud, 'loadbalancer', attributes['loadbalancer_id']);
      checkListenerPort(cloud, attributes);
      checkListener(cloud, attributes);
      return;
    case 'pool':
      exists(cloud, 'loadbalancer', attributes['loadbalancer_id']);
      if (!attributes['name']) throw refused('a nested pool needs a name');
      checkPoolTls(cloud, attributes);
      checkMembers((attributes['members'] ?? []) as readonly Attributes[]);
      return;
    case 'member': {
      exists(cloud, 'pool', attributes['pool_id']);
      const same = ['pool_id', 'address', 'protocol_port'];
      const twin = cloud.all('member').some((one) => same.every((name) => one[name] === attributes[name]));
      if (twin)
        throw new ReconcileError('CONFLICT', 'Another member on this pool is already using that address');
      return;
    }
    case 'healthmonitor': {
      exists(cloud, 'pool', attributes['pool_id']);
      const second = cloud.all('healthmonitor').some((one) => one['pool_id'] === attributes['pool_id']);
      if (second) throw new ReconcileError('CONFLICT', 'This pool already has a health monitor');
      checkMonitor(cloud, attributes);
      if (!String(attributes['type']).startsWith('HTTP') && attributes['url_path'] !== undefined)
        throw refused(`url_path is not a valid option for ${String(attributes['type'])}`);
      return;
    }
    case 'l7policy': {
      const on = exists(cloud, 'listener', attributes['listener_id']);
      if (on['protocol'] !== 'HTTP') throw refused('an L7 policy needs an HTTP listener');
      return;
    }
    case 'l7rule':
      exists(cloud, 'l7policy', attributes['l7policy_id']);
      return;
    case 'secret':
      checkSecret(attributes);
      return;
    case 'floatingip':
      exists(cloud, 'network', attributes['floating_network_id']);
      if (attributes['tags'] !== undefined) throw refused("Attribute 'tags' not allowed in POST");
      checkPort(cloud, attributes['port_id'], undefined);
      return;
    case 'securitygroup':
      if (attributes['tags'] !== undefined) throw refused("Attribute 'tags' not allowed in POST");
      return;
    case 'securitygrouprule':
      checkRule(cloud, attributes);
      return;
    case 'port':
    case 'router':
      throw refused('nobody makes ports here');
  }
}

/** The same member twice in one call locks Octavia for ever (docs/sources/openstack.md, "A member listed twice"). */
export function checkMembers(members: readonly Attributes[]): void {
  const places = members.map(({ address, protocol_port }) => `${String(address)}:${String(protocol_port)}`);
  if (new Set(places).size < places.length) throw refused(`a member twice in one call: ${places.join(', ')}`);
}

/** TCP and its relatives share a port; UDP and SCTP have their own. */
function checkListenerPort(cloud: CloudModel, attributes: Attributes): void {
  const layer = (one: Attributes): unknown =>
    ['UDP', 'SCTP'].includes(String(one['protocol'])) ? one['protocol'] : 'TCP';
  const twin = cloud
    .all('listener')
    .some(
      (one) =>
        one['loadbalancer_id'] === attributes['loadbalancer_id'] &&
        one['protocol_port'] === attributes['protocol_port'] &&
        layer(one) === layer(attributes),
    );
  if (twin)
    throw new ReconcileError('CONFLICT', 'Another Listener on this Load Balancer is already using that port');
}

/** Which pools a listener takes (docs/sources/openstack.md, "Pools of a listener"). */
const FITS: Readonly<Record<string, readonly string[]>> = {
  TCP: ['TCP', 'HTTP', 'HTTPS', 'PROXY', 'PROXYV2'],
  HTTP: ['HTTP', 'PROXY', 'PROXYV2'],
  HTTPS: ['HTTPS', 'TCP', 'PROXY', 'PROXYV2'],
  TERMINATED_HTTPS: ['HTTP', 'PROXY', 'PROXYV2'],
  UDP: ['UDP'],
  SCTP: ['SCTP'],
};

function checkListener(cloud: CloudModel, attributes: Attributes): void {
  checkListenerTls(cloud, attributes);
  const pool = attributes['default_pool_id'];
  if (typeof pool === 'string') {
    const found = exists(cloud, 'pool', pool);
    if (!FITS[String(attributes['protocol'])]?.includes(String(found['protocol'])))
      throw refused('pool and listener protocol do not fit');
    if (found['loadbalancer_id'] !== attributes['loadbalancer_id'])
      throw refused('pool of another load balancer');
  }
  for (const cidr of (attributes['allowed_cidrs'] ?? []) as readonly string[]) {
    if (!/^[0-9.]+\/\d+$/.test(cidr)) throw refused(`CIDR ${cidr} IP version incompatible with VIP`);
  }
}

/** One address per subnet, all subnets of one network. */
function checkVips(cloud: CloudModel, attributes: Attributes): void {
  const additional = (attributes['additional_vips'] ?? []) as readonly Attributes[];
  const ids = [attributes['vip_subnet_id'], ...additional.map(({ subnet_id }) => subnet_id)];
  if (new Set(ids).size < ids.length) throw refused('Duplicate VIP subnet(s) specified');
  const networks = ids.flatMap((id) => (id === undefined ? [] : [exists(cloud, 'subnet', id)['network_id']]));
  if (new Set(networks).size > 1) throw refused('All VIP subnets must belong to the same network');
}

function checkMonitor(cloud: CloudModel, attributes: Attributes): void {
  const { protocol } = exists(cloud, 'pool', attributes['pool_id']);
  const type = String(attributes['type']);
  if (protocol === 'UDP' && !['UDP-CONNECT', 'SCTP', 'TCP', 'HTTP'].includes(type))
    throw refused(`${type} on UDP`);
  if (protocol === 'TCP' && ['UDP-CONNECT', 'SCTP'].includes(type)) throw refused(`${type} on TCP`);
  if (type === 'UDP-CONNECT' && Number(attributes['delay']) < 3)
    throw refused('delay too short for UDP-CONNECT');
}

function checkPort(cloud: CloudModel, port: unknown, except: string | undefined): void {
  if (!cloud.all('loadbalancer').some((one) => one['vip_port_id'] === port)) throw refused('no such port');
  const taken = cloud.all('floatingip').some((one) => one['port_id'] === port && one.id !== except);
  if (taken) throw new ReconcileError('CONFLICT', 'that port already has a floating IP');
}

function exists(
  cloud: CloudModel,
  kind: 'loadbalancer' | 'listener' | 'l7policy' | 'pool' | 'subnet' | 'network',
  id: unknown,
): Wire {
  const found = cloud.all(kind).find((one) => one.id === id);
  if (!found) throw new ReconcileError('GONE', `${kind} ${String(id)} could not be found`);
  return found;
}

function refused(message: string): ReconcileError {
  return new ReconcileError('REJECTED', message);
}
