import type { Answer } from '../../exchange.ts';
import type { Json } from '../../json.ts';
import type { CloudState } from '../cloud-state.ts';
import type { Rows } from '../rows.ts';
import { createFloatingIp, deleteFloatingIp, updateFloatingIp } from './floating-ips.ts';
import { createNetwork, createSubnet, deleteNetwork, deleteSubnet } from './network-requests.ts';
import { seesNetwork } from './networks.ts';
import type { NeutronObject } from './objects.ts';
import { postPort, putPort, removePort } from './port-requests.ts';
import * as refusals from './refusals.ts';
import { createRouter, deleteRouter, updateRouter } from './routers.ts';
import { createSecurityGroupRules, deleteSecurityGroupRule } from './security-group-rules.ts';
import * as groups from './security-groups.ts';

type Table = Pick<Rows<NeutronObject>, 'byId' | 'candidates' | 'of' | 'find' | 'filter'>;

interface Seen {
  readonly rows: Table;
  /** All objects of the collection that a plain member sees. */
  readonly all: () => readonly NeutronObject[];
  readonly isSeen: (object: NeutronObject) => boolean;
  readonly view: (object: never) => Json;
}

export interface Collection extends Seen {
  readonly one: string;
  readonly missing: (id: string) => Error;
  /** `given` is the object in the body. */
  readonly create: (world: CloudState, owner: string, given: Json, body: Json) => Answer;
  readonly update?: (world: CloudState, object: never, given: Json) => Answer;
  readonly remove: (world: CloudState, object: never) => void;
}

/** A collection as a plain member sees it: the objects of its project, and shared and external networks with their subnets. */
export function collectionOf(world: CloudState, projectId: string, name: string): Collection | undefined {
  const seen = (rows: Table, isSeen: Seen['isSeen'], all = () => rows.filter(isSeen)): Seen => ({
    ...{ rows, all, isSeen },
    view: (object: Json) => ({ ...object }),
  });
  const isOwn = (one: NeutronObject): boolean => one.project_id === projectId;
  const own = (rows: Table): Seen => seen(rows, isOwn, () => rows.of('project_id', projectId));
  const { networks, subnets, ports, floatingips, routers, securityGroups, securityGroupRules } = world;
  switch (name) {
    case 'networks':
      return {
        ...seen(networks, (one) => seesNetwork(projectId, one)),
        ...{ one: 'network', missing: refusals.noSuchNetwork },
        ...{ create: createNetwork, remove: deleteNetwork },
      };
    case 'subnets':
      return {
        ...seen(subnets, (one) => seesNetwork(projectId, networks.byId(one['network_id']))),
        ...{ one: 'subnet', missing: refusals.noSuchSubnet },
        ...{ create: createSubnet, remove: deleteSubnet },
      };
    case 'ports':
      return {
        ...{ ...own(ports), one: 'port', missing: refusals.noSuchPort },
        ...{ create: postPort, update: putPort, remove: removePort },
      };
    case 'floatingips':
      return {
        ...{ ...own(floatingips), one: 'floatingip', missing: refusals.noSuchFloatingIp },
        ...{ create: createFloatingIp, update: updateFloatingIp, remove: deleteFloatingIp },
      };
    case 'routers':
      return {
        ...{ ...own(routers), one: 'router', missing: refusals.noSuchRouter },
        ...{ create: createRouter, update: updateRouter, remove: deleteRouter },
      };
    case 'security-groups':
      return {
        ...{ ...own(securityGroups), one: 'security_group', missing: refusals.noSuchGroup },
        view: (group) => groups.securityGroupView(world, group),
        create: groups.createSecurityGroup,
        update: groups.updateSecurityGroup,
        remove: groups.deleteSecurityGroup,
      };
    case 'security-group-rules':
      return {
        ...{ ...own(securityGroupRules), one: 'security_group_rule', missing: refusals.noSuchRule },
        ...{ create: createSecurityGroupRules, remove: deleteSecurityGroupRule },
      };
    default:
      return undefined;
  }
}
