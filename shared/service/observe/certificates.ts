import {
  notAfterIn,
  RENEW_WITHIN_MS,
  type CertificateFacts,
  type CertificateQuestion,
  type FoundCertificate,
  type Horizon,
  type TlsReference,
  namespaceInStoredName,
  readStoredName,
  storedMode,
} from '../../model/tls/certificate-facts.ts';
import {
  inParallel,
  orUnread,
  readIfPossible,
  lookUpIfPossible,
  onceAMinute,
  type ListSource,
} from '../../observe/reads.ts';
import { ReconcileError } from '../../model/errors.ts';
import type { WireResource, ObservedResource } from '../../model/resources.ts';
import type { Clock, Cloud, CloudReader, World, Kube } from '../../ports.ts';
import { TLS_SECRET, type ClusterIdentity } from '../../model/ownership.ts';
import type { ServiceObject } from '../../model/service-object.ts';
import { readTlsSecret, type TlsSecretFacts } from '../../model/tls/tls-secret.ts';

/** A reference is read once a minute; unread, it counts as written. What levelset keeps for a Secret is for its owners alone (decision 20). */
export async function observeCertificates(
  { references }: CertificateQuestion,
  { name: { namespace }, cluster }: Pick<ServiceObject, 'name'> & { readonly cluster: ClusterIdentity },
  reader: CloudReader,
): Promise<CertificateFacts> {
  const found = references.map(async (reference): Promise<readonly [string, FoundCertificate]> => {
    const key = `certificate ${reference.collection ?? ''} ${reference.id}`;
    const read = onceAMinute(reader, key, () => find(reference, cluster, reader));
    const { keptFor = namespace, ...certificate } = await orUnread(reader, { ref: reference.id }, read);
    return [reference.id, keptFor === namespace ? certificate : { because: KEPT_FOR_OTHERS }];
  });
  return { references: new Map(await Promise.all(found)) };
}

/** What the ends of certificates are compared with: RFC 3339 with whole seconds, as Kubernetes has them. */
export function horizonAt(clock: Clock): Horizon {
  const now = clock.now();
  const text = (time: number): string => new Date(time).toISOString().replace(/\.\d+Z$/, 'Z');
  return { now: text(now), soon: text(now + RENEW_WITHIN_MS), anHourAgo: text(now - 3_600_000) };
}

const KEPT_FOR_OTHERS = 'is the copy of a Secret of another namespace';

type Read = FoundCertificate & { readonly keptFor?: string };

/** Looks up a reference. A plain id is read as a container first, as kinx does, and then as a secret. */
async function find(
  { id, collection }: TlsReference,
  cluster: ClusterIdentity,
  reader: CloudReader,
): Promise<Read> {
  const kinds = collection === undefined ? KINDS : KINDS.filter((kind) => `${kind}s` === collection);
  try {
    for (const kind of kinds) {
      const wire = await reader.cloud.get(kind, id);
      if (!wire) continue;
      const keptFor = namespaceInStoredName(wire['name'], cluster);
      const ref = String(wire[`${kind}_ref`]);
      return { ref, ...(await endOf(kind, wire, reader)), ...(keptFor === undefined ? {} : { keptFor }) };
    }
  } catch (error) {
    const because = error instanceof ReconcileError ? WHY_NOT[error.code]?.(error) : undefined;
    if (because === undefined) throw error;
    return { because };
  }
  return { because: `is no ${kinds.join(' or ')} of Barbican that this project can see` };
}

/** A secret that may hold a private key is never read. The end is empty if it cannot be read, since no listener needs it. */
async function endOf(
  kind: 'container' | 'secret',
  wire: WireResource,
  reader: CloudReader,
): Promise<{ readonly notAfter?: string }> {
  const id =
    kind === 'container' ? partOf(wire) : wire['secret_type'] === 'certificate' ? wire.id : undefined;
  const read = (of: string) => (): Promise<string | undefined> => reader.cloud.certificateText(of);
  const text = id && (await readIfPossible(reader, 'certificate texts', read(id)));
  const notAfter = text ? notAfterIn(text) : undefined;
  return notAfter === undefined ? {} : { notAfter };
}

function partOf(container: WireResource): string | undefined {
  const parts = (container['secret_refs'] ?? []) as readonly { name?: string; secret_ref?: string }[];
  return parts
    .find(({ name }) => name === 'certificate')
    ?.secret_ref?.split('/')
    .at(-1);
}

const KINDS = ['container', 'secret'] as const;

