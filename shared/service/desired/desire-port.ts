import { withNeedsMet } from '../../model/attributes.ts';
import type { ServicePort, Service } from '../../model/kubernetes.ts';
import { goesToPods } from '../../model/load-balancer/service-endpoints.ts';
import type { PortEndpoints } from '../../model/load-balancer/service-endpoints.ts';
import { childName, clusterTag, loadBalancerName, portTag, serviceTag } from '../../model/ownership.ts';
import type { ClusterIdentity } from '../../model/ownership.ts';
import type { Problem } from '../../model/plan.ts';
import { keyOf } from '../../model/request.ts';
import type { DesiredResource, Pool } from '../../model/resources.ts';
import type { ListenerProtocol } from '../../model/attributes/listener.ts';
import type { PoolProtocol } from '../../model/attributes/pool.ts';
import { transportOf } from '../../model/address.ts';
import { userTags } from '../../model/load-balancer/user-tags.ts';
import { desireInsertHeaders, desireRedirect } from './desire-http.ts';
import type { PortNodes } from './nodes/port-nodes.ts';
import { desireMonitor, localHealthPort } from './desire-monitor.ts';
import { desireNodes, desirePods } from './desire-members.ts';
import { protocolsOf, readsHttp } from '../intent/protocols.ts';
import type { PortIntent } from '../intent/read-annotations.ts';
import { desirePoolTls, desireTls } from './desire-tls.ts';
import type { TlsContext } from './desire-tls.ts';
import { withSetRecord } from './set-record.ts';
import type { ServiceIntent } from '../intent/service-intent.ts';

interface PortContext extends TlsContext, PortNodes {
  readonly intent: ServiceIntent;
  readonly cluster: ClusterIdentity;
  /** The Pods behind each port of the Service; undefined for a port whose members are nodes. */
  readonly endpoints?: readonly (PortEndpoints | undefined)[];
}

interface DesiredPort {
  readonly resources: readonly DesiredResource[];
  readonly problems: readonly Problem[];
}

/** What the listener, pool, members, monitor and redirect of one port of a Service have in common. */
interface Place extends PortContext {
  readonly port: ServicePort;
  readonly index: number;
  /** The place, such as `tcp/80`: the part that their plan addresses share. */
  readonly at: string;
  readonly portIntent: PortIntent;
  /** The protocol of the listener. */
  readonly listens: ListenerProtocol;
  /** The load balancer's name, which names everything on it. */
  readonly lbName: string;
}

/**
 * Listener, pool, members, monitor and redirect of one port of a Service. A PROMETHEUS listener has no pool. The
 * redirect is there only if the port's settings ask for one.
 */
export function desirePort(port: ServicePort, index: number, context: PortContext): DesiredPort {
  const { annotated, service } = context.intent;
  const portIntent = annotated.ports[index];
  if (!portIntent) throw new TypeError(`spec.ports[${index}] was not read`);
  const protocols = protocolsOf(port, portIntent);
  const at = `${transportOf(protocols.listener)}/${port.port}`;
  const lbName = loadBalancerName(context.cluster.name, keyOf(service));
  const place = { ...context, port, index, at, portIntent, listens: protocols.listener, lbName };
  const pool = protocols.pool ? desirePool(protocols.pool, place) : { resources: [], problems: [] };
  const headers = desireInsertHeaders(protocols, index, portIntent);
  const tls = desireTls(protocols.listener, index, portIntent, context);
  const settings = {
    ...withNeedsMet('listener', portIntent.listener, []),
    ...headers.attributes,
    ...tls.attributes,
  };
  const { hostname } = annotated.Service;
  const redirect = desireRedirect({ ...place, protocol: protocols.listener, hostname });
  const listener = desireListener(protocols.listener, settings, place);
  return {
    resources: [...pool.resources, listener, ...redirect.resources],
    problems: [...pool.problems, ...headers.problems, ...tls.problems, ...redirect.problems],
  };
}

