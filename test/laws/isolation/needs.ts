/** Which units need which call of the ports. A call that is missing here, or a method without a row, is a type error. */
import { ENDPOINTS } from '../../../shared/openstack/endpoints.ts';
import type { ServiceType } from '../../../shared/openstack/openstack-http.ts';
import type {
  Cloud,
  DeletionRecord,
  Deletions,
  Kube,
  DeploymentHold,
  PlaceRecord,
  RepairRecord,
  ReadKind,
  RouteRecord,
  StateStore,
} from '../../../shared/ports.ts';
import type { UnitName } from './units.ts';

/** The requests of one call of a port, and the units that cannot end as they should while it fails. */
export interface Call {
  readonly name: string;
  readonly side: 'kube' | 'openstack';
  readonly method: string | undefined;
  readonly path: RegExp;
  readonly needs: readonly UnitName[];
}

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
/** Those that get another member. */
const TO_MEMBERS: readonly UnitName[] = [...TO_NODES, 'pods'];
const NODES: readonly UnitName[] = ['joining', 'lost'];
const NOBODY: readonly UnitName[] = [];
const EVERYBODY: readonly UnitName[] = [...SERVICES, ...NODES, 'routes'];

/** `where managed` is what units need only if levelset manages security groups. */
type Needs =
  | readonly UnitName[]
  | { readonly 'where managed': readonly UnitName[]; readonly always?: readonly UnitName[] };

/** Security groups and address pairs are lists of a port. */
const PORTS: Needs = { 'where managed': SERVICES, always: ['routes'] };

type Verb = 'list' | 'get' | 'create' | 'update' | 'remove';

/** Verbs that a kind does not name are nobody's. */
const OF_KINDS: Readonly<Record<ReadKind, Readonly<Partial<Record<Verb, Needs>>>>> = {
  // whether one that was deleted is gone is asked by its id, before the finalizer goes
  loadbalancer: { list: SERVICES, get: ['gone'], create: MADE, remove: ['gone'] },
  listener: { list: SERVICES, create: EDITED, update: EDITED, remove: EDITED },
  pool: { list: SERVICES, create: EDITED, remove: EDITED },
  member: { list: SERVICES, create: TO_MEMBERS },
  healthmonitor: { get: SERVICES, create: EDITED },
  l7policy: {},
  l7rule: {},
  flavor: {},
  availabilityzone: {},
  floatingip: { list: [...EXTERNAL, 'gone'], create: MADE, update: MADE, remove: ['gone'] },
  securitygroup: {
    list: { 'where managed': SERVICES },
    create: { 'where managed': MADE },
    update: { 'where managed': MADE },
    remove: { 'where managed': ['gone'] },
  },
  // a new group comes with rules of Neutron
  securitygrouprule: {
    create: { 'where managed': WANTED },
    remove: { 'where managed': [...EDITED, ...MADE, 'gone'] },
  },
  network: { list: EXTERNAL },
  subnet: { get: WANTED },
  qos_policy: {},
  router: { get: ['routes'] },
  // the subnet of the nodes, for a load balancer that is made; servers' ports; whose the address of a Node is that joins
  port: {
    list: { 'where managed': SERVICES, always: [...MADE, ...TO_NODES, ...NODES, 'routes'] },
    update: PORTS,
  },
  server: { list: NODES, get: NODES },
  compute_flavor: {},
  secret: { list: ['secret'], create: ['secret'] },
  container: { get: ['reference'] },
};

type OtherCloudCall = Exclude<keyof Cloud, 'during' | 'list' | 'get' | 'create' | 'update' | 'remove'>;

