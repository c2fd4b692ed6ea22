import { asText, type Json } from '../json.ts';
import { octaviaFault } from '../refusal.ts';
import type { CloudState } from './cloud-state.ts';

/** Lists that nobody writes to here, and quotas as a plain member reads them. */
export function constants(world: CloudState, collection: string, id: string | undefined): Json | undefined {
  const { minor, providers } = world.octaviaTraits;
  if (collection === 'quotas' && id !== undefined) {
    const { load_balancer, listener, pool, member, health_monitor, l7policy, l7rule } = world.quotas;
    const l7 = minor < 19 ? {} : { l7policy, l7rule };
    return { quota: { load_balancer, listener, pool, member, health_monitor, ...l7 } };
  }
  if (collection === 'flavors' && minor >= 6) {
    if (id === undefined) return { flavors: world.flavors, flavors_links: [] };
    const flavor = world.flavors.find((one) => one.id === id);
    if (!flavor) throw octaviaFault(404, `Flavor ${id} not found.`);
    return { flavor };
  }
  if (collection === 'availabilityzones' && minor >= 14) {
    if (id === undefined)
      return { availability_zones: world.availabilityZones, availability_zones_links: [] };
    const zone = world.availabilityZones.find((one) => one.name === asText(id));
    if (!zone) throw octaviaFault(404, `Availability Zone ${id} not found.`);
    return { availability_zone: zone };
  }
  return collection === 'providers' ? { providers } : undefined;
}

/** GET /: every minor version up to the newest. */
export const versions = (base: string, newest: number): Json[] =>
  Array.from({ length: newest + 1 }, (_, minor) => ({
    id: `v2.${minor}`,
    status: minor === newest ? 'CURRENT' : 'SUPPORTED',
    updated: '2022-08-29T00:00:00Z',
    links: [{ href: `${base}/v2`, rel: 'self' }],
  }));
