/** What levelset does in the matrix: each story in a world of its own. */
import type { OctaviaOptions } from '../../../infra/sandbox/openstack/octavia/traits.ts';
import type { Config } from '../../../shared/config/config.ts';
import { floatingIPDescription } from '../../../shared/model/ownership.ts';
import type { Key } from '../../../shared/model/request.ts';
import { replacementApproval } from '../../../shared/service/plan/plan-replacement.ts';
import { aService } from '../../support/service.ts';
import { aTlsSecret } from '../../support/tls-secret.ts';
import type { Inside } from './process.ts';

export interface Story {
  readonly octavia?: OctaviaOptions;
  readonly config?: (inside: Inside) => Partial<Config>;
  /** What was there before levelset came, besides what strangers have. */
  readonly found?: (inside: Inside, ask: Ask) => Promise<void>;
  /** What was there and settled before, one step after the other. */
  readonly before?: readonly ((inside: Inside) => void)[];
  readonly act: (inside: Inside) => void;
  /** Another story that this one may end as: a repair that failed is followed by the next one (decision 310). */
  readonly orAs?: string;
  /** What events wake. */
  readonly wakes: readonly Key[];
  /** After each sweep a person lets `levelset gc` plan for this cluster, and approves what it has planned. */
  readonly gc?: string;
}

/** A request of somebody else to OpenStack. */
export type Ask = (
  kind: 'loadbalancer' | 'floatingip' | 'securitygroup',
  attributes: object,
) => Promise<Record<string, unknown>>;

const WEB: readonly Key[] = ['service/default/web'];
const OWN = 'levelset.openstack.org/';
const PORTS = [
  { name: 'http', port: 80, targetPort: 8080, nodePort: 30_080 },
  { name: 'https', port: 443, targetPort: 8443, nodePort: 30_443 },
];
const LARGE = { id: '5b4f0d8e-1d1a-4f4a-9a51-0d7a2a3b4c5d', name: 'large', description: '', enabled: true };
const GO = 'kube_service_kubernetes_default_web';

function apply({ kube }: Inside, wanted: Parameters<typeof aService>[0] = {}): void {
  kube.apply(aService({ ...wanted, spec: { ports: PORTS, ...wanted.spec } }));
}

function keepSecret({ kube }: Inside): void {
  const { type, data } = aTlsSecret('one');
  kube.apply({ kind: 'Secret', metadata: { name: 'web-tls' }, type, data: { ...data } });
}

function giveCidr({ kube }: Inside, name: string, at: number): void {
  const podCIDR = `10.244.${at}.0/24`;
  kube.apply({ kind: 'Node', metadata: { name }, spec: { podCIDR, podCIDRs: [podCIDR] } });
}

const applyShared = ({ kube }: Inside, name: string, port: number): void => {
  const annotations = { [`${OWN}load-balancer-name`]: 'edge' };
  const ports = [{ name: 'main', port, targetPort: 8080, nodePort: 30_000 + port }];
  kube.apply(aService({ name, annotations, spec: { ports } }));
};

function approveFlavor(inside: Inside): void {
  const lb = inside.cloud.loadbalancers.find(({ name }) => name.endsWith('_web'));
  const { uid = '' } = inside.kube.get('Service', 'default', 'web')?.metadata ?? {};
  const change = { attribute: 'flavor_id', from: null, to: LARGE.id };
  inside.cloud.flavors.push(LARGE);
  apply(inside, {
    annotations: {
      'loadbalancer.openstack.org/flavor-id': LARGE.id,
      [`${OWN}approve`]: replacementApproval(uid, lb?.id ?? '', [change]),
    },
  });
}

