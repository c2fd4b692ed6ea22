import { describe, expect, test } from 'vitest';
import type { Evaluation } from '../../../../shared/service/evaluate.ts';
import { adoptedTag } from '../../../../shared/model/ownership.ts';
import { changed, evaluateWorld, world } from '../../../golden/world.ts';
import type { Draft, RecordedWorld } from '../../../golden/world.ts';

const THEIRS = '00976b96-5dc3-4651-8530-e2af9dbc9c1e';
const ANOTHER = '11111111-0000-4000-8000-000000000002';

type Edit = (draft: Draft<RecordedWorld>) => void;

const asked: Edit = ({ cloud_config: lines }) => {
  lines.splice(lines.indexOf('[LoadBalancer]') + 1, 0, `member-subnet-id=${ANOTHER}`);
};
/** Each node has another address, which comes before the one that it is a member at. */
const moved: Edit = ({ nodes }) => {
  for (const [at, { status }] of nodes.entries())
    status?.addresses?.unshift({ type: 'InternalIP', address: `10.0.0.${at + 1}` });
};
const adopted: Edit = ({ openstack: [first], service: { metadata } }) => {
  const { namespace, name } = metadata;
  const tags = (first?.loadbalancer['tags'] ?? []) as readonly string[];
  if (first) first.loadbalancer['tags'] = [...tags, adoptedTag({ namespace, name })];
};

const edited = (from: RecordedWorld, ...edits: readonly Edit[]): RecordedWorld =>
  edits.reduce((draft, edit) => changed(draft, edit), from);

const waiting = ({ plan }: Evaluation): readonly unknown[] =>
  plan.awaitingApproval.map(({ address, changes }) => [address, ...changes]);

/** Without those that only add our tags, and of ports other than the first. */
const stepsOf = ({ plan }: Evaluation): readonly string[] =>
  plan.steps
    .filter((step) => step.verb !== 'update' || step.changes.some(({ attribute }) => attribute !== 'tags'))
    .map(({ verb, address }) => `${verb} ${address}`)
    .filter((text) => !text.includes('/tcp/443'));

const approved = (from: RecordedWorld): Promise<Evaluation> => evaluateWorld(edited(from, adopted));

describe.each(['occm/basic-two-ports', 'kinx/readme-tcp'])('the members of %s', (name) => {
  const from = world(name);

  test('wait, as one change of each pool, while another subnet is asked for', async () => {
    const evaluation = await evaluateWorld(edited(from, asked));
    const change = { attribute: 'subnet_id of the members', from: [THEIRS], to: [ANOTHER] };
    expect(waiting(evaluation)).toEqual([
      ['pool/tcp/80', change],
      ['pool/tcp/443', change],
    ]);
    expect(stepsOf(evaluation)).toEqual([]);
  });

  test('are moved by a new pool, once that is approved', async () => {
    const evaluation = await approved(edited(from, asked));
    expect(waiting(evaluation)).toEqual([]);
    expect(stepsOf(evaluation)).toEqual([
      'create pool/tcp/80/next',
      'members pool/tcp/80/next',
      'create monitor/tcp/80/next',
      'update listener/tcp/80',
      'delete pool/tcp/80',
    ]);
  });

  test('go to the addresses that nodes have in it, with the same approval', async () => {
    const both = edited(from, asked, moved);
    const evaluation = await approved(both);
    expect(stepsOf(await evaluateWorld(both))).toEqual([]);
    expect(waiting(evaluation)).toEqual([]);
    expect(stepsOf(evaluation)).toEqual(['members pool/tcp/80']);
  });

  test('stay where a Service asks for none, whatever subnet they are in', async () => {
    const elsewhere: Edit = ({ openstack }) => {
      for (const member of openstack.flatMap(({ members }) => Object.values(members).flat()))
        member['subnet_id'] = ANOTHER;
    };
    const evaluation = await evaluateWorld(edited(from, elsewhere));
    expect([waiting(evaluation), stepsOf(evaluation)]).toEqual([[], []]);
  });
});
