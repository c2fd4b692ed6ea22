import type { Answer, Call } from '../http-front.ts';
import { asJson, asList, asText, type Json } from '../json.ts';
import { neutronError } from '../refusal.ts';
import type { CloudWorld } from './cloud-world.ts';
import { listQuery } from './list-query.ts';
import { createFloatingIp, updateFloatingIp } from './neutron-floating-ips.ts';
import { deletePort } from './neutron-ports.ts';
import type { NeutronObject } from './neutron-objects.ts';

interface Collection {
  readonly one: string;
  readonly type: string;
  readonly title: string;
  readonly items: readonly NeutronObject[];
}

/** Neutron v2.0 as the lab's (21.0.0), as far as load balancers need it. */
export function neutronAnswer(
  world: CloudWorld,
  call: Call,
  path: string,
  projectId: string,
  base: string,
): Answer {
  if (path === '/' || path === '') {
    const link = { rel: 'self', href: `${base}/v2.0/` };
    return { status: 200, body: { versions: [{ id: 'v2.0', status: 'CURRENT', links: [link] }] } };
  }
  const [, version, name = '', id, sub, tag] = path.replace(/\.json$/, '').split('/');
  if (version !== 'v2.0') throw notFound();
  if (name === 'quotas' && id !== undefined) return quotas(world, id, sub, projectId);
  const collection = collections(world, projectId)[name];
  if (!collection) throw notFound();
  if (id === undefined || id === '') {
    if (call.method === 'POST' && name === 'floatingips') {
      return createFloatingIp(world, projectId, asJson(asJson(call.body)['floatingip']));
    }
    if (call.method !== 'GET') throw notFound();
    return list(name, collection.items, call.query, base + path);
  }
  const object = collection.items.find((one) => one.id === id);
  if (!object)
    throw neutronError(404, collection.type, `${collection.title} ${id} could not be found${dot(name)}`);
  if (sub === 'tags') return tags(world, call, object, tag);
  if (call.method === 'GET') return { status: 200, body: { [collection.one]: object } };
  if (call.method === 'DELETE' && name === 'ports') {
    deletePort(world, id);
    return { status: 204 };
  }
  const ip = world.floatingips.find((one) => one.id === id);
  if (!ip)
    throw neutronError(
      403,
      'PolicyNotAuthorized',
      `rule:${call.method.toLowerCase()} is disallowed by policy`,
    );
  const revision = /revision_number=(\d+)/.exec(asText(call.headers['if-match']))?.[1];
  if (revision !== undefined && Number(revision) !== ip.revision_number) {
    const text = `Constrained to ${revision}, but current revision is ${ip.revision_number}`;
    throw neutronError(412, 'RevisionNumberConstraintFailed', text);
  }
  if (call.method === 'PUT') return updateFloatingIp(world, ip, asJson(asJson(call.body)['floatingip']));
  if (call.method !== 'DELETE') throw notFound();
  world.floatingips.splice(world.floatingips.indexOf(ip), 1);
  return { status: 204 };
}

/** What a plain member sees: its own things, and external networks with nothing of their subnets' owners. */
function collections(world: CloudWorld, projectId: string): Record<string, Collection> {
  const own = <T extends NeutronObject>(items: readonly T[]): T[] =>
    items.filter((one) => one.project_id === projectId);
  const external = world.networks.filter((one) => one['router:external']);
  const group = {
    name: 'default',
    security_group_rules: [],
    stateful: true,
    updated_at: '',
    revision_number: 1,
    tags: [],
  };
  const securityGroup = {
    ...group,
    id: projectId,
    tenant_id: projectId,
    project_id: projectId,
    description: 'Default security group',
  };
  const collection = (
    one: string,
    type: string,
    title: string,
    items: readonly NeutronObject[],
  ): Collection => ({ one, type, title, items });
  const networks = [...external, ...own(world.networks)];
  const seen = world.subnets.filter((one) => networks.some((network) => network.id === one.network_id));
  return {
    networks: collection('network', 'NetworkNotFound', 'Network', networks),
    subnets: collection('subnet', 'SubnetNotFound', 'Subnet', seen),
    ports: collection('port', 'PortNotFound', 'Port', own(world.ports)),
    floatingips: collection('floatingip', 'FloatingIPNotFound', 'Floating IP', own(world.floatingips)),
    'security-groups': collection('security_group', 'SecurityGroupNotFound', 'Security group', [
      securityGroup,
    ]),
  };
}

