import { attributeRule } from '../../model/attributes.ts';
import { setTags } from '../../model/ownership.ts';
import type { DesiredResource, ResourceKind } from '../../model/resources.ts';

/**
 * The resource with a tag that records which attributes levelset set on somebody's request: an annotation's, or the
 * weight 0 of a draining member. shared/plan reads the tag back (decision 2).
 */
export function withSetRecord<K extends ResourceKind>(resource: DesiredResource<K>): DesiredResource<K> {
  const recorded = Object.keys(resource.attributes)
    .filter((attribute) => attributeRule(resource.kind, attribute).unset !== undefined)
    .sort();
  if (recorded.length === 0) return resource;
  const { tags = [] } = resource.attributes as { readonly tags?: readonly string[] };
  return { ...resource, attributes: { ...resource.attributes, tags: [...tags, ...setTags(recorded)] } };
}
