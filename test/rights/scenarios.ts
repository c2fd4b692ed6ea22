/** The smallest scenarios that need a right: each row of the tables of rights names one of these. */
import type { SandboxInside } from '../../infra/sandbox/sandbox.ts';
import { createPort } from '../../infra/sandbox/openstack/neutron/ports.ts';
import { CONTROLLER_NAMES, type Config } from '../../shared/config/config.ts';
import { giveCidr, joinNode, loseServer } from '../support/nodes.ts';
import { aService } from '../support/service.ts';
import { aTlsSecret, containerOf } from '../support/tls-secret.ts';
import type { Scenario } from './live.ts';

type Change = (inside: SandboxInside) => void;

const OWN = 'levelset.openstack.org/';
const SHARED = 'loadbalancer.openstack.org/';
const INTERNAL = 'service.beta.kubernetes.io/openstack-internal-load-balancer';
const EXTERNAL = { [INTERNAL]: 'false' };
const PLAIN = { name: 'http', port: 80, targetPort: 8080 };
const HTTP = { ...PLAIN, nodePort: 30_080 };
const DNS = { name: 'dns', port: 53, targetPort: 53, nodePort: 30_053, protocol: 'UDP' };
const QOS = 'aaaaaaaa-0000-4000-8000-000000000001';
/** Lists are in the order of ids. */
const LAST = 'ffffffff-0000-4000-8000-000000000001';

/** An internal Service; an annotation that is undefined is taken away. */
const web =
  (annotations: Readonly<Record<string, string | undefined>> = {}, spec: object = {}): Change =>
  ({ kube }) => {
    const asked: typeof annotations = { [INTERNAL]: 'true', ...annotations };
    // a merge patch takes away what is null
    const nulled = Object.fromEntries(Object.entries(asked).map(([key, value]) => [key, value ?? null]));
    kube.apply(aService({ annotations: nulled as Record<string, string>, spec: { ports: [HTTP], ...spec } }));
  };
const external = web(EXTERNAL);
const nothing: Change = () => undefined;
const deleted: Change = ({ kube }) => {
  kube.delete('Service', 'default', 'web');
};
const without =
  (kind: 'loadbalancers' | 'floatingips' | 'secrets'): NonNullable<Scenario['missing']> =>
  ({ inside: { cloud } }) =>
    cloud[kind].length > 0 && `${kind} are left`;

const secured: Change = (inside) => {
  inside.kube.apply({ kind: 'Secret', ...aTlsSecret('one') });
  web({ [`${OWN}tls-secret`]: 'web-tls' })(inside);
};
const twoPorts = web({}, { ports: [HTTP, DNS] });
const managed = { manageSecurityGroups: true };
const monitored = { createMonitor: true };
const HTTP_ONLY = { [`${OWN}protocol`]: 'http' };
const redirects = (host = 'app.example.org'): Change =>
  web({ ...HTTP_ONLY, [`${OWN}redirect-http`]: 'true', [`${OWN}redirect-host`]: host });

const container: Change = (inside) => {
  const reference = containerOf('rsa', inside);
  web({ [`${OWN}tls-container-refs`]: reference.split('/').at(-1) })(inside);
};

const nodes = { config: () => ({ controllers: CONTROLLER_NAMES }) };
const routes = {
  config: ({ cloud }: SandboxInside): Partial<Config> => ({
    controllers: ['node-route-controller'],
    clusterCidrs: ['10.244.0.0/16'],
    route: { routerId: cloud.routerId },
  }),
  wakes: ['routes'],
} as const;
const routed: Change = (inside) => {
  giveCidr(inside, 'node-1', 1);
};

