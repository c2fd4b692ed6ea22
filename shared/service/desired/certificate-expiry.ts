import { parseTlsReference } from '../../model/tls/certificate-facts.ts';
import type { CertificateFacts, CertificateInUse, Horizon } from '../../model/tls/certificate-facts.ts';
import type { Problem } from '../../model/plan.ts';
import { DEFAULT_CERTIFICATE } from './desire-tls.ts';
import { protocolsOf } from '../intent/protocols.ts';
import type { PortIntent } from '../intent/read-annotations.ts';
import type { ServedSecrets } from './served-secrets.ts';
import type { ServiceIntent } from '../intent/service-intent.ts';

/** When the certificates of a Service's listeners expire, and Problems for those that soon do. */

interface Known {
  readonly certificates: CertificateFacts;
  readonly secrets: ServedSecrets;
  readonly horizon: Horizon;
}

interface Named extends CertificateInUse {
  /** The annotation, or the option of cloud.conf, that names the certificate. */
  readonly field: string;
  readonly value: string;
}

/** Each certificate whose end is known, once, and a Problem for each that has expired or soon will. */
export function watchCertificates(
  { service, annotated }: ServiceIntent,
  known: Known,
): { readonly inUse: readonly CertificateInUse[]; readonly problems: readonly Problem[] } {
  const named = (service.spec.ports ?? []).flatMap((port, index) => {
    const portIntent = annotated.ports[index];
    return portIntent && protocolsOf(port, portIntent).listener === 'TERMINATED_HTTPS'
      ? namedBy(portIntent, known)
      : [];
  });
  const once = [...new Map(named.map((one) => [`${one.field} ${one.value}`, one])).values()];
  return {
    inUse: [...new Map(once.map(({ name, notAfter }) => [name, { name, notAfter }])).values()],
    problems: once.flatMap((one) => expiryOf(one, known.horizon)),
  };
}

function namedBy({ ServicePort, spelled }: PortIntent, { certificates, secrets }: Known): readonly Named[] {
  const inSecrets = (ServicePort.tlsSecrets ?? []).flatMap((value): readonly Named[] => {
    const facts = secrets.get(value);
    const field = spelled['ServicePort.tlsSecrets']?.name ?? '';
    return facts && 'fingerprint' in facts && facts.notAfter !== undefined
      ? [{ name: value, field, value, notAfter: facts.notAfter }]
      : [];
  });
  const bySettings = (['tlsReferences', 'clientCa'] as const).flatMap((setting) =>
    [ServicePort[setting] ?? []].flat().flatMap((value): readonly Named[] => {
      const id = parseTlsReference(value)?.id ?? '';
      const found = certificates.references.get(id);
      const field = spelled[`ServicePort.${setting}`]?.name ?? DEFAULT_CERTIFICATE;
      return found && 'ref' in found && found.notAfter !== undefined
        ? [{ name: id, field, value, notAfter: found.notAfter }]
        : [];
    }),
  );
  return [...inSecrets, ...bySettings];
}

/** The message has no countdown, so that it stays the same and is reported once. */
function expiryOf({ field, value, notAfter }: Named, { now, soon }: Horizon): readonly Problem[] {
  if (notAfter > soon) return [];
  const message =
    notAfter > now
      ? `expires on ${notAfter}: renew it`
      : `expired on ${notAfter}, and clients refuse it: renew it`;
  return [{ field, value, message, passing: true }];
}
