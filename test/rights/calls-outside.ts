/** What levelset asked for beyond the table of its rights. */
import type { RecordedRequest } from '../../infra/sandbox/front.ts';
import { allows, type AccessRule } from '../../infra/sandbox/openstack/keystone/access-rules.ts';
import { CLOUD_RIGHTS } from '../../infra/openstack/rights.ts';

type Asked = Pick<RecordedRequest, 'method' | 'path' | 'side'>;

/** No right is asked for: Keystone gives a token, and Octavia's root lists its versions to anybody. */
const FOR_EVERYBODY = /^\/(identity\/v3\/auth\/tokens|load-balancer\/)$/;

/** A request to the sandbox as the service sees it: the first part of the path is the service. */
function askedOf({ method, path }: Asked): AccessRule {
  const [, service = '', rest = ''] = /^\/([^/]+)(\/[^?]*)/.exec(path) ?? [];
  return { service, method, path: rest };
}

/** The calls to OpenStack that no row of the table allows. */
export function callsOutside(requests: readonly Asked[]): readonly string[] {
  const outside = requests.filter(
    (one) => one.side === 'openstack' && !FOR_EVERYBODY.test(one.path) && !allows(CLOUD_RIGHTS, askedOf(one)),
  );
  return [...new Set(outside.map(({ method, path }) => `${method} ${path}`))];
}
