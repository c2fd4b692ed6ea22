import type { Problem } from '../../model/plan.ts';
import type { Address } from '../../model/address.ts';
import type { DesiredResource, ObservedResource } from '../../model/resources.ts';
import type { ClusterIdentity } from '../../model/ownership.ts';
import { servicesIn } from '../../model/load-balancer/shared-load-balancer.ts';

/**
 * Octavia has one TCP-like listener per port, so one that another Service, or a person, has on the same load balancer keeps
 * this Service from it: that port is left out with all that belongs to it, and the rest is done.
 */
export function withoutTakenPlaces(
  desired: readonly DesiredResource[],
  observed: readonly ObservedResource[],
  cluster: ClusterIdentity,
): { readonly desired: readonly DesiredResource[]; readonly problems: readonly Problem[] } {
  const there = new Map(observed.map((resource) => [resource.address, resource]));
  const taken = desired.flatMap(({ kind, address }) => {
    if (kind !== 'listener') return [];
    const place = address.slice('listener/'.length);
    const holder = there.get(address) ?? there.get(`pool/${place}`);
    return holder && !holder.owned ? [{ place, holder }] : [];
  });
  if (taken.length === 0) return { desired, problems: [] };
  const places = new Set(taken.map(({ place }) => place));
  return {
    desired: desired.filter(({ address }) => !places.has(placeOf(address) ?? '')),
    problems: taken.map(({ place, holder }) => problemOf(place, holder, cluster)),
  };
}

const AT_A_PLACE = ['listener', 'pool', 'monitor', 'member', 'l7policy', 'l7rule'];

/** `tcp/80` of `member/tcp/80/10.0.0.5:30080`. */
function placeOf(address: Address): string | undefined {
  const [kind = '', family, port] = address.split('/');
  return AT_A_PLACE.includes(kind) ? `${family ?? ''}/${port ?? ''}` : undefined;
}

function problemOf(place: string, { wire, id }: ObservedResource, cluster: ClusterIdentity): Problem {
  const [family = '', port = ''] = place.split('/');
  const [service] = servicesIn(wire['tags'], cluster);
  const name = /_([a-z0-9.-]+)_([a-z0-9.-]+)$/.exec(String(wire['name']));
  const whose = service ?? (name ? `${name[1] ?? ''}/${name[2] ?? ''}` : `somebody else (${id})`);
  const message = `is taken on this load balancer by ${whose}; the other ports are done`;
  return { field: 'spec.ports[].port', value: `${family.toUpperCase()} ${port}`, message };
}
