/** What of leaving nodes stays for a while, where a Service that is served does not show it. */
import { expect, test } from 'vitest';
import type { Node } from '../../../../shared/model/kubernetes.ts';
import type { DesiredResource, ObservedResource, Whose } from '../../../../shared/model/resources.ts';
import { withDraining } from '../../../../shared/service/desired/nodes/draining.ts';

const LEAVES = { 'node.kubernetes.io/exclude-from-external-load-balancers': '' };
const NODE: Node = {
  metadata: { name: 'node-2', uid: 'n2', resourceVersion: '1', labels: LEAVES },
  status: { addresses: [{ type: 'InternalIP', address: '10.0.0.2' }] },
};
const wanted = (address: string, protocol_port = 30_080): DesiredResource => ({
  ...{ kind: 'member', address: `member/tcp/80/${address}:${protocol_port}`, parent: 'pool/tcp/80' },
  attributes: { address, protocol_port },
});
const of = (whose: Whose): readonly ObservedResource[] => [
  {
    ...{ kind: 'member', address: 'member/tcp/80/10.0.0.2:30080', id: 'm', parent: 'pool/tcp/80', whose },
    wire: { id: 'm', address: '10.0.0.2', protocol_port: 30_080, weight: 1 },
  },
];
const POOL: DesiredResource = { kind: 'pool', address: 'pool/tcp/80', attributes: {} };
const GROUP: DesiredResource = { kind: 'securitygroup', address: 'securitygroup', attributes: {} };
const DRAINED = 'member/tcp/80/10.0.0.2:30080';

interface Case {
  readonly observed?: readonly ObservedResource[];
  readonly resources?: readonly DesiredResource[];
  readonly busy?: boolean;
}
test.each<[string, Case, readonly string[]]>([
  ['a member of ours drains, and its port keeps the group', {}, [DRAINED, 'port/10.0.0.2']],
  ['while Octavia is at work its port keeps the group', { busy: true, observed: [] }, ['port/10.0.0.2']],
  ['unless there is no group', { busy: true, observed: [], resources: [POOL, wanted('10.0.0.1')] }, []],
  ['somebody else’s member is left alone', { observed: of('foreign') }, []],
  ['another controller’s goes at once', { observed: of('adoptable') }, []],
  ['one at an older node port goes at once', { resources: [POOL, GROUP, wanted('10.0.0.1', 30_081)] }, []],
  ['the last one goes with its pool', { resources: [POOL, GROUP] }, []],
])(
  '%s',
  (_, { observed = of('ours'), resources = [POOL, GROUP, wanted('10.0.0.1')], busy = false }, more) => {
    const desired = { resources, problems: [], keepMembers: false, keepSecurityGroup: false };
    const given = { observed, nodes: [NODE], drainedForMs: new Map(), drainMs: 60_000, busy };
    const { resources: all } = withDraining({ ...desired, withoutAddress: [], certificates: [] }, given);
    expect(all.slice(resources.length).map(({ address }) => address)).toEqual(more);
  },
);
