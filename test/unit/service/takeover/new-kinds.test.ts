import { expect, test } from 'vitest';
import type { DesiredResource, ResourceKind } from '../../../../shared/model/resources.ts';
import { holdUntilApproved } from '../../../../shared/service/plan/held/hold-until-approved.ts';
import { adoptedTag } from '../../../../shared/model/ownership.ts';
import { evaluateWorld, world } from '../../../golden/world.ts';

test('what no controller before made on a listener waits, with what hangs on it', async () => {
  const { desired, observed } = await evaluateWorld(world('kinx/readme-http-redirect'));
  const one = (address: string, parent: string): DesiredResource => ({
    kind: 'l7thing' as ResourceKind,
    address,
    parent,
    attributes: {},
  });
  const more = [
    one('l7policy/tcp/80/redirect', 'listener/tcp/80'),
    one('l7rule', 'l7policy/tcp/80/redirect'),
  ];
  const key = { namespace: 'kinx', name: 'readme-http-redirect' };
  const both = (tags: readonly string[]): ReturnType<typeof holdUntilApproved> =>
    holdUntilApproved({
      key,
      desired: [...desired.resources, ...more],
      observed: observed.resources.map((it) =>
        it.kind === 'loadbalancer' ? { ...it, wire: { ...it.wire, tags } } : it,
      ),
      uid: 'u',
      approved: [],
      published: [],
      nodes: new Map(),
      keepMembers: false,
    });
  const { desired: left, awaitingApproval } = both([]);
  expect(awaitingApproval.map(({ verb, address }) => [verb, address])).toContainEqual([
    'create',
    more[0]?.address,
  ]);
  expect(left.filter(({ kind }) => kind === more[0]?.kind)).toEqual([]);
  expect(both([adoptedTag(key)]).desired.filter(({ kind }) => kind === more[0]?.kind)).toEqual(more);
});
