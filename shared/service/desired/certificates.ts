/** The certificates of a Service: those in Barbican that it names, and those of Secrets, which levelset stores there. */
import type { Config, LoadBalancerConfig } from '../../config/config.ts';
import {
  parseTlsReference,
  type CertificateFacts,
  type CertificateInUse,
  type CertificateQuestion,
  type Horizon,
  storedAddress,
  storedMode,
  storedName,
} from '../../model/tls/certificate-facts.ts';
import type { ObservedResource, DesiredResource } from '../../model/resources.ts';
import type { TlsSecretFacts } from '../../model/tls/tls-secret.ts';
import type { ClusterIdentity } from '../../model/ownership.ts';
import type { Problem } from '../../model/plan.ts';
import { keyOf } from '../../model/request.ts';
import type { Ref } from '../../model/address.ts';
import type { Port } from '../intent/ports.ts';
import type { ServiceIntent } from '../intent/service-intent.ts';

/** The certificates that were found, and the store to which references lead: Barbican, or another, which levelset does not read. */
export interface TlsContext {
  readonly store: LoadBalancerConfig['containerStore'];
  readonly certificates: CertificateFacts;
  readonly secrets: ServedSecrets;
}

const BARBICAN_SETTINGS = ['tlsReferences', 'clientCa', 'clientCrl', 'poolCa', 'poolCertificate'] as const;

/** The references to look up in Barbican. None without an intent, or if another store is configured. */
export function certificateQuestion(
  intent: Pick<ServiceIntent, 'ports'> | undefined,
  config: Config,
): CertificateQuestion {
  if (!intent || config.loadBalancer.containerStore === 'external') return { references: [] };
  // a list for all ports is one list
  const settings = intent.ports.flatMap(({ ServicePort }) =>
    BARBICAN_SETTINGS.map((setting) => ServicePort[setting] ?? []),
  );
  const texts = [...new Set(settings)].flat();
  return { references: [...new Set(texts)].flatMap((text) => parseTlsReference(text) ?? []) };
}

const DEFAULT_CERTIFICATE = 'default-tls-container-ref in cloud.conf';

/** The references of one setting, as Barbican writes them. References to another store stay, and an unknown one blocks. */
export function refsOf(
  setting: (typeof BARBICAN_SETTINGS)[number],
  { ServicePort, spelled }: Port,
  { store, certificates }: TlsContext,
  problems: Problem[],
): readonly string[] {
  const texts = [...new Set([ServicePort[setting] ?? []].flat())];
  if (store === 'external') return texts;
  const field = spelled[`ServicePort.${setting}`]?.name ?? DEFAULT_CERTIFICATE;
  const refs = texts.flatMap((value) => {
    const reference = parseTlsReference(value);
    const found = reference && certificates.references.get(reference.id);
    if (found && 'ref' in found) return found.ref;
    const because =
      found?.because ??
      'must be the id of a certificate container or of a secret, or the address of one (…/containers/ID or …/secrets/ID)';
    const message = `${because}; until it is right, the Service is blocked`;
    problems.push({ field, value, message, blocking: true });
    return [];
  });
  return [...new Set(refs)];
}

/** Which certificate is served for a Secret: the Secret's own, or, while that is not good, the one stored last. */
type ServedSecret =
  | {
      readonly fingerprint: string;
      readonly notAfter?: string;
      readonly because?: string;
    }
  | { readonly because: string };

export type ServedSecrets = ReadonlyMap<string, ServedSecret>;

/** A certificate that has expired or cannot be read does not replace the serving one. `now` is in RFC 3339. */
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
      const prefix = storedAddress({ secret: name, fingerprint: '' });
      const [last] = observed
        .filter(({ kind, address }) => kind === 'secret' && address.startsWith(prefix))
        .sort((a, b) => (String(a.wire['created']) < String(b.wire['created']) ? 1 : -1));
      const stored = last?.address.slice(prefix.length);
      if ('fingerprint' in facts && (stored === undefined || stored === facts.fingerprint))
        return [name, facts];
      return [name, stored === undefined ? { because } : { fingerprint: stored, because }];
    }),
  );
}

export function secretsOf({ ports }: ServiceIntent): readonly string[] {
  const ofTcp = ports.filter(({ transport }) => transport === 'TCP');
  const lists = new Set(ofTcp.map(({ ServicePort }) => ServicePort.tlsSecrets ?? []));
  return [...new Set([...lists].flat())];
}

/** One secret in Barbican for each of Kubernetes. Its name has the fingerprint: a renewed certificate is a new secret, and the old one goes. */
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
    return {
      kind: 'secret' as const,
      address: storedAddress(source),
      attributes: {
        name: storedName(cluster, key, source),
        mode: storedMode(cluster),
        secret_type: 'opaque' as const,
        payload: { $secret: `${key.namespace}/${secret}`, fingerprint: facts.fingerprint },
      },
    };
  });
}

/** References to stored certificates, for a port's listener. Barbican says the value once it has stored them. */
export function refsOfSecrets(
  { ServicePort: { tlsSecrets = [] }, spelled }: Port,
  { secrets }: TlsContext,
  problems: Problem[],
): readonly Ref[] {
  const field = spelled['ServicePort.tlsSecrets']?.name ?? 'tls-secret';
  return [...new Set(tlsSecrets)].flatMap((secret) => {
    const facts = secrets.get(secret) ?? { because: 'was not read' };
    if (!('fingerprint' in facts)) {
      const message = `${facts.because}; until it is right, the Service is blocked`;
      problems.push({ field, value: secret, message, blocking: true });
      return [];
    }
    if (facts.because !== undefined) {
      const message = `${facts.because}; until it is right, levelset serves the certificate that it stored before`;
      problems.push({ field, value: secret, message, passing: true });
    }
    return { $ref: `${storedAddress({ secret, fingerprint: facts.fingerprint })}.secret_ref` };
  });
}

/** Each certificate of a listener whose end is known, once, and a Problem for each that has expired or soon will. */
export function watchCertificates(
  { ports }: ServiceIntent,
  { certificates, secrets }: Pick<TlsContext, 'certificates' | 'secrets'>,
  { now, soon }: Horizon,
): { readonly inUse: readonly CertificateInUse[]; readonly problems: readonly Problem[] } {
  const inUse = new Map<string, CertificateInUse>();
  const problems = new Map<string, Problem>();
  const watch = (
    { ServicePort, spelled }: Port,
    setting: 'tlsSecrets' | 'tlsReferences' | 'clientCa',
  ): void => {
    const field = spelled[`ServicePort.${setting}`]?.name ?? DEFAULT_CERTIFICATE;
    for (const value of [ServicePort[setting] ?? []].flat()) {
      const name = setting === 'tlsSecrets' ? value : (parseTlsReference(value)?.id ?? '');
      const found = setting === 'tlsSecrets' ? secrets.get(name) : certificates.references.get(name);
      const notAfter = found && 'notAfter' in found ? found.notAfter : undefined;
      if (notAfter === undefined) continue;
      inUse.set(name, { name, notAfter });
      // without a countdown, so that it stays the same and is reported once
      const end = notAfter > now ? `expires on ${notAfter}` : `expired on ${notAfter}, and clients refuse it`;
      if (notAfter <= soon)
        problems.set(`${field} ${value}`, { field, value, message: `${end}: renew it`, passing: true });
    }
  };
  for (const port of ports.filter(({ listens }) => listens === 'TERMINATED_HTTPS'))
    for (const setting of ['tlsSecrets', 'tlsReferences', 'clientCa'] as const) watch(port, setting);
  return { inUse: [...inUse.values()], problems: [...problems.values()] };
}
