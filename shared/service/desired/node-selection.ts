import type { Node } from '../../model/kubernetes.ts';
import { isSelected, renderNodeSelector } from '../../model/node/node-selector.ts';
import type { NodeSelector } from '../../model/node/node-selector.ts';
import type { Problem } from '../../model/plan.ts';
import { isEligible } from '../../model/node/node-set.ts';

/**
 * The nodes whose labels a node-selector asks for. If it leaves none, that is said, and pools keep the members they have
 * (decision 57): a word mistyped in it must not be an outage.
 */
export function selectNodes(
  nodes: readonly Node[],
  selector: NodeSelector,
): { readonly nodes: readonly Node[]; readonly problems: readonly Problem[] } {
  const selected = nodes.filter((node) => isSelected(node.metadata.labels ?? {}, selector));
  const eligible = nodes.filter(isEligible).length;
  if (eligible === 0 || selected.some(isEligible)) return { nodes: selected, problems: [] };
  const message = `none of ${eligible} nodes has these labels, so there is no new member; those that are there stay`;
  const field = 'loadbalancer.openstack.org/node-selector';
  return { nodes: selected, problems: [{ field, value: renderNodeSelector(selector), message }] };
}
