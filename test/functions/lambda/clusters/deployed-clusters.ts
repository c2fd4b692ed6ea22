/** The functions of a deployment with a registry: two sandboxes whose objects have the same names, in one project. */
import { vi } from 'vitest';
import type { Texts } from '../../../../shared/clusters/entry.ts';
import type { Key } from '../../../../shared/model/request.ts';
import type { QueuedWork } from '../../../../shared/queue/queued-work.ts';
import { textsOf, twoSandboxes } from '../../clusters/fleet.ts';
import { asked, coldFunctions, taken, work } from '../deployed.ts';

/** What an event tells of an object of a cluster. */
export const queuedOf = (cluster: string, key?: Key): QueuedWork => asked(key, { cluster });

const ROOT = '/levelset/test';

/** The clusters prod-a and prod-b; the second one has its Nodes in the cloud of the first. */
export async function deployedClusters() {
  const aws = await coldFunctions();
  vi.stubEnv('LEVELSET_CLUSTERS', `parameters:${ROOT}`);
  vi.stubEnv('LEVELSET_ALLOW_LOCAL_SERVERS', 'true');
  const [a, b] = await twoSandboxes(20);
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
