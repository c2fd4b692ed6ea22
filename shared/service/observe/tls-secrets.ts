import { ReconcileError } from '../../model/errors.ts';
import { readTlsSecret } from '../../model/tls/tls-secret.ts';
import type { TlsSecretFacts } from '../../model/tls/tls-secret.ts';
import type { Kube } from '../../ports.ts';

/** By name: the fingerprint and the end of the certificate in each Secret, or why it has none. Never a key. */
export async function observeTlsSecrets(
  names: readonly string[],
  namespace: string,
  kube: Pick<Kube, 'getSecret'>,
): Promise<ReadonlyMap<string, TlsSecretFacts>> {
  const facts = names.map(async (name) => [name, await factsOf(namespace, name, kube)] as const);
  return new Map(await Promise.all(facts));
}

async function factsOf(
  namespace: string,
  name: string,
  kube: Pick<Kube, 'getSecret'>,
): Promise<TlsSecretFacts> {
  try {
    const secret = await kube.getSecret(namespace, name);
    if (!secret) return { because: `is no Secret of the namespace ${namespace}` };
    const read = readTlsSecret(secret);
    return 'because' in read ? read : { fingerprint: read.fingerprint, notAfter: read.notAfter };
  } catch (error) {
    if (!(error instanceof ReconcileError) || error.code !== 'KUBE_FORBIDDEN') throw error;
    return {
      because: `may not be read: the namespace ${namespace} opts in by a Role (infra/kubernetes/tls-secrets.example.yaml)`,
    };
  }
}