/** Unknown filters are ignored and a filter given twice means either (both tried on the lab). */
function list(name: string, items: readonly NeutronObject[], query: URLSearchParams, self: string): Answer {
  const known = new Set(items.flatMap((one) => Object.keys(one)));
  const asked = new URLSearchParams(
    [...query].filter(
      ([key]) => known.has(key) || /^(limit|marker|fields|(not-)?tags(-any)?|fixed_ips)$/.test(key),
    ),
  );
  const fixedIps = (item: Json, value: string): boolean => {
    const [key = '', wanted] = value.split('=');
    return asList(item['fixed_ips']).some((ip) => asJson(ip)[key] === wanted);
  };
  const extra = { fixed_ips: fixedIps };
  const refuse = (): Error => neutronError(400, 'HTTPBadRequest', 'Invalid filter');
  const page = listQuery(items, asked, [...known], { extra, refuse }, self);
  const key = name.replace('-', '_');
  const links = query.has('limit') ? { [`${key}_links`]: page.links } : {};
  return { status: 200, body: { [key]: page.items, ...links } };
}

/** Tags are a resource of their own below the object: PUT replaces all or adds one, DELETE takes off. */
function tags(world: CloudWorld, call: Call, object: NeutronObject, tag: string | undefined): Answer {
  const name = tag === undefined ? undefined : decodeURIComponent(tag);
  const has = name !== undefined && object.tags.includes(name);
  if (call.method === 'GET') {
    if (name === undefined) return { status: 200, body: { tags: object.tags } };
    if (has) return { status: 204 };
    throw neutronError(404, 'TagNotFound', `Tag ${name} could not be found.`);
  }
  if (call.method === 'DELETE' && name !== undefined && !has) {
    throw neutronError(404, 'TagNotFound', `Tag ${name} could not be found.`);
  }
  object.revision_number += 1;
  object.updated_at = world.clock.seconds();
  if (call.method === 'DELETE') {
    object.tags = name === undefined ? [] : object.tags.filter((one) => one !== name);
    return { status: 204 };
  }
  if (name === undefined) {
    object.tags = [...new Set(asList(asJson(call.body)['tags']).map(asText))];
    return { status: 200, body: { tags: object.tags } };
  }
  if (!has) object.tags = [...object.tags, name];
  return { status: 201, body: null };
}

function quotas(world: CloudWorld, id: string, sub: string | undefined, projectId: string): Answer {
  if (id !== projectId) {
    const text =
      'User does not have admin privileges: Only admin is authorized to access quotas for another project.';
    throw neutronError(403, 'AdminRequired', text);
  }
  const used = (items: readonly NeutronObject[]): number =>
    items.filter((one) => one.project_id === projectId).length;
  const limits = {
    ...world.quotas,
    network: 100,
    subnet: 100,
    router: 10,
    security_group: 500,
    security_group_rule: 5000,
  };
  const { port, floatingip, network, subnet, router, security_group, security_group_rule } = limits;
  const plain = { network, subnet, port, router, floatingip, security_group, security_group_rule };
  if (sub !== 'details') return { status: 200, body: { quota: plain } };
  const counts: Record<string, number> = {
    port: used(world.ports),
    floatingip: used(world.floatingips),
    network: 1,
    subnet: 2,
  };
  const detail = Object.entries(plain).map(([name, limit]) => [
    name,
    { limit, used: counts[name] ?? 1, reserved: 0 },
  ]);
  return { status: 200, body: { quota: Object.fromEntries(detail) as Json } };
}

const dot = (name: string): string => (name === 'floatingips' ? '' : '.');
const notFound = (): Error => neutronError(404, 'HTTPNotFound', 'The resource could not be found.');