const OF_CLOUD: Readonly<Record<OtherCloudCall, Omit<Call, 'name' | 'side' | 'needs'> & { needs: Needs }>> = {
  putMembers: { method: 'PUT', path: /\/pools\/[^/]+\/members(\?|$)/, needs: TO_MEMBERS },
  failover: { method: 'PUT', path: /\/failover$/, needs: NOBODY },
  updateAt: { method: 'PUT', path: /\/v2.0\/ports\/[^/]+$/, needs: PORTS },
  addRoutes: { method: 'PUT', path: /\/add_extraroutes$/, needs: ['routes'] },
  removeRoutes: { method: 'PUT', path: /\/remove_extraroutes$/, needs: ['routes'] },
  networkExtensions: { method: 'GET', path: /\/v2.0\/extensions/, needs: ['routes'] },
  statuses: { method: 'GET', path: /\/loadbalancers\/[^/]+\/status$/, needs: SERVICES },
  certificateText: { method: 'GET', path: /\/secrets\/[^/]+\/payload$/, needs: NOBODY },
  quota: { method: 'GET', path: /\/quotas\//, needs: MADE },
  projectId: { method: 'POST', path: /\/auth\/tokens/, needs: EVERYBODY },
  region: { method: 'POST', path: /\/auth\/tokens/, needs: EVERYBODY },
  octaviaVersion: { method: 'GET', path: /^\/load-balancer\/$/, needs: SERVICES },
};

/** The methods of a port within a port, such as `state.load`. */
type Within<Name extends string, Port> = `${Name}.${keyof Port & string}`;

type KubeCall =
  | Exclude<keyof Kube, 'during' | 'deployment' | 'state' | 'routes' | 'deletions' | 'repairs' | 'place'>
  | Within<'deployment', DeploymentHold>
  | Within<'state', StateStore>
  | Within<'routes', RouteRecord>
  | Within<Within<'deletions', Deletions>, DeletionRecord>
  | Within<'repairs', RepairRecord>
  | Within<'place', PlaceRecord>;

const DEPLOYMENT = /\/leases\/levelset-deployment/;
const DELETIONS = /\/configmaps\/levelset-deletions/;

const OF_KUBE: Readonly<Record<KubeCall, Omit<Call, 'name' | 'side'>>> = {
  hasNamespace: { method: 'GET', path: /\/api\/v1\/namespaces\/(?!kube-system)[^/]+(\?|$)/, needs: NOBODY },
  clusterId: { method: 'GET', path: /\/namespaces\/kube-system(\?|$)/, needs: SERVICES },
  getService: { method: 'GET', path: /\/services\/[^/]+(\?|$)/, needs: SERVICES },
  // for sweeps, which make up for events that are lost
  listServices: { method: 'GET', path: /\/services(\?|$)/, needs: SERVICES },
  getNode: { method: 'GET', path: /\/nodes\/[^/]+(\?|$)/, needs: NODES },
  listNodes: { method: 'GET', path: /\/nodes(\?|$)/, needs: [...WANTED, ...NODES, 'routes'] },
  patchNode: { method: 'PATCH', path: /\/nodes\/[^/]+(\?|$)/, needs: NODES },
  patchNodeStatus: { method: 'PATCH', path: /\/nodes\/[^/]+\/status/, needs: ['joining', 'routes'] },
  deleteNode: { method: 'DELETE', path: /\/nodes\/[^/]+(\?|$)/, needs: ['lost'] },
  listEndpointSlices: { method: 'GET', path: /\/endpointslices/, needs: ['local', 'pods'] },
  listPods: { method: 'GET', path: /\/pods(\?|$)/, needs: ['pods'] },
  getSecret: { method: 'GET', path: /\/secrets\/[^/]+(\?|$)/, needs: ['secret'] },
  patchService: { method: 'PATCH', path: /\/services\//, needs: SERVICES },
  recordEvent: { method: undefined, path: /\/events/, needs: NOBODY },
  'deployment.require': { method: 'GET', path: DEPLOYMENT, needs: NOBODY },
  'deployment.renew': { method: 'PUT', path: DEPLOYMENT, needs: NOBODY },
  'deployment.release': { method: 'PUT', path: DEPLOYMENT, needs: NOBODY },
  'state.load': { method: 'GET', path: /\/configmaps\?labelSelector/, needs: NOBODY },
  'state.find': { method: 'GET', path: /\/configmaps\/levelset-state/, needs: NOBODY },
  'state.save': { method: 'PATCH', path: /\/configmaps\/levelset-state/, needs: NOBODY },
  'routes.load': { method: 'GET', path: /\/configmaps\/levelset-routes/, needs: ['routes'] },
  'routes.save': { method: 'PATCH', path: /\/configmaps\/levelset-routes/, needs: ['routes'] },
  'deletions.nodes.load': { method: 'GET', path: DELETIONS, needs: ['lost'] },
  // also the first state of a shard, which is a hint
  'deletions.nodes.save': { method: 'POST', path: /\/configmaps(\?|$)/, needs: ['lost'] },
  // of Services that have vanished; the law's world deletes its Service
  'deletions.left.load': { method: 'GET', path: DELETIONS, needs: ['lost'] },
  'deletions.left.save': { method: 'PATCH', path: DELETIONS, needs: ['lost'] },
  // the law's world has no load balancer in ERROR
  'repairs.load': { method: 'GET', path: DELETIONS, needs: ['lost'] },
  'repairs.save': { method: 'PATCH', path: DELETIONS, needs: ['lost'] },
  'place.load': { method: 'GET', path: /\/configmaps\/levelset-place/, needs: SERVICES },
  'place.save': { method: 'POST', path: /\/configmaps(\?|$)/, needs: ['lost'] },
};

export const APIS: Readonly<Record<ServiceType, readonly UnitName[]>> = {
  'load-balancer': SERVICES,
  network: [...SERVICES, ...NODES, 'routes'],
  compute: NODES,
  'key-manager': ['secret', 'reference'],
  identity: EVERYBODY,
};

/** The calls of both ports, and then each API of OpenStack as a whole. */
export function callsOf(managed: boolean): readonly Call[] {
  const openstack = 'openstack' as const;
  const namedBy = (needs: Needs): readonly UnitName[] =>
    'where managed' in needs
      ? [...(needs.always ?? NOBODY), ...(managed ? needs['where managed'] : NOBODY)]
      : needs;
  const ofKinds = Object.entries(OF_KINDS).flatMap(([kind, verbs]) =>
    VERBS.map((verb): Call => ({
      name: `${verb} ${kind}`,
      side: openstack,
      ...requestsOf(verb, kind as ReadKind),
      needs: namedBy(verbs[verb] ?? NOBODY),
    })),
  );
  const ofCloud = Object.entries(OF_CLOUD).map(([name, call]): Call => ({
    ...call,
    name,
    side: openstack,
    needs: namedBy(call.needs),
  }));
  const ofKube = Object.entries(OF_KUBE).map(([name, call]): Call => ({ ...call, name, side: 'kube' }));
  const apis = Object.entries(APIS).map(([service, needs]): Call => ({
    name: service,
    side: openstack,
    method: undefined,
    path: new RegExp(`^/${service}/`),
    needs,
  }));
  return [...ofKinds, ...ofCloud, ...ofKube, ...apis];
}

const VERBS: readonly Verb[] = ['list', 'get', 'create', 'update', 'remove'];

function requestsOf(verb: Verb, kind: ReadKind): Pick<Call, 'method' | 'path'> {
  const { service, collection, detail } = ENDPOINTS[kind];
  const prefix = service === 'compute' ? '/compute' : `/${service}`;
  const all = collection.startsWith('/v') ? `^${prefix}${collection}` : collection;
  const one = `${all}/(?!detail)[^/?]+`;
  switch (verb) {
    case 'list':
      return { method: 'GET', path: new RegExp(`${all}${detail === true ? '/detail' : ''}(\\?|$)`) };
    case 'get':
      return { method: 'GET', path: new RegExp(`${one}(\\?|$)`) };
    case 'create':
      return { method: 'POST', path: new RegExp(`${all}$`) };
    case 'update':
      return { method: 'PUT', path: new RegExp(`${one}(/tags)?$`) };
    case 'remove':
      return { method: 'DELETE', path: new RegExp(`${one}(\\?|$)`) };
  }
}
