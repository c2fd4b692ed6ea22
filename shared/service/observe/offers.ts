import type { Offer, OfferQuestion, Offers } from '../../model/load-balancer/octavia.ts';
import type { Cloud, Clock } from '../../ports.ts';
import { remember } from '../../observe/memo.ts';

interface Source {
  readonly cloud: Cloud;
  readonly clock: Clock;
}

/** All of them, once a minute for the whole process: there are few, and a Problem names what could have been asked for. */
export async function observeOffers({ flavors, zones }: OfferQuestion, source: Source): Promise<Offers> {
  return {
    ...(flavors ? { flavors: await listOf('flavor', source) } : {}),
    ...(zones ? { zones: await listOf('availabilityzone', source) } : {}),
  };
}

async function listOf(
  kind: 'flavor' | 'availabilityzone',
  { cloud, clock }: Source,
): Promise<readonly Offer[]> {
  const found = await remember(cloud, clock, `${kind}s`, () => cloud.list(kind));
  return found.map(({ id, name, enabled }) => ({ id, name: String(name), enabled: enabled === true }));
}
