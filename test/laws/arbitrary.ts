import fc from 'fast-check';
import { ANNOTATIONS } from '../../shared/service/intent/annotations.ts';
import type { Node, Service } from '../../shared/model/kubernetes.ts';
import { withIds } from '../support/annotation-examples.ts';
import { AUTHORITY, CERTIFICATE, OTHER_CERTIFICATE, REVOCATIONS } from '../support/cloud-contents.ts';
import { FREE_PORT, OTHER_SUBNET, PUBLIC, PUBLIC_SUBNET } from '../support/cloud-contents.ts';
import { NETWORK, QOS_POLICY, SUBNET, SUBNET_IPV6 } from '../support/cloud-contents.ts';

/** Good values of annotations, where it takes more than the example; a law fails when there is none at all. */
const GOOD: Readonly<Record<string, readonly string[]>> = {
  // one that is there, or not, would be another world: sharing.test.ts
  'loadbalancer.openstack.org/load-balancer-id': [''],
  'levelset.openstack.org/load-balancer-name': ['edge', 'cluster/edge'],
  'loadbalancer.openstack.org/lb-method': ['ROUND_ROBIN', 'LEAST_CONNECTIONS', 'SOURCE_IP'],
  'loadbalancer.openstack.org/connection-limit': ['-1', '1000'],
  'loadbalancer.openstack.org/floating-subnet': ['public-*', '!~(a|b)+'],
  'loadbalancer.openstack.org/floating-subnet-tags': ['paid', '!&a,b'],
  'loadbalancer.openstack.org/node-selector': ['', 'pool=edge'],
  'loadbalancer.openstack.org/health-monitor-delay': ['1', '10'],
  'loadbalancer.openstack.org/health-monitor-timeout': ['1', '3'],
  'loadbalancer.openstack.org/health-monitor-max-retries': ['1', '10'],
  'loadbalancer.openstack.org/health-monitor-max-retries-down': ['1', '10'],
  'loadbalancer.openstack.org/timeout-client-data': ['10000', '60000'],
  'loadbalancer.openstack.org/timeout-member-data': ['0', '60000'],
  'loadbalancer.openstack.org/timeout-tcp-inspect': ['0', '10'],
  'levelset.openstack.org/additional-vip-subnet-ids': [SUBNET_IPV6, OTHER_SUBNET],
  'loadbalancer.openstack.org/proxy-protocol': ['false', 'true', 'v2'],
  'service.beta.kubernetes.io/kinx-load-balancer-proxy-protocol': ['false'],
  'service.beta.kubernetes.io/kinx-load-balancer-backend-protocol': ['tcp', 'http'],
  'service.beta.kubernetes.io/kinx-load-balancer-healthcheck-interval': ['4', '9'],
  'service.beta.kubernetes.io/kinx-load-balancer-healthcheck-timeout': ['2'],
  'levelset.openstack.org/protocol': ['tcp', 'http', 'https'],
  'levelset.openstack.org/insert-headers': ['X-Forwarded-For', 'X-Forwarded-Port,X-SSL-Client-CN'],
  'levelset.openstack.org/member-weights': ['node-1=10,node-2=0', 'node-9=0'],
  'levelset.openstack.org/backup-members': ['node-1', 'node-1,node-9'],
  'levelset.openstack.org/tags': ['paid', 'paid,a b'],
  'levelset.openstack.org/description': ['Our shop', 'Another'],
  'levelset.openstack.org/tls-container-refs': [CERTIFICATE, `${OTHER_CERTIFICATE},${CERTIFICATE}`],
  'loadbalancer.openstack.org/default-tls-container-ref': [`https://elsewhere/v1/containers/${CERTIFICATE}`],
  'levelset.openstack.org/tls-secret': ['web-tls', 'other-tls,web-tls'],
  'levelset.openstack.org/tls-versions': ['TLSv1.2,TLSv1.3', 'TLSv1.3'],
  'levelset.openstack.org/client-authentication': ['NONE', 'MANDATORY'],
  'levelset.openstack.org/pool-tls-container-ref': [OTHER_CERTIFICATE],
  'levelset.openstack.org/redirect-http-code': ['301', '308'],
  'levelset.openstack.org/monitor-expected-codes': ['200', '200-299'],
  'levelset.openstack.org/monitor-type': ['TCP', 'PING', 'HTTP'],
  'levelset.openstack.org/session-persistence': ['none', 'SOURCE_IP'],
  'service.beta.kubernetes.io/load-balancer-source-ranges': ['10.0.0.0/8', '192.0.2.7/24,10.0.0.0/8'],
};

export const annotationKeys = ANNOTATIONS.flatMap(({ names }) => names);

/** Of what the cloud of these laws has. */
const IDS = {
  ...{ SUBNET_ID: SUBNET, NETWORK_ID: NETWORK, PORT_ID: FREE_PORT, QOS_POLICY_ID: QOS_POLICY },
  ...{ EXTERNAL_NETWORK_ID: PUBLIC, EXTERNAL_SUBNET_ID: PUBLIC_SUBNET, CERTIFICATE_ID: CERTIFICATE },
  ...{ CA_ID: AUTHORITY, CRL_ID: REVOCATIONS, FLAVOR_ID: '5b4f0d8e-1d1a-4f4a-9a51-0d7a2a3b4c5d' },
  SECURITY_GROUP_ID: '7b4f0d8e-1d1a-4f4a-9a51-0d7a2a3b4c5d',
};

/** Those above, else the example and the opposite of `true`, as long as it names nothing that this cloud has not. */
export const goodOf = (key: string): readonly string[] => {
  const { example = '' } = ANNOTATIONS.find(({ names }) => names.includes(key)) ?? {};
  if (GOOD[key] || example === 'true') return GOOD[key] ?? ['true', 'false'];
  const text = withIds(example, IDS);
  return text.includes('_ID') ? [] : [text];
};

