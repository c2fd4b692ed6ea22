import type { Offer, OfferQuestion, Offers } from '../../model/load-balancer/octavia.ts';
import type { CloudReader } from '../../ports.ts';
import { onceAMinute } from '../../observe/once-a-minute.ts';

/** All of them, once a minute for the whole process: there are few, and a Problem names what could have been asked for. */
export async function observeOffers({ flavors, zones }: OfferQuestion, source: CloudReader): Promise<Offers> {
  return {
    ...(flavors ? { flavors: await listOf('flavor', source) } : {}),
    ...(zones ? { zones: await listOf('availabilityzone', source) } : {}),
  };
}

async function listOf(kind: 'flavor' | 'availabilityzone', source: CloudReader): Promise<readonly Offer[]> {
  const found = await onceAMinute(source, `${kind}s`, () => source.cloud.list(kind));
  return found.map(({ id, name, enabled }) => ({ id, name: String(name), enabled: enabled === true }));
}
