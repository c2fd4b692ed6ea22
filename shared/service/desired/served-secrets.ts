import type { ObservedResource, DesiredResource } from '../../model/resources.ts';
import { storedAddress, storedMode, storedName } from '../../model/tls/stored-certificate.ts';
import type { TlsSecretFacts } from '../../model/tls/tls-secret.ts';
import type { ClusterIdentity } from '../../model/ownership.ts';
import type { Problem } from '../../model/plan.ts';
import { keyOf } from '../../model/request.ts';
import type { Ref } from '../../model/address.ts';
import type { PortIntent } from '../intent/read-annotations.ts';
import type { ServiceIntent } from '../intent/service-intent.ts';

/** Which certificate of a Secret is served: its own, or, while that is none to be had, the one that was stored before. */

export type ServedSecret =
  | {
      readonly fingerprint: string;
      readonly notAfter?: string;
      /** Why it is the one that was stored before. */
      readonly because?: string;
    }
  | { readonly because: string };

/** By the name of the Secret. */
export type ServedSecrets = ReadonlyMap<string, ServedSecret>;

/** `now` in RFC 3339. One that has expired takes the place of none that serves. */
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

/** The fingerprint of what was stored last out of this Secret. */
function storedOf(secret: string, observed: readonly ObservedResource[]): string | undefined {
  const prefix = storedAddress({ secret, fingerprint: '' });
  const created = ({ wire }: ObservedResource): string => String(wire['created']);
  const stored = observed
    .filter(({ kind, address }) => kind === 'secret' && address.startsWith(prefix))
    .sort((a, b) => (created(a) < created(b) ? 1 : -1));
  return stored[0]?.address.slice(prefix.length);
}

/** Certificates out of Secrets of the Service's namespace, which levelset keeps in Barbican. */

/** The Secrets that the TCP ports of a Service name, each once. */
export function secretsOf({ service, annotated }: ServiceIntent): readonly string[] {
  const ports = service.spec.ports ?? [];
  const named = annotated.ports.filter((_, index) => (ports[index]?.protocol ?? 'TCP') === 'TCP');
  return [...new Set(named.flatMap(({ ServicePort }) => ServicePort.tlsSecrets ?? []))];
}

/** A secret of Barbican for each, named for what is in it: renewed, it is another one, and the old one goes. */
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

/** What the listener of a port is to name, which Barbican says when it is there. */
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
      const message = `${facts.because}; nothing is changed until it is right`;
      problems.push({ field, value: secret, message, blocking: true });
      continue;
    }
    refs.push({ $ref: `${storedAddress({ secret, fingerprint: facts.fingerprint })}.secret_ref` });
    if (facts.because !== undefined) {
      const message = `${facts.because}; the certificate that was stored before is served until it is right`;
      problems.push({ field, value: secret, message, passing: true });
    }
  }
  return { refs, problems };
}