export const keysWithoutValues = annotationKeys.filter((key) => goodOf(key).length === 0);

export const anAnnotation: fc.Arbitrary<readonly [key: string, value: string]> = fc
  .constantFrom(...annotationKeys)
  .chain((key) => fc.tuple(fc.constant(key), fc.constantFrom(...goodOf(key))));

const somePorts = fc
  .uniqueArray(
    fc.record({
      protocol: fc.constantFrom('TCP', 'UDP'),
      port: fc.constantFrom(53, 80, 443, 8080),
      nodePort: fc.integer({ min: 30_000, max: 30_003 }),
    }),
    { minLength: 1, maxLength: 4, selector: ({ protocol, port }) => `${protocol}/${port}` },
  )
  .filter((ports) => new Set(ports.map(({ nodePort }) => nodePort)).size === ports.length);

const aRange = fc.constantFrom('10.0.0.0/8', '192.0.2.7/24', '0.0.0.0/0', 'fd00::/8', 'x');
const someRanges = fc.uniqueArray(aRange, { maxLength: 3 });

/** What a user may write, as the apiserver stores it. */
export interface Edit {
  readonly ports: readonly { readonly protocol: string; readonly port: number; readonly nodePort: number }[];
  readonly annotations: Readonly<Record<string, string>>;
  readonly ranges: readonly string[];
  /** Absent: SingleStack. */
  readonly policy?: 'SingleStack' | 'PreferDualStack' | 'RequireDualStack';
  readonly sticky: boolean;
  readonly local: boolean;
}

export const anEdit: fc.Arbitrary<Edit> = fc.record({
  ports: somePorts,
  annotations: fc
    .uniqueArray(anAnnotation, { maxLength: 4, selector: ([key]) => key })
    .map((pairs) => Object.fromEntries(pairs)),
  ranges: fc.oneof({ weight: 3, arbitrary: fc.constant([]) }, someRanges),
  policy: fc.oneof(
    { weight: 3, arbitrary: fc.constant('SingleStack' as const) },
    fc.constantFrom('PreferDualStack' as const, 'RequireDualStack' as const),
  ),
  sticky: fc.boolean(),
  local: fc.boolean(),
});

export function serviceOf(edit: Edit, uid = '5e5e5e5e-0000-4000-8000-000000000001'): Service {
  return {
    metadata: { name: 'web', namespace: 'default', uid, resourceVersion: '1', annotations: edit.annotations },
    spec: specOf(edit),
  };
}

export const leaving = (service: Service): Service => ({
  ...service,
  metadata: { ...service.metadata, deletionTimestamp: '2026-11-21T09:00:00Z' },
});

export function specOf(edit: Edit): Readonly<Record<string, unknown>> {
  const { policy = 'SingleStack' } = edit;
  return {
    type: 'LoadBalancer',
    ipFamilies: policy === 'SingleStack' ? ['IPv4'] : ['IPv4', 'IPv6'],
    ipFamilyPolicy: policy,
    sessionAffinity: edit.sticky ? 'ClientIP' : 'None',
    externalTrafficPolicy: edit.local ? 'Local' : 'Cluster',
    ...(edit.local ? { healthCheckNodePort: 31_000 } : {}),
    loadBalancerSourceRanges: [...edit.ranges],
    ports: edit.ports.map((port) => ({ ...port, name: `${port.protocol.toLowerCase()}-${port.port}` })),
  };
}

const EXCLUDED = { 'node.kubernetes.io/exclude-from-external-load-balancers': '' };
const LEAVING = { spec: { taints: [{ key: 'ToBeDeletedByClusterAutoscaler', effect: 'NoSchedule' }] } };
const seldom = fc.oneof({ weight: 6, arbitrary: fc.constant(false) }, fc.constant(true));
// two Nodes may claim one address
const others = [fc.constant('none'), fc.constant('10.0.0.1')];
const aNode: fc.Arbitrary<Node> = fc
  .record({
    number: fc.integer({ min: 1, max: 8 }),
    address: fc.oneof({ weight: 5, arbitrary: fc.constant('own') }, ...others),
    excluded: seldom,
    dual: fc.boolean(),
    leaving: seldom,
  })
  .map(({ number, address, excluded, dual, leaving }) => {
    const labels = { pool: 'edge', ...(excluded ? EXCLUDED : {}) };
    const four = address === 'own' ? `10.0.0.${number}` : address;
    const all = address === 'none' ? [] : [four, ...(dual ? [`fd00:10::${number}`] : [])];
    return { ...aNodeAt(number, all, labels), ...(leaving ? LEAVING : {}) };
  });

const selector = ({ metadata }: Node): string => metadata.name;
export const someNodes: fc.Arbitrary<readonly Node[]> = fc.uniqueArray(aNode, { maxLength: 6, selector });

/** At least one Node with addresses of its own, so that the VIP has a subnet. */
export const usableNodes = someNodes.map((nodes) => [...nodes, aDualNode(9, { pool: 'edge' })]);

type Labels = Readonly<Record<string, string>>;

function aNodeAt(number: number, addresses: readonly string[], labels: Labels): Node {
  return {
    metadata: { name: `node-${number}`, uid: `n${number}`, resourceVersion: '1', labels },
    status: { addresses: addresses.map((address) => ({ type: 'InternalIP', address })) },
  };
}

export const aDualNode = (number: number, labels: Labels = {}): Node =>
  aNodeAt(number, [`10.0.0.${number}`, `fd00:10::${number}`], labels);
