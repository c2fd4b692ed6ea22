import type { Problem } from '../../model/plan.ts';
import type { Listener, DesiredResource } from '../../model/resources.ts';
import type { ListenerProtocol } from '../../model/attributes/listener.ts';
import { readsHttp } from '../intent/protocols.ts';
import type { Protocols } from '../intent/protocols.ts';
import { isOfKinx } from '../intent/service-config.ts';
import { FORWARDED } from '../intent/annotation-row.ts';
import type { Header } from '../intent/annotation-row.ts';
import type { PortIntent } from '../intent/read-annotations.ts';
import { childName, clusterTag } from '../../model/ownership.ts';
import type { ClusterIdentity } from '../../model/ownership.ts';

/** The headers that a listener which reads HTTP adds to requests. Octavia takes each with the word "true". */
export function desireInsertHeaders(
  protocols: Protocols,
  index: number,
  portIntent: PortIntent,
): { readonly attributes: Pick<Partial<Listener>, 'insert_headers'>; readonly problems: readonly Problem[] } {
  const { listener } = protocols;
  if (!readsHttp(listener)) return { attributes: {}, problems: [] };
  const all = headersOf(portIntent);
  const useless = listener === 'HTTP' ? all.filter((header) => !isForwarded(header)) : [];
  const headers = all.filter((header) => !useless.includes(header));
  const problems = [
    ...(useless.length > 0 ? [withoutTls(index, useless)] : []),
    ...(headers.length > 0 && isProxy(protocols) ? [lost(index, headers)] : []),
  ];
  if (headers.length === 0) return { attributes: {}, problems };
  const insert_headers = Object.fromEntries(headers.map((header) => [header, 'true']));
  return { attributes: { insert_headers }, problems };
}

/**
 * The headers of all annotations together. A port whose protocol a kinx annotation sets also gets X-Forwarded-Proto,
 * which kinx's driver set on every listener that reads HTTP (docs/sources/kinx.md, "Annotations of kinx").
 */
function headersOf({ ServicePort: portIntent, spelled }: PortIntent): readonly Header[] {
  const { name = '' } = spelled['ServicePort.protocol'] ?? {};
  const headers: readonly Header[] = [
    ...(portIntent.insertHeaders ?? []),
    ...(portIntent.xForwardedFor ? ['X-Forwarded-For' as const] : []),
    ...(portIntent.xForwardedPort ? ['X-Forwarded-Port' as const] : []),
    ...(portIntent.xForwardedProto || isOfKinx(name) ? ['X-Forwarded-Proto' as const] : []),
  ];
  return [...new Set(headers)].sort();
}

function isForwarded(header: Header): boolean {
  return FORWARDED.some((one) => one === header);
}

function isProxy({ pool }: Protocols): boolean {
  return pool === 'PROXY' || pool === 'PROXYV2';
}

/** The Problem of headers about clients' certificates on a port without TLS: Octavia refuses them there. */
function withoutTls(index: number, headers: readonly Header[]): Problem {
  const message =
    'are ignored: they describe the certificate of a client, and this port does not terminate TLS';
  return { field: `headers of spec.ports[${index}]`, value: headers.join(', '), message };
}

/**
 * The Problem of headers together with the PROXY protocol: Octavia drops them (docs/sources/openstack.md, "Inserted
 * headers").
 */
function lost(index: number, headers: readonly string[]): Problem {
  const message = 'are not inserted by Octavia while the PROXY protocol is on: use one of the two';
  return { field: `headers of spec.ports[${index}]`, value: headers.join(', '), message };
}

interface RedirectInput {
  readonly protocol: ListenerProtocol;
  readonly portIntent: PortIntent;
  /** The Service's hostname annotation. */
  readonly hostname: string | undefined;
  /** `tcp/80`. */
  readonly at: string;
  readonly index: number;
  readonly lbName: string;
  readonly cluster: ClusterIdentity;
}

/**
 * The redirect of an HTTP listener to HTTPS. Octavia's redirect prefix has scheme and host, so the Service must name a
 * host (decision 16). Octavia does not render a policy without a rule, so the policy has a rule that every request
 * matches.
 */
export function desireRedirect(input: RedirectInput): {
  readonly resources: readonly DesiredResource[];
  readonly problems: readonly Problem[];
} {
  const { protocol, portIntent, hostname, at, index, lbName, cluster } = input;
  const { redirectHttp, redirectHost = hostname, redirectHttpCode = 302 } = portIntent.ServicePort;
  if (redirectHttp !== true || protocol !== 'HTTP') return { resources: [], problems: [] };
  if (redirectHost === undefined) {
    const message = `needs a host: name one in levelset.openstack.org/redirect-host; levelset does not redirect ${at} until then`;
    return {
      resources: [],
      problems: [{ field: 'levelset.openstack.org/redirect-http', value: 'true', message }],
    };
  }
  const policy: DesiredResource<'l7policy'> = {
    kind: 'l7policy',
    address: `l7policy/${at}/redirect`,
    parent: `listener/${at}`,
    attributes: {
      name: childName('redirect', index, lbName),
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
