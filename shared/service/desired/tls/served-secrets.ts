/** Which certificate of a Secret is served: its own, or, while that is none to be had, the one that was stored before. */
import type { ObservedResource } from '../../../model/resources.ts';
import { storedAddress } from '../../../model/tls/stored-certificate.ts';
import type { TlsSecretFacts } from '../../../model/tls/tls-secret.ts';

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
