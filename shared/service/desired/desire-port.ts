import { withNeedsMet } from '../../model/attributes.ts';
import { childName, clusterTag, loadBalancerName, serviceTag } from '../../model/ownership.ts';
import type { Problem } from '../../model/plan.ts';
import { keyOf } from '../../model/request.ts';
import type { DesiredResource, Listener } from '../../model/resources.ts';
import { userTags } from '../../model/load-balancer/user-tags.ts';
import type { Targets } from '../intent/annotations.ts';
import { isProxied, readsHttp } from '../intent/ports.ts';
import type { Port } from '../intent/ports.ts';
import { isOfKinx } from '../intent/service-config.ts';
import type { DesiredMembers } from './desire-members.ts';
import { desirePool } from './desire-pool.ts';
import type { DesiredPort, PortContext } from './desire-pool.ts';
import { desireTls } from './desire-tls.ts';

/**
 * Listener, pool, monitor and redirect of one port of a Service, with these members. A PROMETHEUS listener has no pool. The
 * redirect is there only if the port's settings ask for one.
 */
export function desirePort(port: Port, behind: DesiredMembers, context: PortContext): DesiredPort {
  const pool = port.pools && desirePool(port.pools, port, behind, context);
  const headers = desireInsertHeaders(port);
  const tls = desireTls(port, context);
  const redirect = desireRedirect(port, context);
  const settings = {
    ...withNeedsMet('listener', port.listener, []),
    ...headers.attributes,
    ...tls.attributes,
  };
  return {
    resources: [...(pool?.resources ?? []), desireListener(settings, port, context), ...redirect.resources],
    problems: [...(pool?.problems ?? []), ...headers.problems, ...tls.problems, ...redirect.problems],
  };
}

function desireListener(
  settings: Partial<Listener>,
  { listens, spec, index, at, ServicePort }: Port,
  { intent, cluster }: PortContext,
): DesiredResource<'listener'> {
  const key = keyOf(intent.service);
  const lbName = loadBalancerName(cluster.name, key);
  return {
    kind: 'listener',
    address: `listener/${at}`,
    parent: 'lb',
    attributes: {
      name: childName('listener', index, lbName),
      protocol: listens,
      protocol_port: spec.port,
      admin_state_up: true,
      ...settings,
      allowed_cidrs: intent.allowed_cidrs,
      default_pool_id: listens === 'PROMETHEUS' ? null : { $ref: `pool/${at}.id` },
      loadbalancer_id: { $ref: 'lb.id' },
      tags: [
        clusterTag(cluster),
        serviceTag(intent.service.metadata.uid),
        lbName,
        ...userTags(key, ServicePort.listenerTags),
      ],
    },
  };
}

type Header = Targets['ServicePort']['insertHeaders'][number];

/**
 * The headers that a listener which reads HTTP adds to requests. Octavia takes each with the word "true". It refuses those about
 * clients' certificates on a port without TLS, and drops all with the PROXY protocol (docs/sources/openstack.md, "Inserted headers").
 */
export function desireInsertHeaders(port: Port): {
  readonly attributes: Pick<Partial<Listener>, 'insert_headers'>;
  readonly problems: readonly Problem[];
} {
  if (!readsHttp(port)) return { attributes: {}, problems: [] };
  const all = headersOf(port);
  const headers = all.filter((header) => port.listens !== 'HTTP' || header.startsWith('X-Forwarded-'));
  const problem = (about: readonly Header[], message: string): readonly Problem[] =>
    about.length === 0
      ? []
      : [{ field: `headers of spec.ports[${port.index}]`, value: about.join(', '), message }];
  const insert_headers = Object.fromEntries(headers.map((header) => [header, 'true']));
  return {
    attributes: headers.length === 0 ? {} : { insert_headers },
    problems: [
      ...problem(
        all.filter((header) => !headers.includes(header)),
        'are ignored: they describe the certificate of a client, and this port does not terminate TLS',
      ),
      ...problem(
        isProxied(port) ? headers : [],
        'are not inserted by Octavia while the PROXY protocol is on: use one of the two',
      ),
    ],
  };
}

/**
 * The headers of all annotations together. A port whose protocol a kinx annotation sets also gets X-Forwarded-Proto,
 * which kinx's driver set on every listener that reads HTTP (docs/sources/kinx.md, "Annotations of kinx").
 */
function headersOf({ ServicePort: settings, spelled }: Port): readonly Header[] {
  const { name = '' } = spelled['ServicePort.protocol'] ?? {};
  const headers: readonly Header[] = [
    ...(settings.insertHeaders ?? []),
    ...(settings.xForwardedFor ? ['X-Forwarded-For' as const] : []),
    ...(settings.xForwardedPort ? ['X-Forwarded-Port' as const] : []),
    ...(settings.xForwardedProto || isOfKinx(name) ? ['X-Forwarded-Proto' as const] : []),
  ];
  return [...new Set(headers)].sort();
}

/**
 * The redirect of an HTTP listener to HTTPS. Octavia's redirect prefix has scheme and host, so the Service must name a
 * host (decision 16). Octavia does not render a policy without a rule, so the policy has a rule that every request
 * matches.
 */
function desireRedirect(
  { ServicePort, listens, at, index }: Port,
  { intent: { annotated, service }, cluster }: PortContext,
): DesiredPort {
  const { redirectHttp, redirectHost = annotated.Service.hostname, redirectHttpCode = 302 } = ServicePort;
  if (redirectHttp !== true || listens !== 'HTTP') return { resources: [], problems: [] };
  if (redirectHost === undefined) {
    const message = `needs a host: name one in levelset.openstack.org/redirect-host; levelset does not redirect ${at} until then`;
    const field = 'levelset.openstack.org/redirect-http';
    return { resources: [], problems: [{ field, value: 'true', message }] };
  }
  const policy: DesiredResource<'l7policy'> = {
    kind: 'l7policy',
    address: `l7policy/${at}/redirect`,
    parent: `listener/${at}`,
    attributes: {
      name: childName('redirect', index, loadBalancerName(cluster.name, keyOf(service))),
      action: 'REDIRECT_PREFIX',
      redirect_prefix: `https://${redirectHost}`,
      redirect_http_code: redirectHttpCode,
      position: 1,
      admin_state_up: true,
      listener_id: { $ref: `listener/${at}.id` },
      tags: [clusterTag(cluster)],
    },
  };
  const rule: DesiredResource<'l7rule'> = {
    kind: 'l7rule',
    address: `l7rule/${at}/redirect`,
    parent: policy.address,
    attributes: { type: 'PATH', compare_type: 'STARTS_WITH', value: '/', admin_state_up: true },
  };
  return { resources: [policy, rule], problems: [] };
}