/** The words for errors that only a person can end. All other errors pass by themselves. */
const WHY_NOT: Readonly<Partial<Record<string, (error: ReconcileError) => string>>> = {
  FORBIDDEN: () =>
    'is there, but may not be read: the user of cloud.conf needs the role creator in its project, or a place in its ACL',
  CONFIG_INVALID: (error) => `cannot be looked up in Barbican: ${error.message}`,
};

const ANSWER = 'stored certificates';

/** So long a list serves Services that name no Secret. Sweeps look for themselves, and find what is stored meanwhile. */
const UNNAMED_MS = 5 * 60_000;
const NAMED_MS = 60_000;

/**
 * One list a minute for the whole process, or one in five minutes where no Service names a Secret. It is read again before a load balancer is made,
 * since Octavia refuses one with a certificate that is gone, and for a Service that leaves and has named one, or is gone: another process may have
 * stored a certificate since. If the list fails, a Service that names no Secret goes on: the next sweep finds what is left.
 */
export async function findStoredCertificates(
  object: ServiceObject,
  cluster: ClusterIdentity,
  { namesSecrets, isMade }: { readonly namesSecrets: boolean; readonly isMade: boolean },
  source: ListSource,
): Promise<readonly ObservedResource<'secret'>[]> {
  const { cloud, clock, lists, memory } = source;
  const isShared = lists === cloud && (object.wanted || isWithoutSecrets(object));
  const keepMs = !namesSecrets ? UNNAMED_MS : isMade ? NAMED_MS : 0;
  const list = (): Promise<readonly WireResource[]> =>
    isShared
      ? memory.answers.read(ANSWER, { keepMs, clock }, () => listStored(cluster, cloud))
      : listStored(cluster, lists);
  const all = namesSecrets
    ? await orUnread(source, [], list())
    : ((await lookUpIfPossible(source, ANSWER, list)) ?? []);
  const taken = new Set<string>();
  return [...all].sort(oldestFirst).flatMap((wire) => {
    const read = readStoredName(wire['name'], cluster);
    if (read?.service.namespace !== object.name.namespace || read.service.name !== object.name.name)
      return [];
    // a certificate is there twice if the answer to a POST was lost: the older one is in use
    const address = taken.has(read.address) ? `secret/duplicate/${wire.id}` : read.address;
    taken.add(address);
    return [{ kind: 'secret' as const, address, id: wire.id, whose: 'ours', wire }];
  });
}

function isWithoutSecrets({ service }: ServiceObject): boolean {
  if (!service) return false;
  const names = Object.keys(service.metadata.annotations ?? {});
  return names.every((name) => !name.startsWith(TLS_SECRET));
}

export function forgetStored({ memory }: Pick<World, 'memory'>): void {
  memory.answers.forget(ANSWER);
}

/** The certificates of this cluster. Empty in a cloud without Barbican, or for a user without rights to it. */
export async function listStored(
  cluster: ClusterIdentity,
  cloud: Pick<Cloud, 'list'>,
): Promise<readonly WireResource[]> {
  try {
    return await cloud.list('secret', { mode: storedMode(cluster) });
  } catch (error) {
    const none =
      error instanceof ReconcileError && (error.code === 'CONFIG_INVALID' || error.code === 'FORBIDDEN');
    if (none) return [];
    throw error;
  }
}

function oldestFirst(a: WireResource, b: WireResource): number {
  const rank = (wire: WireResource): string => `${String(wire['created'])} ${wire.id}`;
  return rank(a) < rank(b) ? -1 : 1;
}

const AT_ONCE = 4;

/** For each Secret, by its name: the fingerprint and the end of its certificate, or why it has none. Never a key. */
export async function observeTlsSecrets(
  names: readonly string[],
  namespace: string,
  source: SecretSource,
): Promise<ReadonlyMap<string, TlsSecretFacts>> {
  return new Map(
    await inParallel(names, AT_ONCE, async (name) => [name, await factsOf(namespace, name, source)] as const),
  );
}

interface SecretSource {
  readonly kube: Pick<Kube, 'getSecret'>;
}

async function factsOf(namespace: string, name: string, { kube }: SecretSource): Promise<TlsSecretFacts> {
  try {
    const secret = await kube.getSecret(namespace, name);
    if (!secret) return { because: `is not a Secret of the namespace ${namespace}` };
    if (secret.facts) return secret.facts;
    const read = readTlsSecret(secret);
    return 'because' in read ? read : { fingerprint: read.fingerprint, notAfter: read.notAfter };
  } catch (error) {
    if (!(error instanceof ReconcileError) || error.code !== 'KUBE_FORBIDDEN') throw error;
    return {
      because: `may not be read: the namespace ${namespace} opts in by a Role (infra/kubernetes/tls-secrets.example.yaml)`,
    };
  }
}
