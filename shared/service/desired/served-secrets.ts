import type { ObservedResource, DesiredResource } from '../../model/resources.ts';
import { storedAddress, storedMode, storedName } from '../../model/tls/stored-certificate.ts';
import type { TlsSecretFacts } from '../../model/tls/tls-secret.ts';
import type { ClusterIdentity } from '../../model/ownership.ts';
import type { Problem } from '../../model/plan.ts';
import { keyOf } from '../../model/request.ts';
import type { Ref } from '../../model/address.ts';
import type { PortIntent } from '../intent/read-annotations.ts';
import type { ServiceIntent } from '../intent/service-intent.ts';

/** Which certificate is served for a Secret: the Secret's own, or, while that is not good, the one stored last. */

type ServedSecret =
  | {
      readonly fingerprint: string;
      readonly notAfter?: string;
      /** Why the certificate is not the Secret's own, but one that was stored before; absent if it is the Secret's. */
      readonly because?: string;
    }
  | { readonly because: string };

/** What is served for each Secret, by its name. */
export type ServedSecrets = ReadonlyMap<string, ServedSecret>;

/**
 * The certificate to serve for each Secret. A certificate that has expired or cannot be read does not replace one that
 * serves. `now` is in RFC 3339.
 */
export function servedSecrets(
  secrets: ReadonlyMap<string, TlsSecretFacts>,
  observed: readonly ObservedResource[],
  now: string,
): ServedSecrets {
  return new Map(
    [...secrets].map(([name, facts]): [string, ServedSecret] => {
      const because =
        'because' in facts
          ? facts.because
          : facts.notAfter <= now
            ? `has a certificate that expired on ${facts.notAfter}`
            : undefined;
      if (because === undefined) return [name, facts];
      const stored = storedOf(name, observed);
      if ('fingerprint' in facts && (stored === undefined || stored === facts.fingerprint))
        return [name, facts];
      return [name, stored === undefined ? { because } : { fingerprint: stored, because }];
    }),
  );
}

/** The fingerprint of the certificate that levelset stored last for this Secret. */
function storedOf(secret: string, observed: readonly ObservedResource[]): string | undefined {
  const prefix = storedAddress({ secret, fingerprint: '' });
  const created = ({ wire }: ObservedResource): string => String(wire['created']);
  const stored = observed
    .filter(({ kind, address }) => kind === 'secret' && address.startsWith(prefix))
    .sort((a, b) => (created(a) < created(b) ? 1 : -1));
  return stored[0]?.address.slice(prefix.length);
}

/** The Secrets that the TCP ports of a Service name, each once. */
export function secretsOf({ service, annotated }: ServiceIntent): readonly string[] {
  const ports = service.spec.ports ?? [];
  const named = annotated.ports.filter((_, index) => (ports[index]?.protocol ?? 'TCP') === 'TCP');
  const lists = new Set(named.map(({ ServicePort }) => ServicePort.tlsSecrets ?? []));
  return [...new Set([...lists].flat())];
}

/**
 * One secret in Barbican for each Kubernetes Secret. Its name has the certificate's fingerprint, so a renewed
 * certificate is a new secret, and the old secret is deleted.
 */
export function desireStored(
  intent: ServiceIntent,
  cluster: ClusterIdentity,
  secrets: ServedSecrets,
): readonly DesiredResource<'secret'>[] {
  const key = keyOf(intent.service);
  return secretsOf(intent).flatMap((secret) => {
    const facts = secrets.get(secret);
    if (!facts || !('fingerprint' in facts)) return [];
    const source = { secret, fingerprint: facts.fingerprint };
    return [
      {
        kind: 'secret' as const,
        address: storedAddress(source),
        attributes: {
          name: storedName(cluster, key, source),
          mode: storedMode(cluster),
          secret_type: 'opaque' as const,
          payload: { $secret: `${key.namespace}/${secret}`, fingerprint: facts.fingerprint },
        },
      },
    ];
  });
}

/**
 * References to the stored certificates, for the listener of a port. Barbican says the value once it has stored them.
 */
export function refsOfSecrets(
  { ServicePort: { tlsSecrets = [] }, spelled }: PortIntent,
  secrets: ServedSecrets,
): { readonly refs: readonly Ref[]; readonly problems: readonly Problem[] } {
  const refs: Ref[] = [];
  const problems: Problem[] = [];
  for (const secret of new Set(tlsSecrets)) {
    const facts = secrets.get(secret) ?? { because: 'was not read' };
    const field = spelled['ServicePort.tlsSecrets']?.name ?? 'tls-secret';
    if (!('fingerprint' in facts)) {
      const message = `${facts.because}; levelset changes nothing until it is right`;
      problems.push({ field, value: secret, message, blocking: true });
      continue;
    }
    refs.push({ $ref: `${storedAddress({ secret, fingerprint: facts.fingerprint })}.secret_ref` });
    if (facts.because !== undefined) {
      const message = `${facts.because}; until it is right, levelset serves the certificate that it stored before`;
      problems.push({ field, value: secret, message, passing: true });
    }
  }
  return { refs, problems };
}
