/** A world with one unit of each sort, what happens to all of them at once, and how each of them looks then. */
import type { SandboxInside } from '../../../infra/sandbox/sandbox.ts';
import { CONTROLLER_NAMES, type Config } from '../../../shared/config/config.ts';
import type { Node } from '../../../shared/model/kubernetes.ts';
import type { Report } from '../../../shared/model/outcome.ts';
import type { Key } from '../../../shared/model/request.ts';
import type { Transport } from '../../../shared/openstack/openstack-http.ts';
import type { World } from '../../../shared/ports.ts';
import { reconcile } from '../../../shared/reconcile.ts';
import { sweep } from '../../../shared/sweep.ts';
import { aConfig } from '../../support/config.ts';
import { AUTH_URL, cloudTransport, inProcessWorld } from '../../support/in-process.ts';
import { giveCidr, joinNode, loseServer } from '../../support/nodes.ts';
import { aService } from '../../support/service.ts';
import { aTlsSecret, containerOf } from '../../support/tls-secret.ts';
import { ingressOf, readyOf, serviceOf } from '../../support/told.ts';
import { SILENT } from '../../support/sandbox-world.ts';
import { inVirtualTime } from '../../support/virtual-time.ts';

/** By what each shows. */
const SERVICES = ['external', 'internal', 'fresh', 'gone', 'local', 'pods', 'secret', 'reference'] as const;
const NODES = ['joining', 'lost'] as const;

export const UNIT_NAMES = [...SERVICES, ...NODES, 'routes'] as const;
export type UnitName = (typeof UNIT_NAMES)[number];

export function keyOf(unit: UnitName): Key {
  if (unit === 'routes') return unit;
  return unit === 'joining' || unit === 'lost' ? `node/${unit}` : `service/default/${unit}`;
}

const OWN = 'levelset.openstack.org/';
const INTERNAL = { 'service.beta.kubernetes.io/openstack-internal-load-balancer': 'true' };
const NO_MEMBER = { 'node.kubernetes.io/exclude-from-external-load-balancers': '' };
const HTTPS = [{ name: 'https', port: 443, targetPort: 8443, nodePort: 30_443 }];

export type Isolation = Awaited<ReturnType<typeof startIsolation>>;

/** The world before anything changes, with everything settled. */
export async function startIsolation(manageSecurityGroups: boolean) {
  const inside: SandboxInside = inVirtualTime({ nodes: 2, pendingMs: 0 });
  /** Services that Keystone's catalog leaves out. */
  const withoutEndpoint = new Set<string>();
  const connect = (): World => {
    const transport = leavingOut(withoutEndpoint, cloudTransport(inside));
    return inProcessWorld(inside, configOf(inside, manageSecurityGroups), SILENT, transport);
  };
  let world = connect();
  const it = {
    ...{ inside, withoutEndpoint },
    /** Another process takes over, which knows nothing yet. */
    restart: () => {
      world = connect();
    },
    /** Everything that may happen to units, at once. */
    change: () => {
      change(inside);
    },
    /** Runs what events wake, if they come, then sweeps for two minutes. Returns what was told: reasons of failures, and warnings. */
    work: (events?: 'events come') => work(inside, world, events !== undefined),
    /** The Services whose condition says that members wait. */
    waiting: () => SERVICES.filter((name) => readyOf(inside, name)?.message.includes('waits: ')),
    /** Each unit as people see it, without ids and times. */
    picture: () => pictureOf(inside),
  };
  build(inside);
  const troubles = await it.work();
  if (troubles.length > 0) throw new Error(`the world did not settle: ${troubles.join('; ')}`);
  return it;
}

const configOf = ({ cloud }: SandboxInside, manageSecurityGroups: boolean): Config => ({
  ...aConfig(AUTH_URL, { manageSecurityGroups }),
  ...{ controllers: CONTROLLER_NAMES, deletionPercent: 100 },
  ...{ clusterCidrs: ['10.244.0.0/16'], route: { routerId: cloud.routerId } },
});

/** Keystone's answers without the endpoints of these services. */
function leavingOut(services: ReadonlySet<string>, transport: Transport): Transport {
  const send: Transport['send'] = async (request, limitMs) => {
    const answer = await transport.send(request, limitMs);
    if (!request.url.endsWith('/auth/tokens') || services.size === 0) return answer;
    const body = JSON.parse(answer.text) as { token: { catalog: { type: string }[] } };
    body.token.catalog = body.token.catalog.filter(({ type }) => !services.has(type));
    return { ...answer, text: JSON.stringify(body) };
  };
  return { ...transport, send };
}

