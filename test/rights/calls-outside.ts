/** What levelset asked for beyond the table of its rights. */
import type { RecordedRequest } from '../../infra/sandbox/front.ts';
import { allows } from '../../infra/sandbox/openstack/keystone/access-rules.ts';
import { CLOUD_RIGHTS } from '../../infra/openstack/rights.ts';

/** No right is asked for: Keystone gives a token, and Octavia's root lists its versions to anybody. */
const FOR_EVERYBODY = /^\/(identity\/v3\/auth\/tokens|load-balancer\/)$/;

/** The calls to OpenStack that no row of the table allows. The first part of a path in the sandbox is the service. */
export function callsOutside(requests: readonly RecordedRequest[]): readonly string[] {
  const outside = requests.filter(({ side, method, path: asked }) => {
    const [, service = '', path = ''] = /^\/([^/]+)(\/[^?]*)/.exec(asked) ?? [];
    return (
      side === 'openstack' && !FOR_EVERYBODY.test(asked) && !allows(CLOUD_RIGHTS, { service, method, path })
    );
  });
  return [...new Set(outside.map(({ method, path }) => `${method} ${path}`))];
}
