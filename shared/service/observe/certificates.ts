import { notAfterIn, RENEW_WITHIN_MS } from '../../model/tls/certificate-facts.ts';
import type {
  CertificateFacts,
  CertificateQuestion,
  FoundCertificate,
  Horizon,
  TlsReference,
} from '../../model/tls/certificate-facts.ts';
import { ReconcileError } from '../../model/errors.ts';
import type { WireResource } from '../../model/resources.ts';
import type { Clock, Cloud, CloudReader } from '../../ports.ts';
import { onceAMinute } from '../../observe/once-a-minute.ts';

/** What Barbican calls the certificates that Services name, each asked for once a minute. */
export async function observeCertificates(
  { references }: CertificateQuestion,
  reader: CloudReader,
): Promise<CertificateFacts> {
  const found = references.map(async (reference): Promise<readonly [string, FoundCertificate]> => {
    const key = `certificate ${reference.collection ?? ''} ${reference.id}`;
    return [reference.id, await onceAMinute(reader, key, () => find(reference, reader.cloud))];
  });
  return { references: new Map(await Promise.all(found)) };
}

/** Kubernetes' times have whole seconds, and so have these. */
export function horizonAt(clock: Clock): Horizon {
  const now = clock.now();
  const text = (time: number): string => new Date(time).toISOString().replace(/\.\d+Z$/, 'Z');
  return { now: text(now), soon: text(now + RENEW_WITHIN_MS) };
}

/** A plain id is that of a container, as kinx has it, or else of a secret. */
async function find({ id, collection }: TlsReference, cloud: Cloud): Promise<FoundCertificate> {
  const kinds = collection === undefined ? KINDS : KINDS.filter((kind) => `${kind}s` === collection);
  try {
    for (const kind of kinds) {
      const wire = await cloud.get(kind, id);
      if (wire) return { ref: String(wire[`${kind}_ref`]), ...(await endOf(kind, wire, cloud)) };
    }
  } catch (error) {
    const because = error instanceof ReconcileError ? WHY_NOT[error.code]?.(error) : undefined;
    if (because === undefined) throw error;
    return { because };
  }
  return { because: `is no ${kinds.join(' or ')} of Barbican that this project can see` };
}

/**
 * Until when it is good, where a certificate stands by itself: as a part of a container, or in a secret that says that it
 * is one. What may hold a private key is not read.
 */
async function endOf(
  kind: 'container' | 'secret',
  wire: WireResource,
  cloud: Cloud,
): Promise<{ readonly notAfter?: string }> {
  const id =
    kind === 'container' ? partOf(wire) : wire['secret_type'] === 'certificate' ? wire.id : undefined;
  const text = id === undefined ? undefined : await cloud.certificateText(id);
  const notAfter = text === undefined ? undefined : notAfterIn(text);
  return notAfter === undefined ? {} : { notAfter };
}

/** The id of the secret with a container's certificate. */
function partOf(container: WireResource): string | undefined {
  const parts = (container['secret_refs'] ?? []) as readonly { name?: string; secret_ref?: string }[];
  return parts
    .find(({ name }) => name === 'certificate')
    ?.secret_ref?.split('/')
    .at(-1);
}

const KINDS = ['container', 'secret'] as const;

/** What waits for a person; everything else passes. */
const WHY_NOT: Readonly<Partial<Record<string, (error: ReconcileError) => string>>> = {
  FORBIDDEN: () =>
    'is there, but may not be read: the user of cloud.conf needs the role creator in its project, or a place in its ACL',
  CONFIG_INVALID: (error) => `cannot be looked up in Barbican: ${error.message}`,
};
