/** Whatever nodes come, leave and return: a pool with a member that drains always has another one that takes traffic. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Node } from '../../shared/model/kubernetes.ts';
import { SUBNET } from '../support/cloud-contents.ts';
import { SimulatedCloud } from '../support/simulated-cloud.ts';
import { aConfig } from '../support/config.ts';
import { aStoredService } from '../support/service.ts';
import { settle } from './drive.ts';
import './seed.ts';

type State = 'stays' | 'leaves' | 'gone';
const NAMES = ['a', 'b', 'c', 'd'];
const someStates = fc.array(fc.constantFrom<State>('stays', 'leaves', 'gone'), {
  minLength: NAMES.length,
  maxLength: NAMES.length,
});
const config = { ...aConfig(undefined, { subnetId: SUBNET }), connectionDrainingMs: 60_000 };

const node = (name: string, index: number, state: State): Node => ({
  metadata: {
    name,
    uid: name,
    resourceVersion: '1',
    labels: state === 'leaves' ? { 'node.kubernetes.io/exclude-from-external-load-balancers': '' } : {},
  },
  status: { addresses: [{ type: 'InternalIP', address: `10.0.0.${10 + index}` }] },
});

test('a pool has each node that stays, with traffic, and at most nodes that leave beside them, without', () =>
  fc.assert(
    fc.asyncProperty(
      fc.array(someStates, { minLength: 1, maxLength: 5 }),
      fc.boolean(),
      async (rounds, inTime) => {
        const cloud = new SimulatedCloud();
        for (const states of rounds) {
          const nodes = states.flatMap((state, index) =>
            state === 'gone' ? [] : [node(NAMES[index] ?? '', index, state)],
          );
          const before = new Set(cloud.all('member').map(({ address }) => address));
          await settle(aStoredService(), nodes, cloud, config);
          const at = (state: State): readonly string[] =>
            states.flatMap((one, index) => (one === state ? [`10.0.0.${10 + index}`] : []));
          const members = cloud.all('member');
          // the clock of the model stands still
          for (const member of members)
            Object.assign(member, { updated_at: inTime ? '1970-01-01T00:00:00' : '1969-01-01T00:00:00' });
          if (at('stays').length === 0) continue;
          const serving = members.filter(({ weight }) => weight !== 0).map(({ address }) => String(address));
          const drained = members.filter(({ weight }) => weight === 0).map(({ address }) => String(address));
          expect(serving.sort()).toEqual([...at('stays')].sort());
          expect(drained.every((address) => at('leaves').includes(address) && before.has(address))).toBe(
            true,
          );
        }
      },
    ),
  ));
