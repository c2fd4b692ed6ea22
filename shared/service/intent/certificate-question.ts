import type { LoadBalancerConfig } from '../../config/config.ts';
import type { CertificateQuestion } from '../../model/tls/certificate-facts.ts';
import { parseTlsReference } from '../../model/tls/certificate-facts.ts';
import type { PortIntent } from './read-annotations.ts';

export type Setting = 'tlsReferences' | 'clientCa' | 'clientCrl' | 'poolCa' | 'poolCertificate';
const SETTINGS: readonly Setting[] = ['tlsReferences', 'clientCa', 'clientCrl', 'poolCa', 'poolCertificate'];

export type Store = LoadBalancerConfig['containerStore'];

/** What observe has to look up in Barbican. */
export function certificateQuestion(
  ports: readonly Pick<PortIntent, 'ServicePort'>[],
  store: Store,
): CertificateQuestion {
  const texts = new Set(
    ports.flatMap(({ ServicePort }) => SETTINGS.flatMap((setting) => ServicePort[setting] ?? [])),
  );
  const references = [...texts].flatMap((text) => parseTlsReference(text) ?? []);
  return { references: store === 'external' ? [] : references };
}
