import { attributeSince } from '../../model/load-balancer/capabilities.ts';
import type { Offer, OfferQuestion, Offers } from '../../model/load-balancer/octavia.ts';
import type { Problem } from '../../model/plan.ts';
import type { LoadBalancer } from '../../model/resources.ts';
import type { Ability } from './within-capabilities.ts';
import type { ServiceIntent } from '../intent/service-intent.ts';

/** Flavor and availability zone, among those that Octavia's operator offers. */

const FLAVOR = 'levelset.openstack.org/flavor';
const FLAVOR_ID = 'loadbalancer.openstack.org/flavor-id';
const ZONE = 'loadbalancer.openstack.org/availability-zone';

/**
 * Whether observing has to list flavors and zones: flavors if the Service has the annotation `flavor`, and before the
 * load balancer exists also for a flavor id; zones only before the load balancer exists. The provider ovn has neither,
 * and an older Octavia may not.
 */
export function offerQuestion(
  intent: ServiceIntent | undefined,
  { minor, provider }: Ability,
  isMade: boolean,
): OfferQuestion {
  const { flavor } = intent?.annotated.Service ?? {};
  const { flavor_id, availability_zone } = intent?.annotated.loadbalancer ?? {};
  const able = provider !== 'ovn';
  return {
    flavors:
      able &&
      minor >= attributeSince('loadbalancer', 'flavor_id') &&
      (flavor !== undefined || (flavor_id !== undefined && !isMade)),
    zones:
      able &&
      minor >= attributeSince('loadbalancer', 'availability_zone') &&
      availability_zone !== undefined &&
      !isMade,
  };
}

type Placed = Pick<Partial<LoadBalancer>, 'flavor_id' | 'availability_zone'>;

/**
 * The ids of flavor and zone. A flavor or zone that Octavia does not offer blocks a new load balancer, since neither
 * can change later. A load balancer that exists stays as it is.
 */
export function desireOffers(
  { annotated, service }: ServiceIntent,
  { flavors, zones, isMade = false }: Offers,
): { readonly attributes: Placed; readonly problems: readonly Problem[] } {
  const annotations = service.metadata.annotations ?? {};
  const { flavor = annotated.loadbalancer.flavor_id } = annotated.Service;
  const { availability_zone: zone } = annotated.loadbalancer;
  const flavorField = fieldOf([FLAVOR, FLAVOR_ID], 'flavor-id', annotations);
  const zoneField = fieldOf([ZONE], 'availability-zone', annotations);
  const chosen = choose(flavorField, flavor, flavors, isMade);
  const placed = choose(zoneField, zone, zones, isMade);
  return {
    attributes: {
      ...(chosen.id === undefined ? {} : { flavor_id: chosen.id }),
      ...(placed.id === undefined ? {} : { availability_zone: placed.id }),
    },
    problems: [...chosen.problems, ...placed.problems, ...secondFlavor(annotations)],
  };
}

function fieldOf(
  names: readonly string[],
  option: string,
  annotations: Readonly<Record<string, string>>,
): string {
  return names.find((name) => annotations[name] !== undefined) ?? `${option} in cloud.conf`;
}

interface Choice {
  readonly id?: string;
  readonly problems: readonly Problem[];
}

/** The offer with this id, else with this name. Without a list of offers the text counts as the id. */
function choose(
  field: string,
  text: string | undefined,
  offered: readonly Offer[] | undefined,
  isMade: boolean,
): Choice {
  if (text === undefined) return { problems: [] };
  if (!offered) return { id: text, problems: [] };
  const byId = offered.filter(({ id }) => id === text.toLowerCase());
  const found = byId.length > 0 ? byId : offered.filter(({ name }) => name === text);
  const [one, other] = found;
  if (one?.enabled && !other) return { id: one.id, problems: [] };
  const done = isMade ? 'levelset ignores it' : 'levelset makes no load balancer until it is';
  return {
    problems: [
      {
        field,
        value: text,
        message: `${why(found, offered)}; ${done}`,
        ...(isMade ? {} : { blocking: true }),
      },
    ],
  };
}

const MOST_NAMED = 10;

function why(found: readonly Offer[], offered: readonly Offer[]): string {
  if (found.length > 1) return `is the name of ${found.length} of them: name one by its id (${idsOf(found)})`;
  if (found.length === 1) return 'is not enabled by the operator of Octavia';
  const names = offered.filter(({ enabled }) => enabled).map(({ name }) => name);
  if (names.length === 0) return 'must be one that Octavia offers, and it offers none';
  const more = names.length > MOST_NAMED ? ', ...' : '';
  return `must be one that Octavia offers: ${names.sort().slice(0, MOST_NAMED).join(', ')}${more}`;
}

function idsOf(offers: readonly Offer[]): string {
  return offers
    .map(({ id }) => id)
    .sort()
    .join(', ');
}

function secondFlavor(annotations: Readonly<Record<string, string>>): readonly Problem[] {
  const { [FLAVOR]: first, [FLAVOR_ID]: second } = annotations;
  if (first === undefined || second === undefined || first.trim() === second.trim()) return [];
  return [{ field: FLAVOR_ID, value: second, message: `is ignored: ${FLAVOR} sets the same` }];
}
