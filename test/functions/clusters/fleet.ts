/** Several clusters of one deployment: sandboxes whose objects have the same names, in one OpenStack project. */
import { onTestFinished } from 'vitest';
import { serveClusters } from '../../../functions/clusters/serve-clusters.ts';
import type { ServeOptions } from '../../../functions/serve/while-leading.ts';
import type { Sandbox } from '../../../infra/sandbox/sandbox.ts';
import type { EntrySource, Texts } from '../../../shared/clusters/entry.ts';
import type { ClustersView } from '../../../shared/report/page/clusters-page.ts';
import { addNodeIn, cloudConfFor, kubeconfigFor } from '../../support/sandbox-world.ts';
import { callsOf, heard } from '../running.ts';
import { sandboxWorld } from '../sandbox-world.ts';

export const tokenOf = (name: string): string => `token-of-the-cluster-${name}-of-tests`;

/** The entry of a cluster that uses the cloud of another sandbox. */
export function textsOf(name: string, cluster: Sandbox, { authUrl }: Sandbox): Texts {
  return {
    kubeconfig: kubeconfigFor(cluster),
    'cloud.conf': cloudConfFor(authUrl),
    'audit-tokens': tokenOf(name),
    'resync-tokens': tokenOf(name),
    'page-tokens': tokenOf(name),
  };
}

/** Two clusters, of which the second has its Nodes in the cloud of the first. */
export async function twoSandboxes(pendingMs = 2): Promise<readonly [Sandbox, Sandbox]> {
  const { sandbox: a } = await sandboxWorld({ pendingMs });
  const { sandbox: b } = await sandboxWorld({ nodes: 0 });
  for (const name of ['node-1', 'node-2']) addNodeIn(a, `b-${name}`, b);
  return [a, b];
}

/** Entries that a test changes in a Map. */
export function sourceOf(entries: ReadonlyMap<string, Texts>): EntrySource {
  return {
    names: () => Promise.resolve([...entries.keys()]),
    read: (name) => Promise.resolve(entries.get(name)),
  };
}

/** `serve --clusters` with these entries. Who changes them is heard within some milliseconds. */
export async function runningClusters(
  source: EntrySource,
  flags: ServeOptions['flags'] = {},
  env: NodeJS.ProcessEnv = {},
) {
  const { log, ...told } = heard();
  const all = { allowLocalServers: 'true', sweepInterval: '1h', listen: '127.0.0.1:0', ...flags };
  const serving = await serveClusters({ flags: all, env, log, everyMs: 20 }, source);
  onTestFinished(() => serving.stop());
  const calls = callsOf(serving);
  return {
    ...{ ...serving, ...told, ...calls },
    page: async () => (JSON.parse(await calls.get('/?format=json')) as ClustersView).clusters,
    /** How often a cluster was connected and served. */
    timesServed: (name: string) =>
      told.lines.filter((line) => line.startsWith(`["the cluster is served",{"cluster":"${name}"`)).length,
  };
}
