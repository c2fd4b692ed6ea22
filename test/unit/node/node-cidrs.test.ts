import { describe, expect, test } from 'vitest';
import type { NodeCidrConfig } from '../../../shared/config/config.ts';
import {
  freeCidrs,
  nodeCidrs,
  staleClaims,
  unclaimedCidrs,
} from '../../../shared/node/desired/node-cidrs.ts';
import type { Node } from '../../../shared/model/kubernetes.ts';
import type { CidrClaim } from '../../../shared/model/node/node-records.ts';

const V4 = { clusterCidr: '10.244.0.0/22', family: 4, maskSize: 24 } as const;
const V6 = { clusterCidr: 'fd00:244::/48', family: 6, maskSize: 64 } as const;
const BOTH: NodeCidrConfig = { ranges: [V4, V6], serviceCidrs: [] };
const ONLY_V4: NodeCidrConfig = { ranges: [V4], serviceCidrs: [] };

const aNode = (name: string, podCIDRs: readonly string[] = [], uid = `uid-${name}`): Node => ({
  metadata: { name, uid, resourceVersion: '1' },
  spec: { podCIDRs },
});
const aClaim = (cidr: string, node: string, uid = `uid-${node}`): CidrClaim => ({
  ...{ cidr, node, uid },
  lease: { uid: `lease-${cidr}`, resourceVersion: '1' },
});
const NEW = aNode('new');
const wish = (
  config: NodeCidrConfig,
  nodes: readonly Node[] = [],
  claims: readonly CidrClaim[] = [],
): ReturnType<typeof nodeCidrs> => nodeCidrs(NEW, claims, freeCidrs([NEW, ...nodes], claims, config), config);

describe('a Node without podCIDRs gets', () => {
  test.each<[string, NodeCidrConfig, readonly Node[], readonly CidrClaim[], readonly string[]]>([
    ['the lowest', ONLY_V4, [], [], ['10.244.0.0/24']],
    ['one of each family, in the order of the ranges', BOTH, [], [], ['10.244.0.0/24', 'fd00:244::/64']],
    ['none that a Node has', ONLY_V4, [aNode('a', ['10.244.0.0/24'])], [], ['10.244.1.0/24']],
    ['none that a Node has in part', ONLY_V4, [aNode('a', ['10.244.0.64/26'])], [], ['10.244.1.0/24']],
    ['none that is claimed', ONLY_V4, [], [aClaim('10.244.0.0/24', 'a')], ['10.244.1.0/24']],
    ['what is claimed for it', ONLY_V4, [], [aClaim('10.244.2.0/24', 'new')], ['10.244.2.0/24']],
    [
      'what is claimed for it of one family, and what is free of the other',
      BOTH,
      [],
      [aClaim('10.244.2.0/24', 'new'), aClaim('fd00:244::/64', 'a')],
      ['10.244.2.0/24', 'fd00:244:0:1::/64'],
    ],
    [
      'nothing that was claimed for a namesake',
      ONLY_V4,
      [],
      [aClaim('10.244.2.0/24', 'new', 'another')],
      ['10.244.0.0/24'],
    ],
    [
      'nothing that was claimed for it and given to another one by others',
      ONLY_V4,
      [aNode('a', ['10.244.0.0/24'])],
      [aClaim('10.244.0.0/24', 'new')],
      ['10.244.1.0/24'],
    ],
    [
      'nothing that was claimed for it out of another range, or in another size',
      ONLY_V4,
      [],
      [aClaim('10.9.2.0/24', 'new'), aClaim('10.244.3.0/25', 'new')],
      ['10.244.0.0/24'],
    ],
    [
      'none of the addresses of Services',
      { ...BOTH, serviceCidrs: ['10.244.0.0/23', 'fd00:244::/112'] },
      [],
      [],
      ['10.244.2.0/24', 'fd00:244:0:1::/64'],
    ],
  ])('%s', (_, config, nodes, claims, podCIDRs) => {
    expect(wish(config, nodes, claims)).toEqual({ podCIDRs, problems: [] });
  });

  test('nothing when one of the ranges is used up, with a Problem that says which and how large it is', () => {
    const nodes = [0, 1, 2, 3].map((at) => aNode(`n${at}`, [`10.244.${at}.0/24`]));
    const { podCIDRs, problems } = wish(BOTH, nodes);
    expect(podCIDRs).toBeUndefined();
    expect(problems).toEqual([
      {
        field: '--cluster-cidr',
        value: '10.244.0.0/22',
        message:
          'is used up: none of its 4 CIDRs of size /24 is free, and this Node waits until another one is deleted',
      },
    ]);
  });
});

test.each<[string, readonly string[], readonly CidrClaim[], readonly string[]]>([
  ['of our range', ['10.244.1.0/24'], [], ['10.244.1.0/24']],
  ['of our range in part', ['10.244.0.0/16'], [], ['10.244.0.0/16']],
  ['that is claimed', ['10.244.1.0/24'], [aClaim('10.244.1.0/24', 'a')], []],
  ['of another range', ['192.168.0.0/24', 'fd00:1::/64'], [], []],
  ['in another spelling', ['FD00:244:0:1::/64'], [aClaim('fd00:244:0:1::/64', 'a')], []],
])('what a Node has without a claim: one %s', (_, podCIDRs, claims, unclaimed) => {
  expect(unclaimedCidrs(aNode('a', podCIDRs), claims, BOTH)).toEqual(unclaimed);
});

describe('a claim is of no use any more', () => {
  const claim = aClaim('10.244.1.0/24', 'a');
  test.each<[string, Node | undefined, readonly CidrClaim[]]>([
    ['when its Node is gone', undefined, [claim]],
    ['when another Node has its name', aNode('a', [], 'later'), [claim]],
    ['when the Node has got others', aNode('a', ['10.244.2.0/24']), [claim]],
    ['but not when the Node has it', aNode('a', ['10.244.1.0/24']), []],
    ['but not while the Node waits for it', aNode('a'), []],
  ])('%s', (_, node, stale) => {
    expect(staleClaims('a', node, [claim, aClaim('10.244.3.0/24', 'b')])).toEqual(stale);
  });
});
