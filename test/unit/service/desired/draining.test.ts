import { expect, test } from 'vitest';
import { drainMsOf, withDraining } from '../../../../shared/service/desired/nodes/draining.ts';
import type { Node } from '../../../../shared/model/kubernetes.ts';
import type { DesiredResource, ObservedResource, Whose } from '../../../../shared/model/resources.ts';
import { drainedForMs } from '../../../../shared/service/observe/children.ts';
import { aConfig } from '../../../support/config.ts';

const NOW = Date.parse('2026-11-21T08:02:00Z');
const DRAIN_MS = 60_000;

const node = (name: string, leaves?: 'taint' | 'deleted' | 'label'): Node => ({
  metadata: {
    name,
    uid: name,
    resourceVersion: '1',
    ...(leaves === 'deleted' ? { deletionTimestamp: '2026-11-21T08:00:00Z' } : {}),
    ...(leaves === 'label'
      ? { labels: { 'node.kubernetes.io/exclude-from-external-load-balancers': '' } }
      : {}),
  },
  ...(leaves === 'taint'
    ? { spec: { taints: [{ key: 'ToBeDeletedByClusterAutoscaler', effect: 'NoSchedule' }] } }
    : {}),
  status: { addresses: [{ type: 'InternalIP', address: `10.0.0.${name.slice(-1)}` }] },
});
const member = (last: number, wire: object = {}, whose: Whose = 'ours'): ObservedResource<'member'> => ({
  kind: 'member',
  address: `member/tcp/80/10.0.0.${last}:30080`,
  id: `m${last}`,
  parent: 'pool/tcp/80',
  whose,
  wire: {
    id: `m${last}`,
    name: `node-${last}`,
    address: `10.0.0.${last}`,
    protocol_port: 30_080,
    monitor_port: null,
    backup: false,
    weight: 1,
    created_at: '2026-11-21T08:00:00',
    updated_at: null,
    ...wire,
  },
});
const wanted = (last: number, protocol_port = 30_080): DesiredResource => ({
  kind: 'member',
  address: `member/tcp/80/10.0.0.${last}:${protocol_port}`,
  parent: 'pool/tcp/80',
  attributes: { address: `10.0.0.${last}`, protocol_port },
});

interface Case {
  readonly nodes?: readonly Node[];
  readonly observed?: readonly ObservedResource[];
  readonly desired?: readonly DesiredResource[];
  readonly mayBeEmpty?: true;
  readonly drainMs?: number;
  readonly busy?: boolean;
  readonly grouped?: boolean;
}
/** What is desired more than before, and in how many seconds each member of it goes. */
function drained(one: Case): { readonly more: readonly string[]; readonly inS?: readonly number[] } {
  const { mayBeEmpty, grouped = false } = one;
  const observed = one.observed ?? [member(1), member(2)];
  const poolWanted = { kind: 'pool', address: 'pool/tcp/80', attributes: {} } as const;
  const group = { kind: 'securitygroup', address: 'securitygroup', attributes: {} } as const;
  const resources = [
    mayBeEmpty ? { ...poolWanted, mayBeEmpty } : poolWanted,
    ...(grouped ? [group] : []),
    ...(one.desired ?? [wanted(1)]),
  ];
  const desired = {
    resources,
    problems: [],
    keepMembers: false,
    keepSecurityGroup: false,
    withoutAddress: [],
    certificates: [],
  };
  const result = withDraining(desired, {
    observed,
    nodes: one.nodes ?? [node('node-1'), node('node-2', 'label')],
    drainedForMs: drainedForMs(observed, NOW),
    drainMs: one.drainMs ?? DRAIN_MS,
    busy: one.busy ?? false,
  });
  const goes = (result.draining ?? []).map(({ goesInMs }) => goesInMs / 1_000);
  return {
    more: result.resources.slice(resources.length).map(({ kind, address, attributes }) => {
      const { weight } = attributes as { readonly weight?: number };
      return kind === 'member' ? `${address} ${String(weight)}` : address;
    }),
    ...(result.draining ? { inS: goes } : {}),
  };
}

const NODE_2 = 'member/tcp/80/10.0.0.2:30080 0';
const ZERO = { weight: 0 };

// prettier-ignore
const ROWS: readonly (readonly [string, Case, readonly string[], number?])[] = [
  ['the exclusion label', {}, [NODE_2], 60],
  ['the taint', { nodes: [node('node-1'), node('node-2', 'taint')] }, [NODE_2], 60],
  ['a deletion timestamp', { nodes: [node('node-1'), node('node-2', 'deleted')] }, [NODE_2], 60],
  ['a Node that is gone', { nodes: [node('node-1')] }, []],
  ['not asked for', { drainMs: 0 }, []],
  ['drained since it was changed', { observed: [member(2, { ...ZERO, updated_at: '2026-11-21T08:01:40' })] }, [NODE_2], 40],
  ['made with weight 0 long ago', { observed: [member(2, ZERO)] }, []],
  ['drained', { observed: [member(2, { ...ZERO, updated_at: '2026-11-21T08:01:00' })] }, []],
  ['no member', { observed: [member(1)] }, []],
  ["somebody else's member", { observed: [member(2, {}, 'foreign')] }, []],
  ['nobody stays', { nodes: [node('node-2', 'label')], desired: [] }, []],
  ['an older node port', { desired: [wanted(1, 30_081)] }, []],
  ['Pods', { mayBeEmpty: true }, []],
  ["another controller's pool", { observed: [member(2, {}, 'adoptable')] }, []],
  ['the security group as well', { grouped: true }, [NODE_2, 'port/10.0.0.2'], 60],
  ['Octavia is at work: nothing is seen', { grouped: true, busy: true, observed: [] }, ['port/10.0.0.2']],
  ['the same without a group', { busy: true, observed: [] }, []],
];
for (const [title, one, more, inS] of ROWS) {
  test(title, () => {
    expect(drained(one)).toEqual({ more, ...(inS === undefined ? {} : { inS: [inS] }) });
  });
}

test('each has its own time', () => {
  const observed = [member(2), member(3, { ...ZERO, updated_at: '2026-11-21T08:01:30' })];
  const nodes = [node('node-1'), node('node-2', 'label'), node('node-3', 'taint')];
  expect(drained({ nodes, observed }).inS).toEqual([60, 30]);
});

test('OVN knows no weights, so nothing drains there', () => {
  const config = { ...aConfig(), connectionDrainingMs: DRAIN_MS };
  expect(drainMsOf(config)).toBe(DRAIN_MS);
  expect(
    drainMsOf({ ...config, ...aConfig(undefined, { lbProvider: 'ovn' }), connectionDrainingMs: 5 }),
  ).toBe(0);
});
