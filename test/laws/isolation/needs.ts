/** Which units need which resource of the APIs. What levelset asks for and no row has fails one-call-fails.test.ts. */
import type { ServiceType } from '../../../shared/openstack/openstack-http.ts';
import type { UnitName } from './units.ts';

/** Requests that fail together, and the units that cannot end as they should meanwhile. */
export interface Call {
  readonly name: string;
  readonly side: 'kube' | 'openstack';
  readonly path: RegExp;
  /** Undefined: whatever the method is. */
  readonly write: boolean | undefined;
  readonly needs: readonly UnitName[];
}

/** Who needs what is read, and who what is written. */
type Row = readonly [path: RegExp, read: readonly UnitName[], write?: readonly UnitName[]];

const EXTERNAL: readonly UnitName[] = ['external', 'fresh', 'local', 'pods', 'secret', 'reference'];
/** Services that want a load balancer. */
const WANTED: readonly UnitName[] = [...EXTERNAL, 'internal'];
const SERVICES: readonly UnitName[] = [...WANTED, 'gone'];
/** Those that are made meanwhile. */
const MADE: readonly UnitName[] = ['fresh', 'secret'];
/** Those that lose a port and get another one. */
const EDITED: readonly UnitName[] = ['external', 'internal'];
/** Those that go to Nodes and were there before a Node joined. */
const TO_NODES: readonly UnitName[] = [...EDITED, 'local', 'reference'];
const NODES: readonly UnitName[] = ['joining', 'lost'];
const NOBODY: readonly UnitName[] = [];

/** `managed` is what units need only if levelset manages security groups. */
const openstack = (managed: readonly UnitName[]): Readonly<Record<string, Row>> => ({
  versions: [/^\/load-balancer\/$/, SERVICES],
  quotas: [/\/quotas\//, MADE],
  loadbalancers: [/\/lbaas\/loadbalancers/, SERVICES, [...MADE, 'gone']],
  listeners: [/\/lbaas\/listeners/, SERVICES, EDITED],
  pools: [/\/lbaas\/pools(\/[^/?]+)?(\?|$)/, SERVICES, EDITED],
  members: [/\/members/, SERVICES, [...TO_NODES, 'pods']],
  healthmonitors: [/\/lbaas\/healthmonitors/, SERVICES, EDITED],
  'l7 policies, flavors and zones': [/\/lbaas\/(l7policies|flavors|availabilityzones)/, NOBODY],
  floatingips: [/\/floatingips/, [...EXTERNAL, 'gone'], [...MADE, 'gone']],
  'security groups': [/\/security-groups/, managed, managed.filter((one) => [...MADE, 'gone'].includes(one))],
  // a new group comes with rules of Neutron
  'security group rules': [/\/security-group-rules/, NOBODY, managed],
  networks: [/\/v2.0\/networks/, EXTERNAL],
  subnets: [/\/v2.0\/subnets/, WANTED],
  'QoS policies': [/\/qos\//, NOBODY],
  routers: [/\/v2.0\/routers/, ['routes']],
  extensions: [/\/v2.0\/extensions/, ['routes']],
  // the subnet of the nodes, for a load balancer that is made; servers' ports; whose the address of a Node is that joins
  ports: [/\/v2.0\/ports/, [...managed, ...MADE, ...TO_NODES, ...NODES, 'routes'], [...managed, 'routes']],
  servers: [/^\/compute\/.*\/servers/, NODES],
  'flavors of servers': [/^\/compute\/.*\/flavors/, NOBODY],
  secrets: [/\/v1\/secrets(\?|$)/, ['secret']],
  'one secret': [/\/v1\/secrets\/./, NOBODY],
  containers: [/\/v1\/containers/, ['reference']],
});

const KUBE: Readonly<Record<string, Row>> = {
  'the UID of the cluster': [/\/namespaces\/kube-system(\?|$)/, SERVICES],
  'other namespaces': [/\/api\/v1\/namespaces\/(?!kube-system)[^/]+(\?|$)/, NOBODY],
  services: [/\/services(\/|\?|$)/, SERVICES],
  nodes: [/\/nodes(\/[^/?]+)?(\?|$)/, [...WANTED, ...NODES, 'routes'], NODES],
  'status of nodes': [/\/nodes\/[^/]+\/status/, NOBODY, ['joining', 'routes']],
  endpointslices: [/\/endpointslices/, ['local', 'pods']],
  pods: [/\/pods(\?|$)/, ['pods']],
  secrets: [/\/secrets\/[^/]+(\?|$)/, ['secret']],
  events: [/\/events/, NOBODY],
  leases: [/\/leases\//, NOBODY],
  'what was settled': [/\/configmaps(\?labelSelector|\/levelset-state)/, NOBODY],
  'the record of routes': [/\/configmaps\/levelset-routes/, ['routes']],
  // of the deletion budget: the law's world deletes its Service, and has no load balancer in ERROR
  'the record of deletions': [/\/configmaps\/levelset-deletions/, ['lost']],
  'where it is': [/\/configmaps\/levelset-place/, SERVICES],
  'new records': [/\/configmaps(\?$|$)/, NOBODY, ['lost']],
};

export const APIS: Readonly<Record<ServiceType, readonly UnitName[]>> = {
  'load-balancer': SERVICES,
  network: [...SERVICES, ...NODES, 'routes'],
  compute: NODES,
  'key-manager': ['secret', 'reference'],
  identity: [...SERVICES, ...NODES, 'routes'],
};

/** What is read of each resource, what is written of it, and then each API of OpenStack as a whole. */
export function callsOf(isManaged: boolean): readonly Call[] {
  const callsIn = (side: Call['side'], rows: Readonly<Record<string, Row>>): readonly Call[] =>
    Object.entries(rows).flatMap(([name, [path, read, write = read]]) => [
      { name: `read ${name}`, side, path, write: false, needs: read },
      { name: `write ${name}`, side, path, write: true, needs: write },
    ]);
  const apis = Object.entries(APIS).map(([name, needs]): Call => {
    return { name, side: 'openstack', path: new RegExp(`^/${name}/`), write: undefined, needs };
  });
  return [
    ...callsIn('openstack', openstack(isManaged ? SERVICES : NOBODY)),
    ...callsIn('kube', KUBE),
    ...apis,
  ];
}