/** As OCCM leaves it. */
async function madeByGo({ cloud, kube }: Inside, ask: Ask): Promise<void> {
  const subnet = cloud.subnets.find(({ cidr }) => cidr.startsWith('10.'))?.id;
  const healthmonitor = { name: `monitor_0_${GO}`, type: 'TCP', delay: 5, timeout: 3, max_retries: 1 };
  const pool = { name: `pool_0_${GO}`, protocol: 'TCP', lb_algorithm: 'ROUND_ROBIN', healthmonitor };
  const listener = { name: `listener_0_${GO}`, protocol: 'TCP', protocol_port: 80, tags: [GO] };
  const lb = await ask('loadbalancer', {
    name: GO,
    description: 'Kubernetes external service default/web from cluster kubernetes',
    provider: 'amphora',
    tags: [GO],
    vip_subnet_id: subnet,
    listeners: [{ ...listener, allowed_cidrs: ['0.0.0.0/0'], default_pool: pool }],
  });
  const ip = await ask('floatingip', {
    floating_network_id: cloud.networks.find((one) => one['router:external'])?.id,
    port_id: lb['vip_port_id'],
    description: 'Floating IP for Kubernetes external service default/web from cluster kubernetes',
  });
  const address = String(ip['floating_ip_address']);
  const service = aService({ spec: { ports: PORTS } });
  kube.apply({
    ...service,
    metadata: {
      ...service.metadata,
      finalizers: ['service.kubernetes.io/load-balancer-cleanup'],
      annotations: {
        'loadbalancer.openstack.org/load-balancer-id': String(lb['id']),
        'loadbalancer.openstack.org/load-balancer-address': address,
      },
    },
    status: { loadBalancer: { ingress: [{ ip: address, ipMode: 'VIP' }] } },
  });
}

const GONE = '0b9d8e7f-0000-4000-8000-00000000000d';

/** As a cluster leaves it that was deleted together with its Service. */
async function leftByCluster({ cloud }: Inside, ask: Ask): Promise<void> {
  const key = { namespace: 'default', name: 'shop' };
  const uid = '11111111-0000-4000-8000-000000000000';
  const tags = [`levelset-cluster=${GONE}`, `levelset-service=${uid}`, 'levelset-name=default/shop'];
  const healthmonitor = { type: 'TCP', delay: 5, timeout: 3, max_retries: 1 };
  const pool = {
    name: 'shop',
    protocol: 'TCP',
    lb_algorithm: 'ROUND_ROBIN',
    healthmonitor,
    tags: [...tags, 'levelset-port=tcp/80'],
  };
  const lb = await ask('loadbalancer', {
    name: 'kube_service_kubernetes_default_shop',
    vip_subnet_id: cloud.subnets.find(({ cidr }) => cidr.startsWith('10.'))?.id,
    tags,
    listeners: [{ protocol: 'TCP', protocol_port: 80, tags, default_pool: pool }],
  });
  const ip = await ask('floatingip', {
    floating_network_id: cloud.networks.find((one) => one['router:external'])?.id,
    port_id: lb['vip_port_id'],
    description: floatingIPDescription({ id: GONE, name: 'kubernetes' }, key),
  });
  const group = await ask('securitygroup', { name: `lb-sg-${uid}-default-shop`, description: '' });
  const isOfIt = ({ id }: { readonly id: string }): boolean => [ip['id'], group['id']].includes(id);
  for (const row of [...cloud.floatingips, ...cloud.securityGroups].filter(isOfIt))
    Object.assign(row, { tags });
  const [port] = cloud.ports.filter(({ device_owner: owner }) => owner.startsWith('compute:'));
  if (!port) throw new Error('no server has a port');
  Object.assign(port, { security_groups: [...port.security_groups, group['id']] });
}

function breaks({ cloud }: Inside): void {
  const lb = cloud.loadbalancers.find(({ name }) => name.endsWith('_web'));
  if (!lb) throw new Error('there is no load balancer of web');
  cloud.setStatus(lb.id, 'ERROR');
  lb.operating_status = 'ERROR';
  for (const member of cloud.members) member.operating_status = 'ERROR';
}

