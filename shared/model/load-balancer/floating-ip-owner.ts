/** Whose a floating IP is, by its tags and its description (decision 161). */
import {
  floatingIPDescription,
  goFloatingIPText,
  hasTag,
  keptTag,
  serviceTag,
  TAG_PREFIX,
  tagValue,
  tagValues,
} from '../ownership.ts';
import type { ClusterIdentity } from '../ownership.ts';
import type { ServiceKey } from '../request.ts';
import type { WireResource } from '../resources.ts';
import { allowsNamespace } from './reach.ts';

interface Asking {
  readonly name: ServiceKey;
  readonly service?: { readonly metadata: { readonly uid: string } } | undefined;
}

/** How a description of levelset ends, after OCCM's text. */
const HASH = /\(levelset [0-9a-f]{12}\)$/;

/** Whether levelset or OCCM made a floating IP for this very Service: only then it may be deleted. A mark of another cluster excludes it. */
export function isFloatingIPMadeFor(wire: WireResource, name: ServiceKey, cluster: ClusterIdentity): boolean {
  if (isFloatingIPElsewhere(wire, cluster)) return false;
  const text = String(wire['description']);
  const start = `${goFloatingIPText(name)} from cluster `;
  if (HASH.test(text))
    return text.startsWith(start) && hashOf(text) === hashOf(floatingIPDescription(cluster, name));
  return text === `${start}${cluster.name}`;
}

/** Whether a floating IP is another cluster's: by a tag, or else by the end of levelset's own description. */
export function isFloatingIPElsewhere(wire: WireResource, cluster: ClusterIdentity): boolean {
  const tagged = tagValues(wire['tags'], 'cluster');
  if (tagged.length > 0) return tagged.some((id) => id !== cluster.id);
  const text = String(wire['description']);
  return HASH.test(text) && serviceIn(text) !== undefined && !isDescribedFor(wire, cluster);
}

/** Whether levelset's own description says that the floating IP was made for a Service of this cluster, whatever its name was. */
export function isDescribedFor({ description }: WireResource, { id }: Pick<ClusterIdentity, 'id'>): boolean {
  const text = String(description);
  const made = serviceIn(text);
  return (
    made !== undefined &&
    HASH.test(text) &&
    hashOf(text) === hashOf(floatingIPDescription({ id, name: '' }, made))
  );
}

/** Whether levelset made the floating IP for a Service of this cluster, and its tags are gone or were never written. */
export function isUntagged(wire: WireResource, cluster: Pick<ClusterIdentity, 'id'>): boolean {
  const isTagged = [wire['tags']].flat().some((tag) => String(tag).startsWith(TAG_PREFIX));
  return !isTagged && isDescribedFor(wire, cluster);
}

/** Why a Service may not have a free floating IP that it names; undefined with consent: a tag on it, or the operator's word (`isAllowed`). */
export function whyNotFree(
  wire: WireResource,
  { name, service }: Asking,
  cluster: ClusterIdentity,
  isAllowed: boolean,
): string | undefined {
  if (isFloatingIPElsewhere(wire, cluster))
    return `is a floating IP of another cluster, as its tags or its description say; let its Service go there first, then remove the marks: openstack floating ip unset --tag levelset-cluster=... ${wire.id}, openstack floating ip set --description "" ${wire.id}`;
  const { tags } = wire;
  if (isAllowed || allowsNamespace(tags, name.namespace)) return undefined;
  if (hasTag(tags, keptTag(cluster, name.namespace))) return undefined;
  const owner = ownerOf(wire, { name, service }, cluster);
  if (owner === undefined) return undefined;
  const address = String(wire['floating_ip_address']);
  return `is a floating IP ${owner}; to move it here, let that Service go first with keep-floatingip, if it is in this namespace, or give consent: by the tag levelset-allow=${name.namespace} on the floating IP, or by --allowed-references=${name.namespace}/floatingip/${address}`;
}

function ownerOf(
  wire: WireResource,
  { name, service }: Asking,
  cluster: ClusterIdentity,
): string | undefined {
  const { tags } = wire;
  const kept = tagValue(tags, 'kept');
  if (kept !== undefined) return `that is kept for another namespace, ${kept.split('/')[1] ?? ''}`;
  if (isFloatingIPMadeFor(wire, name, cluster)) return undefined;
  if (service && hasTag(tags, serviceTag(service.metadata.uid))) return undefined;
  const made = serviceIn(String(wire['description']));
  const uid = tagValue(tags, 'service');
  if (uid !== undefined)
    return made ? `of Service ${textOf(made)}` : `of another Service, whose UID is ${uid}`;
  if (!made) return undefined;
  const of = /from cluster (.*)$/.exec(String(wire['description']))?.[1] ?? '';
  const isNamesake = made.namespace === name.namespace && made.name === name.name;
  return isNamesake
    ? `that was made for a Service of this very name under the cluster name ${of}, while --cluster-name is ${cluster.name}`
    : `that was made for Service ${textOf(made)} of cluster ${of}`;
}

const DESCRIBED = new RegExp(
  `^${goFloatingIPText({ namespace: '([^/ ]+)', name: '([^ ]+)' })} from cluster `,
);

export function serviceIn(description: string): ServiceKey | undefined {
  const [, namespace, name] = DESCRIBED.exec(description) ?? [];
  return namespace === undefined || name === undefined ? undefined : { namespace, name };
}

function hashOf(text: string): string | undefined {
  return HASH.exec(text)?.[0];
}

function textOf({ namespace, name }: ServiceKey): string {
  return `${namespace}/${name}`;
}
