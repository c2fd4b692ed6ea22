import { childName, clusterTag } from '../../../model/ownership.ts';
import type { ClusterIdentity } from '../../../model/ownership.ts';
import type { Problem } from '../../../model/plan.ts';
import type { DesiredResource, ListenerProtocol } from '../../../model/resources.ts';
import type { PortIntent } from '../../intent/read-annotations.ts';

export interface RedirectInput {
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
 * The redirect of an HTTP listener to HTTPS. Octavia's prefix names scheme and host, so a host is needed (decision 14); a
 * policy without a rule is not rendered at all, so there is one that every request matches.
 */
export function desireRedirect(input: RedirectInput): {
  readonly resources: readonly DesiredResource[];
  readonly problems: readonly Problem[];
} {
  const { protocol, portIntent, hostname, at, index, lbName, cluster } = input;
  const { redirectHttp, redirectHost = hostname, redirectHttpCode = 302 } = portIntent.ServicePort;
  if (redirectHttp !== true || protocol !== 'HTTP') return { resources: [], problems: [] };
  if (redirectHost === undefined) {
    const message = `needs a host: name one in levelset.openstack.org/redirect-host; ${at} is not redirected`;
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