const secured = (inside: Inside): void => {
  keepSecret(inside);
  apply(inside, {
    annotations: { [`${OWN}tls-secret`]: 'web-tls' },
    spec: { ports: PORTS.slice(1) },
  });
};
const remove =
  (name: string) =>
  ({ kube }: Inside): void => {
    kube.delete('Service', 'default', name);
  };
const routed = ({ cloud }: Inside): Partial<Config> => ({
  controllers: ['service-lb-controller', 'node-route-controller'],
  clusterCidrs: ['10.244.0.0/16'],
  route: { routerId: cloud.routerId },
});

export const STORIES = {
  create: { act: apply, wakes: WEB },
  'create with a certificate': { act: secured, wakes: WEB },
  update: {
    before: [apply],
    act: (inside) => {
      const dns = { name: 'dns', port: 53, targetPort: 53, nodePort: 30_053, protocol: 'UDP' };
      apply(inside, {
        spec: { ports: [...PORTS.slice(1), dns], loadBalancerSourceRanges: ['192.0.2.0/24'] },
      });
      inside.kube.addNode('node-9');
    },
    wakes: WEB,
  },
  'replace, approved': { before: [apply], act: approveFlavor, wakes: WEB },
  'replace a pool': {
    before: [apply],
    act: (inside) => {
      apply(inside, { annotations: { 'loadbalancer.openstack.org/proxy-protocol': 'true' } });
    },
    wakes: WEB,
  },
  delete: { before: [secured], act: remove('web'), wakes: WEB },
  adopt: { found: madeByGo, act: () => undefined, wakes: WEB },
  'share: one joins': {
    before: [
      (inside) => {
        applyShared(inside, 'web', 80);
      },
    ],
    act: (inside) => {
      applyShared(inside, 'api', 81);
    },
    wakes: ['service/default/api'],
  },
  'share: the owner leaves': {
    before: [
      (inside) => {
        applyShared(inside, 'web', 80);
      },
      (inside) => {
        applyShared(inside, 'api', 81);
      },
    ],
    act: remove('web'),
    wakes: [...WEB, 'service/default/api'],
  },
  'gc: a Service has vanished': {
    before: [apply],
    act: ({ kube }) => {
      kube.apply({ kind: 'Service', metadata: { name: 'web', namespace: 'default', finalizers: [] } });
      kube.delete('Service', 'default', 'web');
    },
    wakes: [],
  },
  'gc: a cluster is gone': { found: leftByCluster, act: () => undefined, wakes: [], gc: GONE },
  'repair: failed over': {
    octavia: { failover: 'mends' },
    orAs: 'repair: rebuilt',
    before: [apply],
    act: breaks,
    wakes: WEB,
  },
  'repair: rebuilt': { before: [apply], act: breaks, wakes: WEB },
  'node init': {
    config: () => ({ controllers: ['cloud-node-controller'] }),
    act: ({ cloud, kube }) => {
      const { id } = cloud.addNovaServer('joining');
      kube.registerNode('joining', { systemUUID: id });
    },
    wakes: ['node/joining'],
  },
  'node delete': {
    config: () => ({ controllers: ['cloud-node-lifecycle-controller'] }),
    before: [
      ({ kube }) => {
        kube.addNode('lost');
      },
    ],
    act: ({ cloud, kube }) => {
      const lost = cloud.servers.find(({ name }) => name === 'lost');
      if (lost) cloud.removeNovaServer(lost.id);
      kube.setReady('lost', false);
    },
    wakes: ['node/lost'],
  },
  routes: {
    config: routed,
    before: [
      (inside) => {
        giveCidr(inside, 'node-1', 1);
        giveCidr(inside, 'node-2', 2);
      },
    ],
    act: (inside) => {
      inside.kube.addNode('node-3');
      giveCidr(inside, 'node-3', 3);
      inside.kube.delete('Node', undefined, 'node-2');
    },
    wakes: ['routes'],
  },
} as const satisfies Readonly<Record<string, Story>>;

export type StoryName = keyof typeof STORIES;
