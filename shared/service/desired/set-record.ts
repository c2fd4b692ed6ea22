import { attributeRule } from '../../model/attributes.ts';
import { setTags } from '../../model/ownership.ts';
import type { DesiredResource, ResourceKind } from '../../model/resources.ts';

/** The resource with the record of what is set only because somebody asks for it, in the tag that plan/ reads back. */
export function withSetRecord<K extends ResourceKind>(resource: DesiredResource<K>): DesiredResource<K> {
  const asked = Object.keys(resource.attributes)
    .filter((attribute) => attributeRule(resource.kind, attribute).unset !== undefined)
    .sort();
  if (asked.length === 0) return resource;
  const { tags = [] } = resource.attributes as { readonly tags?: readonly string[] };
  return { ...resource, attributes: { ...resource.attributes, tags: [...tags, ...setTags(asked)] } };
}
