import type { Json } from '../../../infra/sandbox/json.ts';

/** A Secret of levelset's namespace with these texts, and the label of a cluster's entry. */
export function aRegistrySecret(
  name: string,
  cluster: string | undefined,
  texts: Readonly<Record<string, string | null>>,
): Json {
  const encoded = Object.entries(texts).map(([text, content]) => [
    text,
    content === null ? null : Buffer.from(content).toString('base64'),
  ]);
  const labels = cluster === undefined ? {} : { labels: { 'levelset.openstack.org/cluster': cluster } };
  return {
    kind: 'Secret',
    metadata: { name, namespace: 'levelset', ...labels },
    data: Object.fromEntries(encoded),
  };
}
