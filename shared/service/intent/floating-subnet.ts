import { chooseByName, chooseByTags } from '../../model/network/subnet-choice.ts';
import type { Choice } from '../../model/network/subnet-choice.ts';
import { askedFloatingIP } from '../../model/kubernetes.ts';
import type { Service } from '../../model/kubernetes.ts';
import type { FloatingSubnet, NetworkFacts } from '../../model/network/network-facts.ts';
import type { Problem } from '../../model/plan.ts';
import type { Annotated } from './read-annotations.ts';

const OCCM = 'loadbalancer.openstack.org/';

/** Subnets that are tried one after the other for a free address. */
const MOST_TRIES = 10;

interface Asked {
  readonly annotated: Annotated;
  readonly service: Pick<Service, 'spec'>;
}

/** A subnet is chosen by what it is called: neither named by its id, nor settled by the address that is asked for. */
export function choosesFloatingSubnet({ annotated, service }: Asked): boolean {
  const { floatingip, Service } = annotated;
  if (askedFloatingIP(service) !== undefined) return false;
  const { floatingSubnet = '', floatingSubnetTags = '' } = Service;
  return !floatingip.subnet_id && floatingSubnet + floatingSubnetTags !== '';
}

export interface FloatingSubnets {
  /** In the order in which they are tried; empty: Neutron chooses. Absent: no floating IP may be made. */
  readonly subnets?: readonly string[];
  readonly problems: readonly Problem[];
}

/** The subnets that may give the floating IP. Where that is in doubt none is made, since it could not move later. */
export function desireFloatingSubnets(asked: Asked, network: string, facts: NetworkFacts): FloatingSubnets {
  const { annotated } = asked;
  if (annotated.problems.some(({ field }) => field.startsWith(`${OCCM}floating-subnet`)))
    return { problems: [] };
  const there = facts.floatingSubnets ?? [];
  const id = annotated.floatingip.subnet_id;
  if (id) return desireNamed(id, network, there);
  if (!choosesFloatingSubnet(asked)) return { subnets: [], problems: [] };
  const { floatingSubnet: name = '', floatingSubnetTags: tags = '' } = annotated.Service;
  const byName = name === '' ? undefined : chooseByName(name);
  const byTags = tags === '' ? undefined : chooseByTags(tags);
  const subnets = there
    .filter((subnet) => isChosen(subnet.name, byName) && isChosen(subnet.tags, byTags))
    .slice(0, MOST_TRIES);
  if (subnets.length > 0) return { subnets: subnets.map(({ id: chosen }) => chosen), problems: [] };
  const field = `${OCCM}${name === '' ? 'floating-subnet-tags' : 'floating-subnet'}`;
  const value = [name, tags].filter((text) => text !== '').join(' and tags ');
  const message = `matches no IPv4 subnet of the external network ${network}, ${listOf(there)}; no floating IP is made`;
  return { problems: [{ field, value, message }] };
}

/** One that cannot be seen is left to Neutron to judge. */
function desireNamed(id: string, network: string, there: readonly FloatingSubnet[]): FloatingSubnets {
  const stray = there.find((subnet) => subnet.id === id && subnet.network_id !== network);
  if (!stray) return { subnets: [id], problems: [] };
  const message = `is a subnet of network ${stray.network_id}, not of the external network ${network}; no floating IP is made`;
  return { problems: [{ field: `${OCCM}floating-subnet-id`, value: id, message }] };
}

function isChosen<T>(value: T, choice: Choice<T> | undefined): boolean {
  return choice === undefined || ('matches' in choice && choice.matches(value));
}

function listOf(subnets: readonly FloatingSubnet[]): string {
  if (subnets.length === 0) return 'of which the project can see none';
  const shown = subnets
    .slice(0, MOST_TRIES)
    .map(({ name, tags }) => [name, ...tags.map((tag) => `#${tag}`)].join(' '));
  return `which has ${shown.join(', ')}${subnets.length > MOST_TRIES ? ', ...' : ''}`;
}
