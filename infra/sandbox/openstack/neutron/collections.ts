import type { Json } from '../../json.ts';
import { neutronError } from '../../refusal.ts';
import type { CloudState } from '../cloud-state.ts';
import type { Rows } from '../rows.ts';
import { seesNetwork } from './networks.ts';
import type { NeutronObject } from './objects.ts';
import { noSuchGroup, securityGroupView } from './security-groups.ts';

type Table = Pick<Rows<NeutronObject>, 'byId' | 'candidates' | 'of' | 'find' | 'filter'>;

export interface Collection {
  readonly one: string;
  readonly rows: Table;
  /** All objects of the collection that a plain member sees. */
  readonly all: () => readonly NeutronObject[];
  readonly isSeen: (object: NeutronObject) => boolean;
  readonly view: (object: never) => Json;
  readonly missing: (id: string) => Error;
}

const gone =
  (type: string, title: string, dot = '.') =>
  (id: string): Error =>
    neutronError(404, type, `${title} ${id} could not be found${dot}`);
const plain = (object: Json): Json => ({ ...object });

/** A collection as a plain member sees it: the objects of its project, and shared and external networks with their subnets. */
export function collectionOf(world: CloudState, projectId: string, name: string): Collection | undefined {
  const isOwn = (one: NeutronObject): boolean => one.project_id === projectId;
  const own = (rows: Table): Pick<Collection, 'rows' | 'all' | 'isSeen' | 'view'> => ({
    rows,
    all: () => rows.of('project_id', projectId),
    isSeen: isOwn,
    view: plain,
  });
  const seen = (
    rows: Table,
    isSeen: Collection['isSeen'],
  ): Pick<Collection, 'rows' | 'all' | 'isSeen' | 'view'> => ({
    rows,
    all: () => rows.filter(isSeen),
    isSeen,
    view: plain,
  });
  const { networks, subnets, ports, floatingips, routers, securityGroups, securityGroupRules } = world;
  switch (name) {
    case 'networks':
      return {
        ...seen(networks, (one) => seesNetwork(projectId, one)),
        ...{ one: 'network', missing: gone('NetworkNotFound', 'Network') },
      };
    case 'subnets':
      return {
        ...seen(subnets, (one) => seesNetwork(projectId, networks.byId(one['network_id']))),
        ...{ one: 'subnet', missing: gone('SubnetNotFound', 'Subnet') },
      };
    case 'ports':
      return { ...own(ports), one: 'port', missing: gone('PortNotFound', 'Port') };
    case 'floatingips':
      return {
        ...own(floatingips),
        ...{ one: 'floatingip', missing: gone('FloatingIPNotFound', 'Floating IP', '') },
      };
    case 'routers':
      return { ...own(routers), one: 'router', missing: gone('RouterNotFound', 'Router', '') };
    case 'security-groups':
      return {
        ...own(securityGroups),
        ...{ one: 'security_group', view: (group) => securityGroupView(world, group), missing: noSuchGroup },
      };
    case 'security-group-rules':
      return {
        ...own(securityGroupRules),
        one: 'security_group_rule',
        missing: (id) =>
          neutronError(404, 'SecurityGroupRuleNotFound', `Security group rule ${id} does not exist`),
      };
    default:
      return undefined;
  }
}
