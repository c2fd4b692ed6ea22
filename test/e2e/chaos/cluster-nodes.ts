/** Nodes that join and leave, are not ready, and are kept out of load balancers for a while. */
import type { Node } from '../../../shared/model/kubernetes.ts';
import { joinCluster, leaveCluster, nodeOf, patchNode, sayReady, type LabNode } from '../lab/lab.ts';
import type { NodeEdit } from './script.ts';

const EXCLUDED = 'node.kubernetes.io/exclude-from-external-load-balancers';
const LEAVING = { key: 'ToBeDeletedByClusterAutoscaler', value: '1', effect: 'NoSchedule' };

export class ClusterNodes {
  readonly #servers: readonly LabNode[];

  constructor(servers: readonly LabNode[]) {
    this.#servers = servers;
  }

  /** Half of them in the cluster. */
  async begin(): Promise<void> {
    const first = this.#servers.slice(0, Math.ceil(this.#servers.length / 2));
    await Promise.all(first.map((server) => joinCluster(server)));
  }

  /** Each turns what it is about the other way round. False: the Node is not there. */
  async edit({ node: at, does }: NodeEdit): Promise<boolean> {
    const server = this.#servers[at];
    if (!server) return false;
    const { name } = server;
    const node = await nodeOf(name);
    if (does === 'membership') {
      await (node ? leaveCluster(name) : joinCluster(server));
      return true;
    }
    if (!node) return false;
    const { labels = {} } = node.metadata;
    const label = (key: string, value: string | null): Promise<unknown> =>
      patchNode(name, { metadata: { labels: { [key]: value } } });
    const edits = {
      readiness: () => sayReady(name, isReady(node) ? 'Unknown' : 'True'),
      exclusion: () => label(EXCLUDED, labels[EXCLUDED] === undefined ? '' : null),
      autoscaler: () => patchNode(name, { spec: { taints: taintsWithout(node) } }),
      label: () => label('chaos', labels['chaos'] === 'a' ? 'b' : 'a'),
    };
    await edits[does]();
    return true;
  }

  /** Each label that a Service may select is on a Node that may be a member. The others stay as they are. */
  async end(): Promise<void> {
    for (const [at, label] of ['a', 'b'].entries()) {
      const server = this.#servers[at];
      if (!server) return;
      if (!(await nodeOf(server.name))) await joinCluster(server);
      await patchNode(server.name, {
        metadata: { labels: { [EXCLUDED]: null, chaos: label } },
        spec: { taints: null },
      });
    }
  }
}

const isReady = ({ status }: Node): boolean =>
  status?.conditions?.find(({ type }) => type === 'Ready')?.status === 'True';

function taintsWithout({ spec }: Node): readonly object[] {
  const taints = spec?.taints ?? [];
  const others = taints.filter(({ key }) => key !== LEAVING.key);
  return others.length < taints.length ? others : [...taints, LEAVING];
}