function build(inside: SandboxInside): void {
  const { kube, cloud } = inside;
  for (const at of [1, 2]) giveCidr(inside, `node-${at}`, at);
  kube.addNode('lost');
  kube.apply({ kind: 'Node', metadata: { name: 'lost', labels: NO_MEMBER } });
  kube.apply({ kind: 'Secret', ...aTlsSecret('one') });
  podsAt(kube, '10.0.0.31');
  sliceOf(kube, 'local', [{ addresses: ['10.244.1.5'], nodeName: 'node-1' }]);
  const serve = (name: UnitName, spec: object, annotations = {}) =>
    kube.apply(aService({ name, spec: { ...spec }, annotations }));
  serve('external', { ports: portsAt(80, 81) });
  serve('internal', { ports: portsAt(80, 81) }, INTERNAL);
  serve('gone', { ports: portsAt(80) });
  serve('local', { externalTrafficPolicy: 'Local', healthCheckNodePort: 31_000, ports: portsAt(80) });
  const ports = [{ name: 'http', port: 80, targetPort: 8080 }];
  serve('pods', { allocateLoadBalancerNodePorts: false, ports });
  serve('reference', { ports: HTTPS }, { [`${OWN}tls-container-refs`]: containerOf('two', inside) });
  // a port of its own keeps a server from being the last one that Nova shows
  cloud.addNovaServer('unrelated');
}

const portsAt = (...ports: readonly number[]): readonly object[] =>
  ports.map((port) => ({ name: `http-${port}`, port, targetPort: 8080, nodePort: 30_000 + port }));

function podsAt(kube: SandboxInside['kube'], ...addresses: readonly string[]): void {
  const endpoints = addresses.map((ip, at) => {
    const name = `pods-${at}`;
    const status = { podIP: ip, podIPs: [{ ip }] };
    const { metadata } = kube.apply({ kind: 'Pod', metadata: { name, labels: { app: 'pods' } }, status });
    return { addresses: [ip], targetRef: { kind: 'Pod', namespace: 'default', name, uid: metadata.uid } };
  });
  sliceOf(kube, 'pods', endpoints);
}

function sliceOf(kube: SandboxInside['kube'], service: string, endpoints: readonly object[]): void {
  kube.apply({
    kind: 'EndpointSlice',
    metadata: { name: `${service}-x7k2p`, labels: { 'kubernetes.io/service-name': service } },
    ...{ addressType: 'IPv4', ports: [{ name: 'http', port: 8080, protocol: 'TCP' }] },
    endpoints: endpoints.map((endpoint) => ({ conditions: { ready: true }, ...endpoint })),
  });
}

function change(inside: SandboxInside): void {
  const { kube } = inside;
  const spec = { ports: portsAt(80, 82), loadBalancerSourceRanges: ['192.0.2.0/24'] };
  for (const name of ['external', 'internal']) kube.apply(aService({ name, spec }));
  kube.apply(aService({ name: 'fresh', spec: { ports: portsAt(80) } }));
  const annotations = { [`${OWN}tls-secret`]: 'web-tls' };
  kube.apply(aService({ name: 'secret', annotations, spec: { ports: HTTPS } }));
  kube.delete('Service', 'default', 'gone');
  podsAt(kube, '10.0.0.31', '10.0.0.32');
  sliceOf(kube, 'local', [{ addresses: ['10.244.2.5'], nodeName: 'node-2' }]);
  // a Node that every load balancer and a route lead to, and that needs nothing of a cloud controller
  kube.addNode('node-3');
  giveCidr(inside, 'node-3', 3);
  joinNode(inside, 'joining');
  kube.apply({ kind: 'Node', metadata: { name: 'joining', labels: NO_MEMBER } });
  loseServer(inside, 'lost');
}

const BUDGET = { remainingMs: (): number => 60_000 };

