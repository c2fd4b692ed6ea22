/** What levelset does in the matrix: each story in a world of its own. */
import type { OctaviaOptions } from '../../../infra/sandbox/openstack/octavia/traits.ts';
import type { Config } from '../../../shared/config/config.ts';
import { floatingIPDescription } from '../../../shared/model/ownership.ts';
import type { Key } from '../../../shared/model/request.ts';
import type { Cloud } from '../../../shared/ports.ts';
import { replacementApproval } from '../../../shared/service/plan/plan-replacement.ts';
import { breaks } from '../../support/failing.ts';
import { giveCidr, joinNode, loseServer } from '../../support/nodes.ts';
import { makeAsGoProvider } from '../../support/old-controllers.ts';
import { aService } from '../../support/service.ts';
import { aTlsSecret } from '../../support/tls-secret.ts';
import { forceDelete } from '../../support/told.ts';
import type { Inside } from './process.ts';

export interface Story {
  readonly octavia?: OctaviaOptions;
  readonly config?: (inside: Inside) => Partial<Config>;
  /** What was there before levelset came, besides what strangers have. */
  readonly found?: (inside: Inside, hand: Cloud) => Promise<void>;
  /** What was there and settled before, one step after the other. */
  readonly before?: readonly ((inside: Inside) => void)[];
  readonly act: (inside: Inside) => void;
  /** Another story that this one may end as: a repair that failed is followed by the next one (decision 310). */
  readonly orAs?: string;
  /** What events wake. */
  readonly wakes: readonly Key[];
  /** What is wrong just now, asked after every request to OpenStack. */
  readonly watch?: (inside: Inside) => readonly string[];
  /** After each sweep a person lets `levelset gc` plan for this cluster, and approves what it has planned. */
  readonly gc?: string;
}

const WEB: readonly Key[] = ['service/default/web'];
const OWN = 'levelset.openstack.org/';
const PORTS = [
  { name: 'http', port: 80, targetPort: 8080, nodePort: 30_080 },
  { name: 'https', port: 443, targetPort: 8443, nodePort: 30_443 },
];
const LARGE = { id: '5b4f0d8e-1d1a-4f4a-9a51-0d7a2a3b4c5d', name: 'large', description: '', enabled: true };

const apply = ({ kube }: Inside, wanted: Parameters<typeof aService>[0] = {}) =>
  kube.apply(aService({ ...wanted, spec: { ports: PORTS, ...wanted.spec } }));

function approveFlavor(inside: Inside): void {
  const lb = inside.cloud.loadbalancers.find(({ name }) => name.endsWith('_web'));
  const { uid = '' } = inside.kube.get('Service', 'default', 'web')?.metadata ?? {};
  const change = { attribute: 'flavor_id', from: null, to: LARGE.id };
  inside.cloud.flavors.push(LARGE);
  annotated({
    'loadbalancer.openstack.org/flavor-id': LARGE.id,
    [`${OWN}approve`]: replacementApproval(uid, lb?.id ?? '', [change]),
  })(inside);
}

/** As OCCM leaves it, and with a port more. */
async function madeByGo(inside: Inside, cloud: Cloud): Promise<void> {
  await makeAsGoProvider({ sandbox: inside, world: { cloud } });
  apply(inside);
}

const GONE = '0b9d8e7f-0000-4000-8000-00000000000d';

/** As a cluster leaves it that was deleted together with its Service. */
async function leftByCluster({ cloud }: Inside, hand: Cloud): Promise<void> {
  const key = { namespace: 'default', name: 'shop' };
  const uid = '11111111-0000-4000-8000-000000000000';
  const tags = [`levelset-cluster=${GONE}`, `levelset-service=${uid}`, 'levelset-name=default/shop'];
  const pool = {
    ...{ name: 'shop', protocol: 'TCP', lb_algorithm: 'ROUND_ROBIN' },
    tags: [...tags, 'levelset-port=tcp/80'],
    healthmonitor: { type: 'TCP', delay: 5, timeout: 3, max_retries: 1 },
  };
  const lb = await hand.create('loadbalancer', {
    name: 'kube_service_kubernetes_default_shop',
    vip_subnet_id: cloud.subnets.find(({ cidr }) => cidr.startsWith('10.'))?.id,
    tags,
    listeners: [{ protocol: 'TCP', protocol_port: 80, tags, default_pool: pool }],
  });
  const ip = await hand.create('floatingip', {
    floating_network_id: cloud.networks.find((one) => one['router:external'])?.id,
    port_id: lb['vip_port_id'],
    description: floatingIPDescription({ id: GONE, name: 'kubernetes' }, key),
  });
  const group = await hand.create('securitygroup', { name: `lb-sg-${uid}-default-shop`, description: '' });
  const isOfIt = ({ id }: { readonly id: string }): boolean => [ip.id, group.id].includes(id);
  for (const row of [...cloud.floatingips, ...cloud.securityGroups].filter(isOfIt))
    Object.assign(row, { tags });
  const [port] = cloud.ports.filter(({ device_owner: owner }) => owner.startsWith('compute:'));
  if (!port) throw new Error('no server has a port');
  Object.assign(port, { security_groups: [...port.security_groups, group.id] });
}

