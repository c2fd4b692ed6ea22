/** Which certificates of Barbican Services name, and what they are called there. */
import type { CertificateFacts } from '../../../model/tls/certificate-facts.ts';
import type { Problem } from '../../../model/plan.ts';
import { parseTlsReference } from '../../../model/tls/certificate-facts.ts';
import type { Setting, Store } from '../../intent/certificate-question.ts';
import type { PortIntent } from '../../intent/read-annotations.ts';

export const DEFAULT_CERTIFICATE = 'default-tls-container-ref in cloud.conf';

export interface Resolved {
  /** As Octavia is to be told, in the order they were named, each once. */
  readonly refs: readonly string[];
  readonly problems: readonly Problem[];
}

/** The references of one setting of a port, as Barbican itself writes them; another store's are sent as they are. */
export function resolve(
  setting: Setting,
  { ServicePort, spelled }: PortIntent,
  store: Store,
  facts: CertificateFacts,
): Resolved {
  const texts = [...new Set([ServicePort[setting] ?? []].flat())];
  if (store === 'external') return { refs: texts, problems: [] };
  const field = spelled[`ServicePort.${setting}`]?.name ?? DEFAULT_CERTIFICATE;
  const refs: string[] = [];
  const problems: Problem[] = [];
  for (const text of texts) {
    const reference = parseTlsReference(text);
    const found = reference && facts.references.get(reference.id);
    if (found && 'ref' in found) refs.push(found.ref);
    else {
      const because =
        found?.because ??
        'must be the id of a certificate container or of a secret, or the address of one (…/containers/ID or …/secrets/ID)';
      problems.push({
        field,
        value: text,
        message: `${because}; nothing is changed until it is right`,
        blocking: true,
      });
    }
  }
  return { refs: [...new Set(refs)], problems };
}