function desireListener(
  protocol: ListenerProtocol,
  settings: DesiredResource<'listener'>['attributes'],
  { intent, cluster, port, index, at, portIntent, lbName }: Place,
): DesiredResource<'listener'> {
  return withSetRecord<'listener'>({
    kind: 'listener',
    address: `listener/${at}`,
    parent: 'lb',
    attributes: {
      name: childName('listener', index, lbName),
      protocol,
      protocol_port: port.port,
      admin_state_up: true,
      ...settings,
      allowed_cidrs: intent.allowed_cidrs,
      default_pool_id: protocol === 'PROMETHEUS' ? null : { $ref: `pool/${at}.id` },
      loadbalancer_id: { $ref: 'lb.id' },
      tags: [
        clusterTag(cluster),
        serviceTag(intent.service.metadata.uid),
        lbName,
        ...userTags(keyOf(intent.service), portIntent.ServicePort.listenerTags),
      ],
    },
  });
}

const NOTHING = { attributes: {}, problems: [] };

function desirePool(protocol: PoolProtocol, place: Place): DesiredPort {
  const { intent, port, index, at, portIntent, lbName, listens } = place;
  const hasTls = (port.protocol ?? 'TCP') === 'TCP' && portIntent.pool.tls_enabled === true;
  const tls = hasTls ? desirePoolTls(portIntent, place) : NOTHING;
  const persistence = desirePersistence(listens, at, intent.service, portIntent);
  const pool = withSetRecord<'pool'>({
    kind: 'pool',
    address: `pool/${at}`,
    parent: 'lb',
    attributes: {
      name: childName('pool', index, lbName),
      protocol,
      lb_algorithm: 'ROUND_ROBIN',
      admin_state_up: true,
      ...withNeedsMet('pool', portIntent.pool, []),
      ...persistence.attributes,
      ...tls.attributes,
      loadbalancer_id: { $ref: 'lb.id' },
      tags: [portTag(at), ...userTags(keyOf(intent.service), portIntent.ServicePort.poolTags)],
    },
  });
  const direct = goesToPods(intent.service, port);
  const local = direct ? undefined : localHealthPort(intent);
  // with externalTrafficPolicy Local there is always a check: nodes without an endpoint would lose their traffic
  const check =
    portIntent.ServicePort.monitor || local !== undefined
      ? desireMonitor(port.protocol ?? 'TCP', at, childName('monitor', index, lbName), portIntent, local)
      : { resources: [], problems: [] };
  const behind = direct ? desirePods(place) : desireNodes(place);
  const filled = direct ? { ...pool, mayBeEmpty: true as const } : pool;
  return {
    resources: [filled, ...behind.members, ...check.resources],
    problems: [...behind.problems, ...check.problems, ...tls.problems, ...persistence.problems],
  };
}

interface Persistence {
  readonly attributes: Pick<Pool, 'session_persistence'>;
  readonly problems: readonly Problem[];
}

/**
 * How a client stays on a member: as the annotation says, else as spec.sessionAffinity says. Cookies need HTTP: Octavia
 * refuses them for UDP and SCTP, and haproxy does not look into a stream.
 */
export function desirePersistence(
  listener: ListenerProtocol,
  at: string,
  { spec }: Pick<Service, 'spec'>,
  { pool, spelled }: PortIntent,
): Persistence {
  const affinity = spec.sessionAffinity === 'ClientIP' ? { type: 'SOURCE_IP' } : null;
  const { session_persistence: wanted = affinity } = pool;
  const isCookie = String(wanted?.type).endsWith('_COOKIE');
  if (!isCookie || readsHttp(listener)) return { attributes: { session_persistence: wanted }, problems: [] };
  const { name = 'session_persistence', text = '' } = spelled['pool.session_persistence'] ?? {};
  const message = `is ignored for ${at}: a cookie needs a port that speaks HTTP, and this one speaks ${listener}`;
  return {
    attributes: { session_persistence: affinity },
    problems: [{ field: name, value: text, message }],
  };
}
