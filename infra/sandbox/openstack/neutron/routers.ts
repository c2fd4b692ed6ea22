import type { Answer } from '../../exchange.ts';
import { type Json, asJson, asText } from '../../json.ts';
import { neutronError } from '../../refusal.ts';
import type { CloudState } from '../cloud-state.ts';
import type { Port, Router, Subnet } from './objects.ts';
import { checkRoutes, inOrder, readExtraRoutes, readRoutes, sameRoute } from './routes.ts';
import { checkNames, noSuchSubnet } from './refusals.ts';
import { contains } from '../ip-network.ts';
import { placePort } from './ports.ts';

const settable = ['name', 'description', 'admin_state_up', 'external_gateway_info'];
const readOnly = ['id', 'status', 'tenant_id', 'project_id', 'revision_number', 'created_at', 'updated_at'];

export function makeRouter(world: CloudState, owner: string, more: Json): Router {
  const at = world.clock.seconds();
  const router: Router = {
    ...{ id: world.newId(), name: '', tenant_id: owner, project_id: owner, admin_state_up: true },
    ...{ status: 'ACTIVE', external_gateway_info: null, description: '', availability_zones: [] },
    ...{ availability_zone_hints: [], routes: [], flavor_id: null, tags: [] },
    ...{ created_at: at, updated_at: at, revision_number: 1, ...more },
  };
  world.routers.push(router);
  return router;
}

/** Makes the lab's router: on every subnet of the project, with its gateway in the external network. */
export function joinAll(world: CloudState, name: string): void {
  const outer = world.networks.find((one) => one['router:external']);
  const external_gateway_info = outer ? { network_id: outer.id, enable_snat: true } : null;
  const router = makeRouter(world, world.projectId, { name, external_gateway_info });
  for (const subnet of world.subnets.of('project_id', world.projectId))
    addRouterInterface(world, router, { subnet: subnet.id, port: '' });
}

export function createRouter(world: CloudState, owner: string, body: Json): Answer {
  checkNames(body, [...settable, 'project_id', 'tenant_id'], readOnly);
  return { status: 201, body: { router: makeRouter(world, owner, body) } };
}

/** PUT: `routes` is the whole list. A PUT that changes nothing leaves the revision as it is. */
export function updateRouter(world: CloudState, router: Router, body: Json): Answer {
  checkNames(body, [...settable, 'routes'], readOnly);
  const { routes: given, ...more } = body;
  if (given !== undefined) setRoutes(world, router, readRoutes(given));
  if (Object.entries(more).some(([name, value]) => router[name] !== value))
    world.touch(Object.assign(router, more));
  return { status: 200, body: { router } };
}

function setRoutes(world: CloudState, router: Router, routes: Router['routes']): void {
  checkRoutes(world, router, routes);
  const next = inOrder(routes);
  const same =
    next.length === router.routes.length &&
    next.every((one, index) => sameRoute(one, router.routes[index] ?? one));
  router.routes = next;
  if (!same) world.touch(router);
}

export function deleteRouter(world: CloudState, router: Router): void {
  const left = interfacesOf(world, router)
    .map((one) => one.id)
    .sort();
  if (left.length > 0) {
    const text = `Router ${router.id} has ports still attached: ${left.join(', ')}`;
    throw neutronError(409, 'RouterInUse', text);
  }
  world.routers.remove(router);
}

/** PUT /routers/ID/ACTION; undefined if there is no such action. Two of them need the extension extraroute-atomic. */
export function routerAction(
  world: CloudState,
  router: Router,
  action: string,
  body: unknown,
): Answer | undefined {
  const atomic = world.extensions.includes('extraroute-atomic');
  if (atomic && (action === 'add_extraroutes' || action === 'remove_extraroutes')) {
    const named = readExtraRoutes(asJson(asJson(body)['router'])['routes']);
    const others = router.routes.filter((one) => !named.some((other) => sameRoute(one, other)));
    setRoutes(world, router, action === 'add_extraroutes' ? [...others, ...named] : others);
    return { status: 200, body: { router: fullView(router) } };
  }
  const place = asJson(body);
  const [subnet, port] = [asText(place['subnet_id']), asText(place['port_id'])];
  const change =
    action === 'add_router_interface'
      ? addRouterInterface
      : action === 'remove_router_interface'
        ? removeRouterInterface
        : undefined;
  if (!change) return undefined;
  const answer = change(world, router, { subnet, port });
  world.touch(router);
  return { status: 200, body: answer };
}

/** A router as these actions show it, with more than a member sees in a GET (recorded: neutron_add_extraroutes). */
const fullView = (router: Router): Json => ({
  ...router,
  gw_port_id: null,
  ...{ distributed: false, ha: false, ha_vr_id: 0 },
});

const interfaceOwner = 'network:router_interface';

const interfacesOf = (world: CloudState, router: Router): Port[] =>
  world.ports.of('device_id', router.id).filter((one) => one.device_owner === interfaceOwner);

interface Place {
  readonly subnet: string;
  readonly port: string;
}

/** Adds an interface: a port of the router at the subnet's gateway address. */
export function addRouterInterface(world: CloudState, router: Router, { subnet: id }: Place): Json {
  if (id === '') {
    const text = 'Bad router request: Either subnet_id or port_id must be specified.';
    throw neutronError(400, 'BadRequest', text);
  }
  const subnet = world.subnets.byId(id);
  if (subnet?.project_id !== router.project_id) throw noSuchSubnet(id);
  if (interfaceOn(world, router, subnet)) {
    const text = `Bad router request: Router already has a port on subnet ${id}.`;
    throw neutronError(400, 'BadRequest', text);
  }
  const port = placePort(world, {
    ...{ name: '', deviceId: router.id, deviceOwner: interfaceOwner, up: true, subnets: [] },
    projectId: router.project_id,
    network: subnet.network_id,
    fixed: [{ subnet_id: subnet.id, ip_address: String(subnet['gateway_ip']) }],
  });
  port['port_security_enabled'] = false;
  return shown(router, port, subnet.id);
}

/** Removes an interface; refused while a next hop is in its subnet. */
function removeRouterInterface(world: CloudState, router: Router, place: Place): Json {
  const port = interfacesOf(world, router).find(
    (one) => one.id === place.port || one.fixed_ips.some((ip) => ip.subnet_id === place.subnet),
  );
  const subnet = world.subnets.find((one) => port?.fixed_ips.some((ip) => ip.subnet_id === one.id));
  if (!port || !subnet) {
    const text = `Router ${router.id} has no interface on subnet ${place.subnet}`;
    throw neutronError(404, 'RouterInterfaceNotFoundForSubnet', text);
  }
  if (router.routes.some(({ nexthop }) => contains(subnet.cidr, nexthop))) {
    const what = `Router interface for subnet ${subnet.id} on router ${router.id} cannot be deleted`;
    const text = `${what}, as it is required by one or more routes.`;
    throw neutronError(409, 'RouterInterfaceInUseByRoute', text);
  }
  world.ports.remove(port);
  return shown(router, port, subnet.id);
}

const interfaceOn = (world: CloudState, router: Router, subnet: Subnet): Port | undefined =>
  interfacesOf(world, router).find((one) => one.fixed_ips.some((ip) => ip.subnet_id === subnet.id));

const shown = (router: Router, port: Port, subnet: string): Json => ({
  ...{ id: router.id, tenant_id: router.project_id, port_id: port.id, network_id: port.network_id },
  ...{ subnet_id: subnet, subnet_ids: [subnet] },
});
