/** What a bundle keeps of what each read answers: the fields that levelset reads, and of no Secret its data. */
import { fieldsOf, isRecord } from '../../../shared/model/json.ts';
import { readTlsSecret } from '../../../shared/model/tls/tls-secret.ts';
import type { Secret } from '../../../shared/model/kubernetes.ts';

type Keep = (value: unknown, args: readonly unknown[]) => unknown;

/** Annotations that levelset reads. Those of others hold whatever people apply, such as last-applied-configuration. */
const READ =
  /^(levelset\.openstack\.org|loadbalancer\.openstack\.org|service(\.beta)?\.kubernetes\.io|alpha\.kubernetes\.io)\//;

const META =
  'name namespace uid resourceVersion creationTimestamp deletionTimestamp labels finalizers ownerReferences';
const SERVER =
  'id name status tenant_id addresses accessIPv4 accessIPv6 flavor created updated hostname OS-EXT-AZ:availability_zone OS-EXT-SRV-ATTR:hostname';

/** @param names separated by spaces */
function pick(value: unknown, names: string): Readonly<Record<string, unknown>> {
  const fields = fieldsOf(value);
  const there = names.split(' ').filter((name) => fields[name] !== undefined);
  return Object.fromEntries(there.map((name) => [name, fields[name]]));
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

/** @param parts the fields of each part that stay; `*`: all of them */
function object(value: unknown, parts: Readonly<Record<string, string>>): unknown {
  if (!isRecord(value)) return value;
  const kept = Object.entries(parts).flatMap(([part, names]) =>
    value[part] === undefined ? [] : [[part, names === '*' ? value[part] : pick(value[part], names)]],
  );
  return { metadata: metadata(value['metadata']), ...Object.fromEntries(kept) };
}

const same: Keep = (value) => value;
const each =
  (keep: Keep): Keep =>
  (value, args) =>
    Array.isArray(value) ? value.map((one) => keep(one, args)) : value;
const service: Keep = (value) => object(value, { spec: '*', status: '*' });
const node: Keep = (value) =>
  object(value, {
    spec: 'providerID podCIDR podCIDRs taints unschedulable',
    status: 'addresses conditions nodeInfo',
  });
const slice: Keep = (value) => ({
  ...(object(value, {}) as object),
  ...pick(value, 'addressType ports endpoints'),
});
const pod: Keep = (value) => {
  const spec = fieldsOf(fieldsOf(value)['spec']);
  const ports = [spec['containers'], spec['initContainers']].flatMap((all) =>
    Array.isArray(all) ? all.map((one) => pick(one, 'ports')) : [],
  );
  return object(isRecord(value) ? { ...value, spec: { ...spec, containers: ports } } : value, {
    spec: 'hostNetwork nodeName containers',
    status: 'phase podIPs podIP conditions',
  });
};

/** Of a Secret what plans may say: the fingerprint and the end of its certificate, or why it has none. */
const secret: Keep = (value) => {
  if (value === undefined) return undefined;
  const read = readTlsSecret(value as Secret);
  const facts = 'because' in read ? read : { fingerprint: read.fingerprint, notAfter: read.notAfter };
  return { ...(object(value, {}) as object), facts };
};

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g;
const certificate: Keep = (value) =>
  typeof value === 'string' ? (value.match(CERTIFICATE) ?? []).join('\n') : value;

/** An object of OpenStack. People keep passwords in the metadata of servers, so only what levelset reads of it stays. */
const resource: Keep = (value, [kind]) => {
  if (kind !== 'server' || !isRecord(value)) return value;
  const its = value['metadata'] !== undefined && { metadata: pick(value['metadata'], 'hostname') };
  return { ...pick(value, SERVER), ...its };
};

const AS_IS =
  'kube.clusterId kube.hasNamespace kube.state.find kube.state.load kube.routes.load kube.place.load kube.repairs.load kube.deletions.nodes.load kube.deletions.left.load cloud.statuses cloud.quota cloud.projectId cloud.region cloud.octaviaVersion cloud.networkExtensions';

/** Every read of a World. What is not here writes, and no bundle is made of it. */
export const KEPT: Readonly<Record<string, Keep>> = {
  ...Object.fromEntries(AS_IS.split(' ').map((read) => [read, same])),
  'kube.getService': service,
  'kube.listServices': each(service),
  'kube.getNode': node,
  'kube.listNodes': each(node),
  'kube.listEndpointSlices': each(slice),
  'kube.listPods': each(pod),
  'kube.getSecret': secret,
  'cloud.list': each(resource),
  'cloud.get': resource,
  'cloud.certificateText': certificate,
};