const secured = (inside: Inside): void => {
  inside.kube.apply({ kind: 'Secret', ...aTlsSecret('one') });
  annotated({ [`${OWN}tls-secret`]: 'web-tls' }, PORTS.slice(1))(inside);
};
const annotated =
  (annotations: Readonly<Record<string, string>>, ports = PORTS) =>
  (inside: Inside) =>
    apply(inside, { annotations, spec: { ports } });
const remove =
  (name: string) =>
  ({ kube }: Inside): void => {
    kube.delete('Service', 'default', name);
  };

/** Listeners without a member to go to, or that name a certificate which is not there. */
const broken = ({ cloud }: Inside): readonly string[] =>
  cloud.listeners.flatMap(({ name, default_pool_id, default_tls_container_ref: ref }) => [
    ...(cloud.members.some(({ pool_id }) => pool_id === default_pool_id) ? [] : [`${name} has no member`]),
    ...(typeof ref !== 'string' || cloud.secrets.some(({ id }) => ref.endsWith(id))
      ? []
      : [`${name} has no certificate`]),
  ]);
const serving =
  (port: number) =>
  ({ cloud }: Inside): readonly string[] =>
    cloud.listeners.some((one) => one.protocol_port === port) ? [] : [`port ${port} is closed`];
const joins =
  (name: string, port: number) =>
  ({ kube }: Inside): void => {
    const annotations = { [`${OWN}load-balancer-name`]: 'edge' };
    const ports = [{ name: 'main', port, targetPort: 8080, nodePort: 30_000 + port }];
    kube.apply(aService({ name, annotations, spec: { ports } }));
  };
const routed = ({ cloud }: Inside): Partial<Config> => ({
  controllers: ['service-lb-controller', 'node-route-controller'],
  clusterCidrs: ['10.244.0.0/16'],
  route: { routerId: cloud.routerId },
});

export const STORIES = {
  create: { act: apply, wakes: WEB },
  'create with a certificate': { act: secured, wakes: WEB, watch: broken },
  'a certificate is renewed': {
    before: [secured],
    act: ({ kube }) => kube.apply({ kind: 'Secret', ...aTlsSecret('two'), metadata: { name: 'web-tls' } }),
    wakes: WEB,
    watch: broken,
  },
  'a certificate is given up': {
    before: [secured],
    // a merge patch takes away what is null
    act: annotated({ [`${OWN}tls-secret`]: null as unknown as string }, PORTS.slice(1)),
    wakes: WEB,
    watch: broken,
  },
  update: {
    before: [apply],
    act: (inside) => {
      const dns = { name: 'dns', port: 53, targetPort: 53, nodePort: 30_053, protocol: 'UDP' };
      const ports = [...PORTS.slice(1), dns];
      apply(inside, { spec: { ports, loadBalancerSourceRanges: ['192.0.2.0/24'] } });
      inside.kube.addNode('node-9');
    },
    wakes: WEB,
  },
  'replace, approved': { before: [apply], act: approveFlavor, wakes: WEB },
  'replace a pool': {
    before: [apply],
    act: annotated({ 'loadbalancer.openstack.org/proxy-protocol': 'true' }),
    wakes: WEB,
    watch: broken,
  },
  'replace a monitor': {
    before: [apply],
    act: annotated({ [`${OWN}monitor-type`]: 'HTTP' }),
    wakes: WEB,
    watch: broken,
  },
  delete: { before: [secured], act: remove('web'), wakes: WEB, watch: broken },
  adopt: { found: madeByGo, act: () => undefined, wakes: WEB },
  'share: one joins': {
    before: [joins('web', 80)],
    act: joins('api', 81),
    wakes: ['service/default/api'],
    watch: serving(80),
  },
  'share: the owner leaves': {
    before: [joins('web', 80), joins('api', 81)],
    act: remove('web'),
    wakes: [...WEB, 'service/default/api'],
    watch: serving(81),
  },
  'share: the last one leaves': {
    before: [joins('web', 80), joins('api', 81), remove('web')],
    act: remove('api'),
    wakes: ['service/default/api'],
  },
  'gc: a Service has vanished': { before: [apply], act: forceDelete, wakes: [] },
  'gc: a cluster is gone': { found: leftByCluster, act: () => undefined, wakes: [], gc: GONE },
  'repair: failed over': {
    octavia: { failover: 'mends' },
    orAs: 'repair: rebuilt',
    before: [apply],
    act: breaks,
    wakes: WEB,
  },
  'repair: rebuilt': { before: [apply], act: breaks, wakes: WEB, watch: broken },
  'node init': {
    config: () => ({ controllers: ['cloud-node-controller'] }),
    act: (inside) => joinNode(inside, 'joining'),
    wakes: ['node/joining'],
  },
  'node delete': {
    config: () => ({ controllers: ['cloud-node-lifecycle-controller'] }),
    before: [({ kube }) => kube.addNode('lost')],
    act: (inside) => {
      loseServer(inside, 'lost');
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