export const SCENARIOS: Readonly<Record<string, Scenario>> = {
  'an internal Service': {
    act: web(),
    missing: ({ inside: { kube } }) =>
      !kube.list('ConfigMap').some(({ metadata: { name } }) => name.startsWith('levelset-state-')) &&
      'no state is kept',
  },
  'the page of an internal Service': { act: web(), looks: true },
  'an internal Service with a health monitor, where all is limited': {
    loadBalancer: monitored,
    act: (inside) => {
      const limits = { load_balancer: 9, listener: 99, pool: 99, member: 999, health_monitor: 99 };
      Object.assign(inside.cloud.quotas, limits);
      web()(inside);
    },
  },
  'a Service': { act: external },
  'a Service, deleted': { before: [external], act: deleted, missing: without('floatingips') },
  'an internal Service, deleted': {
    pendingMs: 300,
    before: [web()],
    act: deleted,
    missing: without('loadbalancers'),
  },
  'a floating IP that was there': {
    act: (inside) => {
      const { floating_ip_address: loadBalancerIP } = inside.cloud.addFloatingIp();
      web(EXTERNAL, { loadBalancerIP })(inside);
    },
  },
  'an internal Service on an Octavia that has no limit of its own for the project': {
    act: (inside) => {
      Object.assign(inside.cloud.quotas, { l7rule: null });
      web()(inside);
    },
  },
  'a load balancer that somebody deleted': {
    before: [web()],
    act: ({ cloud }) => {
      for (const { id } of cloud.loadbalancers) cloud.removeLoadBalancer(id);
    },
  },
  'floating-subnet by its name': {
    act: web({ ...EXTERNAL, [`${SHARED}floating-subnet`]: 'public-*' }),
  },
  'network-id': {
    act: (inside) => {
      const network = inside.cloud.networks.find(({ name }) => name === 'private');
      web({ [`${SHARED}network-id`]: network?.id })(inside);
    },
  },
  'port-id': {
    act: (inside) => {
      const { cloud } = inside;
      const subnet = cloud.subnets.find(({ cidr }) => cidr.startsWith('10.'));
      const subnets = [{ id: subnet?.id ?? '', address: undefined }];
      const { projectId } = cloud;
      const device = { deviceId: '', deviceOwner: '', projectId, securityGroups: [] };
      const port = createPort(cloud, { name: 'vip', up: true, subnets, ...device });
      web({ [`${SHARED}port-id`]: port.id })(inside);
    },
  },
  'a flavor by its name': {
    act: (inside) => {
      inside.cloud.flavors.push({ id: inside.cloud.newId(), name: 'large', description: '', enabled: true });
      web({ [`${OWN}flavor`]: 'large' })(inside);
    },
  },
  'an availability zone': {
    act: (inside) => {
      inside.cloud.availabilityZones.push({ name: 'az1', description: '', enabled: true });
      web({ [`${SHARED}availability-zone`]: 'az1' })(inside);
    },
  },
  'a QoS policy': {
    before: [web()],
    act: (inside) => {
      const { qosPolicies, projectId: project_id } = inside.cloud;
      qosPolicies.push({ id: QOS, name: 'slow', project_id } as never);
      web({ [`${OWN}vip-qos-policy-id`]: QOS })(inside);
    },
  },
  'a port more': { before: [web()], act: twoPorts },
  'a port less': { before: [twoPorts], act: web() },
  'a port more with a health monitor': { loadBalancer: monitored, before: [web()], act: twoPorts },
  'source ranges': { before: [web()], act: web({}, { loadBalancerSourceRanges: ['192.0.2.0/24'] }) },
  'session affinity': { before: [web()], act: web({}, { sessionAffinity: 'ClientIP' }) },
  'another delay of the health monitor': {
    loadBalancer: monitored,
    before: [web()],
    act: web({ [`${SHARED}health-monitor-delay`]: '9' }),
  },
  'the health monitor switched off': {
    loadBalancer: monitored,
    before: [web()],
    act: web({ [`${SHARED}enable-health-monitor`]: 'false' }),
  },
  'a Node more': { before: [web()], act: ({ kube }) => void kube.addNode('node-9') },
  'a Node less': {
    before: [web()],
    act: ({ kube }) => {
      kube.removeNode('node-2');
    },
  },
  'a Node in the place of another': {
    before: [web()],
    act: ({ kube }) => {
      kube.addNode('node-9');
      kube.removeNode('node-2');
    },
  },
  'a Pod on one of two Nodes of a Service with externalTrafficPolicy Local': {
    before: [web({}, { externalTrafficPolicy: 'Local' })],
    act: ({ kube }) => {
      kube.apply({
        kind: 'EndpointSlice',
        addressType: 'IPv4',
        metadata: { name: 'web-x7k2p', labels: { 'kubernetes.io/service-name': 'web' } },
        endpoints: [{ addresses: ['10.244.0.1'], nodeName: 'node-1', conditions: { ready: true } }],
      });
    },
  },
  'a redirect': { before: [web(HTTP_ONLY)], act: redirects() },
  'a redirect to another host': { before: [redirects()], act: redirects('www.example.org') },
  'a redirect less': { before: [redirects()], act: web({ ...HTTP_ONLY, [`${OWN}redirect-http`]: 'false' }) },
  'a redirect whose rule somebody changed': {
    before: [redirects()],
    act: ({ cloud }) => {
      for (const rule of cloud.l7rules) rule['value'] = '/else';
    },
    missing: ({ inside: { cloud } }) => cloud.l7rules.some(({ value }) => value === '/else') && 'it stays',
  },
  'a redirect to whose rules somebody added one': {
    before: [redirects()],
    act: ({ cloud }) => {
      const [rule] = cloud.l7rules;
      if (rule) cloud.l7rules.push({ ...rule, id: LAST, value: '/else' });
    },
    missing: ({ inside: { cloud } }) => cloud.l7rules.length > 1 && 'it stays',
  },
  'a load balancer in ERROR, failed over': {
    octavia: { failover: 'mends' },
    before: [web()],
    act: ({ cloud }) => {
      for (const { id } of cloud.loadbalancers) cloud.setStatus(id, 'ERROR');
    },
  },
  'security groups': { loadBalancer: managed, act: web() },
  'security groups, and the Service deleted': {
    loadBalancer: managed,
    before: [web()],
    act: deleted,
    missing: without('loadbalancers'),
  },
  'security groups, a port less': { loadBalancer: managed, before: [twoPorts], act: web() },
  'a certificate of a Secret': { password: true, act: secured },
  'a Service with a certificate of a Secret, deleted': {
    before: [secured],
    act: deleted,
    missing: without('secrets'),
  },
  'a Service with a certificate of Barbican': { before: [container], act: nothing },
  'a Service whose certificate of Barbican ends soon': {
    before: [container],
    act: ({ clock }) => {
      clock.advance(Date.UTC(2126, 9, 20) - clock.millis());
    },
    missing: ({ told }) => !told.includes('expires on') && 'nobody hears that the certificate ends',
  },
  'a Service with the reference of a secret': {
    before: [secured],
    act: (inside) => {
      const [secret] = inside.cloud.secrets;
      web({ [`${OWN}tls-secret`]: undefined, [`${OWN}tls-container-refs`]: secret?.id })(inside);
    },
  },
  'a Node that joins': {
    ...nodes,
    act: (inside) => void joinNode(inside, 'joining'),
    wakes: ['node/joining'],
    missing: ({ inside: { kube } }) => kube.list('Event').length === 0 && 'there is no Event',
  },
  'a Node that joins on an old Nova': {
    ...nodes,
    act: (inside) => {
      joinNode(inside, 'joining');
      const match = { side: 'openstack', path: /servers/ } as const;
      inside.fault({ match, kind: 'fail-before', status: 406, times: 1 });
    },
    wakes: ['node/joining'],
  },
  'a Node whose server is gone': {
    ...nodes,
    before: [({ kube }) => void kube.addNode('lost')],
    act: (inside) => {
      loseServer(inside, 'lost');
    },
    wakes: ['node/lost'],
    missing: ({ inside: { kube } }) =>
      kube.get('Node', undefined, 'lost') !== undefined && 'the Node is left',
  },
  'a sweep with nothing to do': {
    before: [web(), nothing],
    act: nothing,
    wakes: [],
    missing: ({ requests }) =>
      requests.some(({ path }) => path.endsWith('/services/web')) &&
      'a Service that is as desired is run again',
  },
  'a pool that somebody changed, where drift is reported': {
    before: [web({ [`${OWN}drift`]: 'report' }), nothing],
    act: ({ cloud, clock }) => {
      for (const pool of cloud.pools) pool['lb_algorithm'] = 'LEAST_CONNECTIONS';
      for (const lb of cloud.loadbalancers) lb.updated_at = cloud.octaviaTime();
      clock.advance(1_000);
    },
    wakes: [],
  },
  'a Service with the same Event again': {
    before: [web(), twoPorts, web()],
    act: twoPorts,
    missing: ({ inside: { kube } }) =>
      !kube.list('Event').some(({ count }) => Number(count) > 1) && 'no Event is counted',
  },
  'a Service as it was before regions were recorded': {
    before: [web()],
    act: ({ kube }) => {
      const region = null as unknown as string;
      const metadata = { namespace: 'levelset', name: 'levelset-place' };
      kube.apply({ kind: 'ConfigMap', metadata, data: { region } });
    },
    wakes: [],
    missing: ({ inside: { kube } }) =>
      !JSON.stringify(kube.get('ConfigMap', 'levelset', 'levelset-place')).includes('RegionOne') &&
      'no region is recorded',
  },
  'a second Node whose server is gone': {
    ...nodes,
    before: [
      ({ kube }) => {
        kube.addNode('first');
        kube.addNode('lost');
      },
      (inside) => {
        loseServer(inside, 'first');
      },
    ],
    act: (inside) => {
      loseServer(inside, 'lost');
    },
    wakes: ['node/lost'],
  },
  'a Service whose members are Pods': {
    act: web({}, { allocateLoadBalancerNodePorts: false, ports: [PLAIN] }),
  },
  'a route': { ...routes, act: routed },
  'a route less': {
    ...routes,
    before: [routed],
    act: ({ kube }) => {
      kube.delete('Node', undefined, 'node-1');
    },
  },
  'a route on an old Neutron': {
    ...routes,
    act: (inside) => {
      const { extensions } = inside.cloud;
      extensions.splice(extensions.indexOf('extraroute-atomic'), 1);
      routed(inside);
    },
  },
};

export function scenarioOf(name: string): Scenario {
  const found = SCENARIOS[name];
  if (!found) throw new Error(`no scenario is called ${JSON.stringify(name)}`);
  return found;
}
