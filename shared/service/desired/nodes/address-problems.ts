import { isLocked } from '../../../model/load-balancer/octavia.ts';
import type { ObservedService } from '../../../model/load-balancer/observed-service.ts';
import type { JudgedNodes } from '../../../model/node/judged-nodes.ts';
import type { Problem } from '../../../model/plan.ts';
import type { Depth } from '../../../model/unit.ts';
import type { Config } from '../../../config/config.ts';

type MemberAddresses = Pick<Config, 'memberAddresses'>;

/**
 * The addresses at which no member is added and none removed: those that nothing proves, with
 * `--member-addresses=proven`, and those that could not be looked up. A shallow look, and one at a locked load balancer,
 * shows no members, so that none counts as missing.
 */
export function waitingAddresses(
  judged: JudgedNodes,
  { loadBalancer, resources }: ObservedService,
  depth: Depth,
  config: MemberAddresses,
): ReadonlySet<string> {
  if (showsNoMembers(loadBalancer, depth)) return new Set();
  const members = new Set(
    resources.flatMap(({ kind, wire }) => (kind === 'member' ? [String(wire['address'])] : [])),
  );
  return new Set(doubtful(judged, config).filter((address) => !members.has(address)));
}

/**
 * The addresses of which the facts about ports say nothing that counts: no member is added there. A look that shows no
 * members cannot tell which of them are members.
 */
export function addressesKeptOut(
  judged: JudgedNodes,
  { loadBalancer }: ObservedService,
  depth: Depth,
  config: MemberAddresses,
  waiting: ReadonlySet<string>,
): ReadonlySet<string> {
  return showsNoMembers(loadBalancer, depth) ? new Set(doubtful(judged, config)) : waiting;
}

function showsNoMembers(loadBalancer: ObservedService['loadBalancer'], depth: Depth): boolean {
  return depth === 'shallow' || (loadBalancer !== undefined && isLocked(loadBalancer));
}

/**
 * The ports that do not get the security group in a look that shows no members: those at addresses that wait unless they
 * are members already. A port that has the group is none of them.
 */
export function waitingPorts(
  judged: JudgedNodes,
  { loadBalancer, resources }: ObservedService,
  depth: Depth,
  config: MemberAddresses,
): ReadonlySet<string> {
  if (!showsNoMembers(loadBalancer, depth)) return new Set();
  const group = resources.find(
    ({ kind, address }) => kind === 'securitygroup' && address === 'securitygroup',
  );
  const having = new Set(
    resources.flatMap(({ kind, address, wire }) =>
      kind === 'port' && group && ((wire['security_groups'] ?? []) as readonly string[]).includes(group.id)
        ? [address]
        : [],
    ),
  );
  return new Set(
    doubtful(judged, config)
      .map((address) => `port/${address}`)
      .filter((port) => !having.has(port)),
  );
}

function doubtful(judged: JudgedNodes, config: MemberAddresses): readonly string[] {
  const { unseen, unclaimed, disputed, unlisted, strangers = [] } = judged;
  const unproven =
    unlisted !== undefined || config.memberAddresses === 'proven' ? [...unseen, ...unclaimed] : [];
  return [...unproven, ...disputed.keys(), ...strangers];
}

/** Problems of Nodes' addresses that are another device's, and of those that nothing proves. `reached` are the members'. */
export function addressProblems(
  judged: JudgedNodes,
  reached: readonly string[],
  config: MemberAddresses,
): readonly Problem[] {
  const refused = judged.refused.map(({ node, address, because }): Problem => ({
    field: `status.addresses of Node ${node}`,
    value: address,
    message: `${because}; levelset makes it no member`,
    passing: true,
  }));
  for (const address of reached) {
    const because = judged.disputed.get(address);
    const message = `${because ?? ''}, of which the project sees none; levelset adds no member there, and keeps one that is there`;
    if (because !== undefined) refused.push({ ...addressesOfMembers([address]), message, passing: true });
  }
  if (judged.unlisted !== undefined) return refused;
  const strange = reached.filter((address) => judged.strangers?.has(address));
  if (strange.length > 0)
    refused.push({
      ...addressesOfMembers(strange),
      message:
        'belongs to a Node whose server has not the metadata of --server-metadata, or that names no server; levelset adds no member there, and keeps one that is there',
      passing: true,
    });
  const isProven = config.memberAddresses === 'proven';
  const unseen = reached.filter((address) => judged.unseen.has(address));
  // where no Node names a server, that a Node names none says nothing
  const counts = isProven || judged.servers.size > 0;
  const unclaimed = reached.filter(
    (address) => counts && judged.unclaimed.has(address) && !judged.unseen.has(address),
  );
  const then = isProven
    ? '; with --member-addresses=proven levelset adds no member there, and keeps one that is there'
    : ', so nothing proves that it is the Node’s; start levelset with --member-addresses=proven to keep such addresses out';
  const problem = (addresses: readonly string[], why: string): readonly Problem[] =>
    addresses.length === 0
      ? []
      : [{ ...addressesOfMembers(addresses), message: `${why}${then}`, passing: true }];
  return [
    ...refused,
    ...problem(unseen, 'is on no port of the server that its Node names, as far as the project sees'),
    ...problem(unclaimed, 'is of a Node whose providerID names no server of OpenStack'),
  ];
}

/** The Problem of addresses that would be members and wait, since nothing could be looked up. */
export function waitingProblem({ unlisted }: JudgedNodes, waiting: readonly string[]): readonly Problem[] {
  if (unlisted === undefined || waiting.length === 0) return [];
  const message = `waits: whose it is cannot be looked up, since ${unlisted}; members that are there stay`;
  return [{ ...addressesOfMembers(waiting), message, momentary: true }];
}

/** So many addresses are shown one by one, since a condition has a limited length. */
const MOST_SHOWN = 5;

function addressesOfMembers(addresses: readonly string[]): Pick<Problem, 'field' | 'value'> {
  const sorted = [...new Set(addresses)].sort();
  const more = sorted.length > MOST_SHOWN ? [`and ${sorted.length - MOST_SHOWN} more`] : [];
  return { field: 'address of a member', value: [...sorted.slice(0, MOST_SHOWN), ...more].join(', ') };
}
