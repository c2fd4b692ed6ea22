import type { Node } from '../model/kubernetes.ts';
import { nodeAt, nodeStatusAt, wireOf, type NodePatch } from '../model/node/node.ts';
import type { Step } from '../model/plan.ts';
import type { NodeKind, WireResource } from '../model/resources.ts';
import type { Kube } from '../ports.ts';

export type NodeWrites = Pick<Kube, 'patchNode' | 'patchNodeStatus' | 'deleteNode'>;

/** A PATCH of one half of a Node, or its deletion. Returns the Node as it was answered. */
export async function executeOnNode(
  step: Step,
  kind: NodeKind,
  known: ReadonlyMap<string, WireResource>,
  kube: NodeWrites,
): Promise<WireResource | undefined> {
  const node = known.get(step.address)?.['node'] as Node | undefined;
  if (!node) throw new TypeError(`a step needs ${step.address}, which this run did not observe`);
  if (step.verb === 'delete') {
    await kube.deleteNode(node);
    return undefined;
  }
  if (step.verb !== 'update')
    throw new TypeError(`${step.address}: a step on a Node is an update or a delete, not ${step.verb}`);
  const to = Object.fromEntries(step.changes.map((change) => [change.attribute, change.to]));
  const written =
    kind === 'nodestatus' ? await kube.patchNodeStatus(node, to) : await kube.patchNode(node, patchOf(to));
  return wireOf(written);
}

function patchOf({ labels, annotations, ...spec }: Readonly<Record<string, unknown>>): NodePatch {
  const metadata = { ...(labels ? { labels } : {}), ...(annotations ? { annotations } : {}) };
  return {
    ...(Object.keys(metadata).length > 0 ? { metadata } : {}),
    ...(Object.keys(spec).length > 0 ? { spec } : {}),
  } as NodePatch;
}

export function halvesOf(
  address: string,
  answer: WireResource,
): readonly (readonly [string, WireResource])[] {
  const name = address.slice(address.indexOf('/') + 1);
  return [
    [nodeAt(name), answer],
    [nodeStatusAt(name), answer],
  ];
}
