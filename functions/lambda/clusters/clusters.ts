import { environment } from '../environment.ts';
import type { FunctionClusters } from './function-clusters.ts';

let clusters: FunctionClusters | undefined;

/** The clusters of the registry; undefined in a deployment that serves one, which loads no code of them. Throws CONFIG_INVALID. */
export async function functionClusters(): Promise<FunctionClusters | undefined> {
  if (!process.env['LEVELSET_CLUSTERS']) return undefined;
  const env = await environment.read();
  const { FunctionClusters: Clusters } = await import('./function-clusters.ts');
  clusters ??= new Clusters(env);
  return clusters;
}
