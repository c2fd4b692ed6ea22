/** The functions of a deployment with a registry: two sandboxes whose objects have the same names, in one project. */
import { vi } from 'vitest';
import type { Sandbox } from '../../../../infra/sandbox/sandbox.ts';
import type { Texts } from '../../../../shared/clusters/entry.ts';
import type { Key } from '../../../../shared/model/request.ts';
import type { QueuedWork } from '../../../../shared/queue/queued-work.ts';
import { addNodeIn, cloudConfFor, kubeconfigFor } from '../../../support/sandbox-world.ts';
import { sandboxWorld } from '../../sandbox-world.ts';
import { asked, coldFunctions, taken, work } from '../deployed.ts';

/** What an event tells of an object of a cluster. */
export const queuedOf = (cluster: string, key?: Key): QueuedWork => asked(key, { cluster });

export const tokenOf = (name: string): string => `token-of-the-cluster-${name}-of-tests`;

export function textsOf(name: string, cluster: Sandbox, { authUrl }: Sandbox): Texts {
  return {
    kubeconfig: kubeconfigFor(cluster),
    'cloud.conf': cloudConfFor(authUrl),
    flags: 'cluster-name=kubernetes',
    'audit-tokens': tokenOf(name),
    'resync-tokens': tokenOf(name),
    'page-tokens': tokenOf(name),
  };
}

const ROOT = '/levelset/test';

/** The clusters prod-a and prod-b; the second one has its Nodes in the cloud of the first. */
export async function deployedClusters() {
  const aws = await coldFunctions();
  vi.stubEnv('LEVELSET_CLUSTERS', `parameters:${ROOT}`);
  vi.stubEnv('LEVELSET_ALLOW_LOCAL_SERVERS', 'true');
  const { sandbox: a } = await sandboxWorld({ pendingMs: 20 });
  const { sandbox: b } = await sandboxWorld({ nodes: 0 });
  for (const name of ['node-1', 'node-2']) addNodeIn(a, `b-${name}`, b);
  /** Writes an entry as it is to be, long ago. */
  const write = (name: string, texts: Texts): void => {
    const prefix = `${ROOT}/clusters/${name}/`;
    for (const path of [...aws.parameters.keys()]) if (path.startsWith(prefix)) aws.parameters.delete(path);
    for (const [text, value] of Object.entries(texts)) aws.parameters.set(`${prefix}${text}`, value);
  };
  write('prod-a', textsOf('prod-a', a, a));
  write('prod-b', textsOf('prod-b', b, a));
  /** Works on all that is queued, and on what follows from that. */
  const drain = async (): Promise<void> => {
    for (let next = taken(aws); next.length > 0; next = taken(aws)) {
      const failed = await work(...next);
      if (failed.length > 0) throw new Error(`messages failed: ${failed.join()}`);
    }
  };
  return { aws, a, b, write, drain };
}
