import { mergeTags } from '../../model/ownership.ts';
import type { Change } from '../../model/plan.ts';
import type { DesiredResource, ObservedResource } from '../../model/resources.ts';

const USUAL_WEIGHT = 1;

/**
 * A member that exists, as a batch lists it. Octavia reads that as a create: what it leaves out is set back, also what is
 * not ours to set, such as the weight that a person gave; and what it names is overwritten, also the subnet, which a PUT of
 * the member could not change (test/conformance, "members").
 */
export function asListed(
  desired: DesiredResource,
  { wire }: ObservedResource,
  changes: readonly Change[],
): DesiredResource {
  const { weight, monitor_address, subnet_id, tags = [] } = wire as Readonly<Record<string, unknown>>;
  const { tags: ours = [], ...others } = desired.attributes as { readonly tags?: readonly string[] };
  const attributes = Object.entries(others).filter(([name]) => name !== 'subnet_id');
  const all = mergeTags(tags as readonly string[], ours);
  return {
    ...desired,
    attributes: {
      ...(weight === undefined || weight === USUAL_WEIGHT ? {} : { weight }),
      ...(typeof monitor_address === 'string' ? { monitor_address } : {}),
      ...Object.fromEntries(attributes),
      ...(typeof subnet_id === 'string' ? { subnet_id } : {}),
      ...(all.length > 0 ? { tags: all } : {}),
      ...Object.fromEntries(changes.map(({ attribute, to }) => [attribute, to])),
    },
  };
}