/** Looks at units and sweeps until two minutes later nothing is left that levelset could do. */
async function work(inside: SandboxInside, world: World, events: boolean): Promise<readonly string[]> {
  const told = new Set<string>();
  const run = async (key: Key, trigger: 'audit' | 'sweep'): Promise<Report> => {
    for (let again = 0; ; again += 1) {
      const report = await reconcile({ key, trigger: again === 0 ? trigger : 'requeue' }, world, BUDGET);
      const { outcome } = report;
      if (outcome.status !== 'progressing' || outcome.retryAfterMs > 20_000 || again === 12) {
        if (outcome.status === 'failed') told.add(`${key}: ${outcome.message}`);
        else if (outcome.status !== 'settled') told.add(`${key}: ${outcome.reason}`);
        return report;
      }
      inside.advanceClock(1_000);
    }
  };
  if (events) for (const unit of UNIT_NAMES) await run(keyOf(unit), 'audit');
  let done = 1;
  for (let sweeps = 0; sweeps < 3 || (done > 0 && sweeps < 6); sweeps += 1) {
    inside.advanceClock(61_000);
    const found = await sweep(world);
    for (const warning of found.warnings) told.add(warning);
    if (found.failed !== undefined) told.add(`the sweep failed: ${found.failed}`);
    done = 0;
    for (const { key } of found.requests) done += (await run(key, 'sweep')).applied.length;
  }
  return [...told];
}

function pictureOf(inside: SandboxInside): Readonly<Record<UnitName, unknown>> {
  const services = SERVICES.map((name) => [name, serviceIn(inside, name)]);
  const nodes = NODES.map((name) => [name, nodeIn(inside, name)]);
  const all = [...services, ...nodes, ['routes', routesIn(inside)]];
  return Object.fromEntries(all) as Record<UnitName, unknown>;
}

function serviceIn(inside: SandboxInside, name: string): unknown {
  const { cloud } = inside;
  const service = serviceOf(inside, name);
  const tag = `levelset-name=default/${name}`;
  const lbs = cloud.loadbalancers.filter(({ tags }) => tags.includes(tag));
  const ips = cloud.floatingips.filter(({ description }) => description.includes(`default/${name} `));
  const addresses = [...lbs.map((lb) => lb.vip_address), ...ips.map((ip) => ip.floating_ip_address)];
  return {
    isThere: service !== undefined,
    ready: service?.status?.conditions?.map((one) => `${one.type} ${one.status}`),
    published: ingressOf(inside, name).map(({ ip }) => addresses.indexOf(ip ?? '')),
    floatingIPs: ips.map(({ port_id: port }) => lbs.some((lb) => lb.vip_port_id === port)),
    groups: cloud.securityGroups
      .filter(({ tags }) => tags.includes(tag))
      .map(({ id }) => cloud.ports.filter((port) => port.security_groups.includes(id)).length),
    certificates: cloud.secrets.filter((secret) => secret.name.includes(`default/${name}`)).length,
    loadBalancers: lbs.map(({ id }) =>
      cloud.listeners
        .filter((listener) => listener.loadbalancer_id === id)
        .map((listener) => ({
          port: `${listener.protocol} ${listener.protocol_port}`,
          from: listener['allowed_cidrs'],
          tls: typeof listener['default_tls_container_ref'] === 'string',
          members: cloud.members
            .filter((member) => member.pool_id === listener.default_pool_id)
            .map((one) => `${one.address}:${one.protocol_port}${one['backup'] === true ? ' backup' : ''}`)
            .sort(),
          monitors: cloud.healthmonitors.filter(({ pool_id }) => pool_id === listener.default_pool_id).length,
        }))
        .sort((a, b) => (a.port < b.port ? -1 : 1)),
    ),
    pools: cloud.pools.filter((pool) => lbs.some(({ id }) => pool.loadbalancer_id === id)).length,
  };
}

function nodeIn({ kube }: SandboxInside, name: string): unknown {
  const node = kube.get('Node', undefined, name) as Node | undefined;
  return {
    isThere: node !== undefined,
    taints: (node?.spec?.taints ?? []).map(({ key }) => key).sort(),
    isKnown: node?.spec?.providerID !== undefined,
    addresses: (node?.status?.addresses ?? []).map(({ type }) => type).sort(),
    labels: Object.keys(node?.metadata.labels ?? {}).sort(),
  };
}

function routesIn({ cloud, kube }: SandboxInside): unknown {
  const conditions = (kube.list('Node') as unknown as Node[]).map(({ metadata, status }) => {
    const network = status?.conditions?.find(({ type }) => type === 'NetworkUnavailable');
    return `${metadata.name} ${network?.status ?? 'none'}`;
  });
  const pairs = cloud.ports.filter((port) => ((port['allowed_address_pairs'] ?? []) as unknown[]).length > 0);
  return {
    routes: cloud.routers.flatMap(({ routes }) => routes.map(({ destination }) => destination)).sort(),
    pairs: pairs.length,
    conditions: conditions.filter((text) => text.startsWith('node-')).sort(),
  };
}
