/** A World whose reads are recorded, and one that answers as the record has it. Neither writes. */
import type { Credentials } from '../../../shared/config/config.ts';
import { asReconcileError, ERRORS, ReconcileError } from '../../../shared/model/errors.ts';
import { fieldsOf, isRecord } from '../../../shared/model/json.ts';
import { printable } from '../../../shared/model/text/text.ts';
import { newMemory } from '../../../shared/memory/memory.ts';
import type { Cloud, Kube, Log, World } from '../../../shared/ports.ts';
import type { Answer, Bundle } from './bundle.ts';
import { readTlsSecret } from '../../../shared/model/tls/tls-secret.ts';
import type { Secret } from '../../../shared/model/kubernetes.ts';

interface RecordedWorld {
  /** The same World, whose clock stands still, and which refuses to write. */
  readonly world: World;
  readonly reads: Readonly<Record<string, readonly Answer[]>>;
  /** Waits for what is still asked: a plan that fails does not. */
  readonly answered: () => Promise<unknown>;
}

export function recordWorld(world: World): RecordedWorld {
  const reads: Record<string, Answer[]> = {};
  const asked: Promise<unknown>[] = [];
  const now = world.clock.now();
  const recording = <T extends object>(port: T, path: string): T =>
    new Proxy(port, {
      get: (_, name) => {
        const its = Reflect.get(port, name) as unknown;
        const read = `${path}.${String(name)}`;
        if (typeof its === 'object' && its !== null) return recording(its, read);
        if (typeof its !== 'function') return its;
        if (name === 'during') return (run: unknown) => recording(Reflect.apply(its, port, [run]) as T, path);
        return (...args: unknown[]): unknown => {
          const keep = KEPT[read];
          if (!keep) throw refused(read);
          const answers = (reads[inWords(read, args)] ??= []);
          const at = answers.push({}) - 1;
          const answer = (Reflect.apply(its, port, args) as Promise<unknown>).then(
            (value) => {
              const safe = toJson(keep(value, args));
              if (safe !== undefined) answers[at] = { value: safe };
              return value;
            },
            (error: unknown) => {
              const { code, message, context } = asReconcileError(error);
              const status = context.status !== undefined && { status: context.status };
              answers[at] = { error: { code, message, ...status } };
              throw error;
            },
          );
          asked.push(answer);
          return answer;
        };
      },
    });
  const [kube, cloud] = [recording(world.kube, 'kube'), recording(world.cloud, 'cloud')];
  return {
    reads,
    answered: () => Promise.allSettled(asked),
    world: { ...world, kube, cloud, clock: { now: () => now } },
  };
}

export function replayWorld({ config, reads, now }: Bundle, log: Log): World {
  const asked = new Map<string, number>();
  const answer = (read: string): unknown => {
    const at = asked.get(read) ?? 0;
    asked.set(read, at + 1);
    const answers = Object.hasOwn(reads, read) ? (reads[read] ?? []) : [];
    const found = answers[Math.min(at, answers.length - 1)];
    if (!found) throw new ReconcileError('UNEXPECTED_RESPONSE', `the bundle does not have ${read}`);
    if (!found.error) return fromJson(found.value);
    const { code, message, status } = found.error;
    const known = Object.hasOwn(ERRORS, code) ? code : 'UNEXPECTED_RESPONSE';
    throw new ReconcileError(known, printable(message), status === undefined ? {} : { status });
  };
  const replaying = (path: string): object =>
    new Proxy(
      {},
      {
        get: (_, name) => {
          const read = `${path}.${String(name)}`;
          if (name === 'during') return () => replaying(path);
          if (Object.keys(KEPT).some((one) => one.startsWith(`${read}.`))) return replaying(read);
          return (...args: unknown[]) => {
            if (!Object.hasOwn(KEPT, read)) throw refused(read);
            return new Promise((resolve) => {
              resolve(answer(inWords(read, args)));
            });
          };
        },
      },
    );
  return {
    kube: replaying('kube') as Kube,
    cloud: replaying('cloud') as Cloud,
    calls: { record: async (run) => ({ value: await run(), calls: 0, failedRequestIds: [] }) },
    clock: { now: () => now },
    log,
    config: { ...config, openstack: { ...config.openstack, credentials: nobody(config) } },
    memory: newMemory(),
  };
}

function nobody({ openstack }: Bundle['config']): Credentials {
  const { type } = openstack.credentials;
  if (type === 'application-credential') return { type, secret: '' };
  return { type, user: { id: '' }, password: '', project: { id: '' } };
}

function refused(path: string): ReconcileError {
  return new ReconcileError('UNEXPECTED_RESPONSE', `${path} would write, and a bundle can only plan`);
}

/** One read as `reads` has it: `kube.getService("shop","web")`. */
function inWords(path: string, args: readonly unknown[]): string {
  const given = args.slice(0, args.findLastIndex((arg) => arg !== undefined) + 1);
  return `${path}(${given.map((arg) => JSON.stringify(arg)).join(',')})`;
}

/** JSON has neither maps nor sets. */
function toJson(value: unknown): unknown {
  if (value instanceof Map)
    return { $map: [...(value as Map<unknown, unknown>)].map(([key, its]) => [key, toJson(its)]) };
  return value instanceof Set ? { $set: [...(value as Set<unknown>)] } : value;
}

function fromJson(value: unknown): unknown {
  const { $map, $set } = fieldsOf(value);
  if (Array.isArray($map))
    return new Map(($map as [unknown, unknown][]).map(([key, its]) => [key, fromJson(its)]));
  return Array.isArray($set) ? new Set($set as unknown[]) : value;
}

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

/**
 * Every read of a World, and what a bundle keeps of its answer: the fields that levelset reads, and of no Secret its data. What is not here writes,
 * and no bundle is made of it.
 */
const KEPT: Readonly<Record<string, Keep>> = {
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
