import { isError } from '../../../model/errors.ts';
import type { Service } from '../../../model/kubernetes.ts';
import { goTags, isMadeFor } from '../../../model/load-balancer/other-controllers.ts';
import { clusterTag, hasTag, nameTag, type ClusterIdentity } from '../../../model/ownership.ts';
import type { ObservedResource, WireResource } from '../../../model/resources.ts';
import {
  goTagsIn,
  isGoTagOf,
  isMakerGone,
  madeForKey,
  serviceOfGoTag,
  servicesIn,
  textOf,
  type Sharing,
} from '../../../model/load-balancer/shared-load-balancer.ts';
import type { ServiceObject } from '../../../model/service-object.ts';
import { attempt } from '../../../observe/reads.ts';
import type { Question, Source } from '../questions.ts';

export function sharingOf(
  { wire: loadBalancer, whose }: ObservedResource,
  resources: readonly ObservedResource[],
  object: ServiceObject,
  cluster: ClusterIdentity,
): Sharing {
  const told = servicesIn(loadBalancer['tags'], cluster);
  const listeners = resources.filter(({ kind, whose }) => kind === 'listener' && whose === 'foreign');
  const own = textOf(object.name);
  const using = listeners.flatMap(({ wire }) => usersOf(wire, cluster, own));
  const missingTags = listeners.flatMap(({ wire }) => tagsOf(wire, cluster));
  const others = [...new Set([...told, ...using])].filter((service) => service !== own).sort();
  return {
    others,
    decides: others.length === 0 && whose !== 'foreign',
    maker: isMadeForIt(loadBalancer, object, cluster)
      ? 'this'
      : isMakerGone(loadBalancer, cluster)
        ? 'gone'
        : 'another',
    missingTags: [...new Set(missingTags)].filter((tag) => !hasTag(loadBalancer['tags'], tag)).sort(),
  };
}

/** What all who share it ask for. A Service that leaves does not count; what cannot be read, or has vanished, agrees to nothing. */
export async function agreedBy(
  { others }: Sharing,
  own: Service,
  { asksFor, kube, services }: Pick<Question, 'asksFor'> & Pick<Source, 'kube' | 'services'>,
): Promise<Pick<Sharing, 'agreed' | 'byConfig'> | undefined> {
  const ask = async (text: string): Promise<ReturnType<Question['asksFor']> | 'unknown'> => {
    const [namespace = '', name] = text.split('/');
    if (name === undefined) return 'unknown';
    const service = services?.get(text) ?? (await attempt(kube.getService(namespace, name)));
    if (isError(service)) return 'unknown';
    // what a Service that has vanished has left may be wanted again, and serves until its quarantine ends
    return service ? asksFor(service) : 'unknown';
  };
  const asked = new Set([asksFor(own), ...(await Promise.all(others.map(ask)))]);
  asked.delete(undefined);
  const byConfig = asked.delete('internal by config');
  if (byConfig) asked.add('internal');
  const [first] = asked;
  if (asked.size !== 1 || first === undefined || first === 'unknown' || first === 'internal by config')
    return undefined;
  return { agreed: first, ...(byConfig ? { byConfig } : {}) };
}

/** The Services whose listener this is. A namesake in another cluster appears by its tag. */
function usersOf(
  { tags }: WireResource,
  cluster: ClusterIdentity,
  own: string | undefined,
): readonly string[] {
  return servicesIn(tags, cluster).map((text) =>
    text === own ? (goTagsIn(tags)[0] ?? `a namesake of ${text}`) : text,
  );
}

/** OCCM's tag, and for a Service of this cluster also our own. */
function tagsOf({ tags }: WireResource, cluster: ClusterIdentity): readonly string[] {
  const go = goTagsIn(tags);
  const isOurs = hasTag(tags, clusterTag(cluster));
  return isOurs ? go.flatMap((tag) => [tag, ...nameTagOf(tag)]) : go;
}

function nameTagOf(tag: string): readonly string[] {
  const key = serviceOfGoTag(tag);
  return key ? [nameTag(key)] : [];
}

function isMadeForIt(
  loadBalancer: WireResource,
  { name, service }: ServiceObject,
  cluster: ClusterIdentity,
): boolean {
  const called = String(loadBalancer['name']);
  if (goTags(cluster.name, name).includes(called) || isGoTagOf(called, name)) return true;
  const uid = service?.metadata.uid ?? '';
  return madeForKey(loadBalancer) === undefined && isMadeFor(loadBalancer, name, uid);
}
