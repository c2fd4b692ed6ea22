/** What a bundle keeps of what each read answers: the fields that levelset reads, and of no Secret its data. */
import type { WantedMetadata } from '../../../shared/model/node/nova.ts';
import { fieldsOf, isRecord } from '../../../shared/model/json.ts';
import { readTlsSecret } from '../../../shared/model/tls/tls-secret.ts';
import type { Secret } from '../../../shared/model/kubernetes.ts';

type Keep = (value: unknown, args: readonly unknown[]) => unknown;

/** Annotations that levelset reads. Those of others hold whatever people apply, such as last-applied-configuration. */
const READ =
  /^(levelset\.openstack\.org|loadbalancer\.openstack\.org|service(\.beta)?\.kubernetes\.io|alpha\.kubernetes\.io)\//;

const META = [
  'name',
  'namespace',
  'uid',
  'resourceVersion',
  'creationTimestamp',
  'deletionTimestamp',
  'labels',
  'finalizers',
  'ownerReferences',
];

function pick(value: unknown, keys: readonly string[]): Readonly<Record<string, unknown>> {
  const fields = fieldsOf(value);
  return Object.fromEntries(keys.flatMap((key) => (fields[key] === undefined ? [] : [[key, fields[key]]])));
}

function metadata(value: unknown): object {
  const { annotations, managedFields, ...fields } = fieldsOf(value);
  const read = Object.entries(fieldsOf(annotations)).filter(([name]) => READ.test(name));
  return {
    ...pick(fields, META),
    ...(annotations !== undefined && { annotations: Object.fromEntries(read) }),
    ...(managedFields !== undefined && { managedFields }),
  };
}

function object(value: unknown, parts: Readonly<Record<string, readonly string[] | 'all'>>): unknown {
  if (!isRecord(value)) return value;
  const kept = Object.entries(parts).flatMap(([part, keys]) =>
    value[part] === undefined ? [] : [[part, keys === 'all' ? value[part] : pick(value[part], keys)]],
  );
  return { metadata: metadata(value['metadata']), ...Object.fromEntries(kept) };
}

const service: Keep = (value) => object(value, { spec: 'all', status: 'all' });
const node: Keep = (value) =>
  object(value, {
    spec: ['providerID', 'podCIDR', 'podCIDRs', 'taints', 'unschedulable'],
    status: ['addresses', 'conditions', 'nodeInfo'],
  });
const slice: Keep = (value) => ({
  ...(object(value, {}) as object),
  ...pick(value, ['addressType', 'ports', 'endpoints']),
});
const pod: Keep = (value) => {
  const { containers, initContainers } = fieldsOf(fieldsOf(value)['spec']);
  const ports = [containers, initContainers].map((all) => each((one) => pick(one, ['ports']))(all ?? [], []));
  const spec = { ...fieldsOf(fieldsOf(value)['spec']), containers: ports.flat() };
  return object(isRecord(value) ? { ...value, spec } : value, {
    spec: ['hostNetwork', 'nodeName', 'containers'],
    status: ['phase', 'podIPs', 'podIP', 'conditions'],
  });
};
const same: Keep = (value) => value;
const each =
  (keep: Keep): Keep =>
  (value, args) =>
    Array.isArray(value) ? value.map((one) => keep(one, args)) : value;

/** Of a Secret what plans may say: the fingerprint and the end of its certificate, or why it has none. */
const secret: Keep = (value) => {
  if (value === undefined) return undefined;
  const read = readTlsSecret(value as Secret);
  const facts = 'because' in read ? read : { fingerprint: read.fingerprint, notAfter: read.notAfter };
  return { ...(object(value, {}) as object), facts };
};

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g;

const SERVER = [
  'id',
  'name',
  'status',
  'tenant_id',
  'addresses',
  'accessIPv4',
  'accessIPv6',
  'flavor',
  'created',
  'updated',
  'OS-EXT-AZ:availability_zone',
  'OS-EXT-SRV-ATTR:hostname',
  'hostname',
];

/** An object of OpenStack. People keep passwords in the metadata of servers, so only what levelset reads of it stays. */
function resource(wanted: WantedMetadata | undefined): Keep {
  return (value, [kind]) => {
    if (kind !== 'server' || !isRecord(value)) return value;
    const kept = pick(value['metadata'], ['hostname', ...(wanted === undefined ? [] : [wanted.key])]);
    return { ...pick(value, SERVER), ...(value['metadata'] !== undefined && { metadata: kept }) };
  };
}

/** Every read of a World. What is not here writes, and no bundle is made of it. */
export function keptOf(wanted: WantedMetadata | undefined): Readonly<Record<string, Keep>> {
  const records = ['state', 'routes', 'place', 'repairs', 'deletions.nodes', 'deletions.left'];
  return {
    'kube.clusterId': same,
    'kube.hasNamespace': same,
    'kube.getService': service,
    'kube.listServices': each(service),
    'kube.getNode': node,
    'kube.listNodes': each(node),
    'kube.listEndpointSlices': each(slice),
    'kube.listPods': each(pod),
    'kube.getSecret': secret,
    'kube.state.find': same,
    'kube.cidrs.list': same,
    ...Object.fromEntries(records.map((record) => [`kube.${record}.load`, same])),
    'cloud.list': each(resource(wanted)),
    'cloud.get': resource(wanted),
    'cloud.statuses': same,
    'cloud.quota': same,
    'cloud.projectId': same,
    'cloud.region': same,
    'cloud.octaviaVersion': same,
    'cloud.networkExtensions': same,
    'cloud.certificateText': (value) =>
      typeof value === 'string' ? (value.match(CERTIFICATE) ?? []).join('\n') : value,
  };
}
