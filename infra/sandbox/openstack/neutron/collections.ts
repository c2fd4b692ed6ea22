import type { Json } from '../../json.ts';
import { neutronError } from '../../refusal.ts';
import type { CloudState } from '../cloud-state.ts';
import type { NeutronObject } from './objects.ts';
import { noSuchGroup, securityGroupView } from './security-groups.ts';

export interface Collection {
  readonly one: string;
  readonly items: readonly NeutronObject[];
  readonly view: (object: never) => Json;
  readonly missing: (id: string) => Error;
}

/** What a plain member sees: its own things, and external networks with nothing of their subnets' owners. */
export function collections(world: CloudState, projectId: string): Record<string, Collection> {
  const own = <T extends NeutronObject>(items: readonly T[]): T[] =>
    items.filter((one) => one.project_id === projectId);
  const external = world.networks.filter((one) => one['router:external']);
  const networks = [...external, ...own(world.networks)];
  const seen = world.subnets.filter((one) => networks.some((network) => network.id === one.network_id));
  const gone =
    (type: string, title: string, dot = '.') =>
    (id: string) =>
      neutronError(404, type, `${title} ${id} could not be found${dot}`);
  const plain = (object: Json): Json => object;
  return {
    networks: { one: 'network', items: networks, view: plain, missing: gone('NetworkNotFound', 'Network') },
    subnets: { one: 'subnet', items: seen, view: plain, missing: gone('SubnetNotFound', 'Subnet') },
    ports: { one: 'port', items: own(world.ports), view: plain, missing: gone('PortNotFound', 'Port') },
    floatingips: {
      one: 'floatingip',
      items: own(world.floatingips),
      view: plain,
      missing: gone('FloatingIPNotFound', 'Floating IP', ''),
    },
    routers: {
      one: 'router',
      items: own(world.routers),
      view: plain,
      missing: gone('RouterNotFound', 'Router', ''),
    },
    'security-groups': {
      one: 'security_group',
      items: own(world.securityGroups),
      view: (group) => securityGroupView(world, group),
      missing: noSuchGroup,
    },
    'security-group-rules': {
      one: 'security_group_rule',
      items: own(world.securityGroupRules),
      view: plain,
      missing: (id) =>
        neutronError(404, 'SecurityGroupRuleNotFound', `Security group rule ${id} does not exist`),
    },
  };
}
