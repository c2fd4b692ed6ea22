import { ReconcileError } from '../../shared/model/errors.ts';
import type { Node } from '../../shared/model/kubernetes.ts';
import type { CidrClaim } from '../../shared/model/node/node-records.ts';
import { overlap } from '../../shared/model/network/cidr.ts';
import type { Kube } from '../../shared/ports.ts';

type Reach = Pick<Kube, 'getNode' | 'listNodes' | 'patchNode' | 'patchNodeStatus' | 'recordEvent' | 'cidrs'>;

/** Before and after each request: where a law lets others go first, or ends a run. */
export type ApprovalGate = () => Promise<void>;

/** Nodes and claims of one apiserver, each request whole or not at all; it notes when two Nodes have an address in common. */
export class CidrCluster {
  readonly nodes = new Map<string, Node>();
  readonly claims = new Map<string, CidrClaim>();
  readonly faults: string[] = [];
  #revision = 0;

  /** One of that name that is there stays. */
  register(name: string, podCIDRs: readonly string[] = []): void {
    if (this.nodes.has(name)) return;
    const version = this.#next();
    this.#put({
      metadata: { name, uid: `${name}-${version}`, resourceVersion: version },
      spec: { podCIDRs },
    });
  }

  /** As it is reached by a process. */
  through(gate: ApprovalGate): Reach {
    const ask = async <T>(answer: () => T): Promise<T> => {
      await gate();
      const answered = answer();
      await gate();
      return answered;
    };
    const patch = (node: Node, spec: object): Promise<Node> => ask(() => this.#patch(node, spec));
    return {
      getNode: (name) => ask(() => this.nodes.get(name)),
      listNodes: () => ask(() => [...this.nodes.values()]),
      patchNode: (node, { spec = {} }) => patch(node, spec),
      patchNodeStatus: (node) => patch(node, {}),
      recordEvent: () => Promise.resolve(),
      cidrs: {
        list: () => ask(() => [...this.claims.values()]),
        claim: (cidr, node) => ask(() => this.#claim(cidr, node)),
        release: (claim) =>
          ask(() => {
            this.#release(claim);
          }),
      },
    };
  }

  #next(): string {
    this.#revision += 1;
    return String(this.#revision);
  }

  #put(node: Node): Node {
    const { name } = node.metadata;
    for (const other of this.nodes.values())
      for (const cidr of other.metadata.name === name ? [] : (other.spec?.podCIDRs ?? []))
        if (node.spec?.podCIDRs?.some((one) => overlap(one, cidr)))
          this.faults.push(`${name} and ${other.metadata.name} share ${cidr}`);
    this.nodes.set(name, node);
    return node;
  }

  #patch({ metadata }: Node, spec: object): Node {
    const there = this.nodes.get(metadata.name);
    if (there?.metadata.resourceVersion !== metadata.resourceVersion)
      throw new ReconcileError('KUBE_CONFLICT', `${metadata.name} has changed`);
    const changed = { ...there.metadata, resourceVersion: this.#next() };
    return this.#put({ ...there, metadata: changed, spec: { ...there.spec, ...spec } });
  }

  #claim(cidr: string, { metadata }: Node): boolean {
    if (this.claims.has(cidr)) return false;
    const version = this.#next();
    const lease = { uid: `lease-${version}`, resourceVersion: version };
    this.claims.set(cidr, { cidr, node: metadata.name, uid: metadata.uid, lease });
    return true;
  }

  #release({ cidr, lease }: CidrClaim): void {
    if (this.claims.get(cidr)?.lease.uid === lease.uid) this.claims.delete(cidr);
  }
}
