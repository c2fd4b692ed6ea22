import type { Config } from '../config/config.ts';
import { secretsOf } from './desired/served-secrets.ts';
import { readIntent } from './intent/service-intent.ts';
import { ReconcileError } from '../model/errors.ts';
import { readTlsSecret } from '../model/tls/tls-secret.ts';
import type { TlsSecretFacts } from '../model/tls/tls-secret.ts';
import type { Unit } from '../model/unit.ts';
import type { Kube } from '../ports.ts';

/** The unit with what may be told of the Secrets whose certificates its Service asks for. */
export async function withTlsSecrets(
  unit: Unit,
  { kube, config }: { readonly kube: Pick<Kube, 'getSecret'>; readonly config: Config },
): Promise<Unit> {
  if (!unit.wanted || !unit.service) return unit;
  const names = secretsOf(readIntent(unit.service, config));
  if (names.length === 0) return unit;
  const facts = names.map(async (name) => [name, await factsOf(unit.name.namespace, name, kube)] as const);
  return { ...unit, tlsSecrets: new Map(await Promise.all(facts)) };
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
