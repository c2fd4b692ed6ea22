import { describe, expect, test } from 'vitest';
import { legacyLoadBalancerName } from '../../../../shared/model/load-balancer/other-controllers.ts';
import { LOAD_BALANCER_ID } from '../../../../shared/model/ownership.ts';
import { nothingApplied } from '../../../../shared/service/finish.ts';
import { addressesToPublish, ingressOf } from '../../../../shared/service/report/published-address.ts';
import type { Wire } from '../../../support/cloud-contents.ts';
import { changed, evaluateWorld, world, type Draft, type RecordedWorld } from '../../../golden/world.ts';

const kinx = world('kinx/readme-tcp');
const occm = world('occm/basic-two-ports');
const KINX_ID = kinx.openstack[0]?.loadbalancer.id ?? '';
const OCCM_ID = occm.openstack[0]?.loadbalancer.id ?? '';
const SECOND = '77777777-0000-4000-8000-000000000000';

type Edit = (draft: Draft<RecordedWorld>) => void;

const edited = (from: RecordedWorld, ...edits: readonly Edit[]): RecordedWorld =>
  edits.reduce((draft, edit) => changed(draft, edit), from);
const planOf = async (from: RecordedWorld, ...edits: readonly Edit[]) =>
  (await evaluateWorld(edited(from, ...edits))).plan;
const stepsOf = async (...given: Parameters<typeof planOf>): Promise<readonly string[]> =>
  (await planOf(...given)).steps.map(({ verb, kind }) => `${verb} ${kind}`);

function balancer(draft: Draft<RecordedWorld>): Wire {
  const [first] = draft.openstack;
  if (!first) throw new Error('there is no load balancer');
  return first.loadbalancer;
}
const set =
  (attribute: string, value: unknown): Edit =>
  (draft) => {
    balancer(draft)[attribute] = value;
  };
const tagged =
  (tag: string): Edit =>
  (draft) => {
    const lb = balancer(draft);
    lb['tags'] = [...(lb['tags'] as readonly string[]), tag];
  };
const names =
  (id?: string): Edit =>
  ({ service: { metadata } }) => {
    metadata.annotations = id === undefined ? {} : { [LOAD_BALANCER_ID]: id };
  };
const withoutId = names();
const unpublish: Edit = (draft) => {
  draft.service.status = { loadBalancer: {} };
};
const leave: Edit = ({ service: { metadata } }) => {
  metadata.deletionTimestamp = '2026-11-21T00:00:00Z';
};
/** A name that says the UID, no tags, the oldest names of children. */
const asLegacy: Edit = (draft) => {
  const name = legacyLoadBalancerName(draft.service.metadata.uid);
  Object.assign(balancer(draft), { name, tags: [], description: `Kubernetes external service ${name}` });
  const [first] = draft.openstack;
  for (const [at, wire] of (first?.listeners ?? []).entries())
    Object.assign(wire, { name: `listener_${name}_${at}`, tags: [] });
  for (const [at, wire] of (first?.pools ?? []).entries())
    Object.assign(wire, { name: `pool_${name}_${at}`, tags: [] });
};

test.each<[string, RecordedWorld, readonly Edit[], string]>([
  ['of OCCM by tag and id', occm, [unpublish], OCCM_ID],
  ['of OCCM by tag, description and address', occm, [withoutId], OCCM_ID],
  ['of kinx by name, description and address', kinx, [], KINX_ID],
  ['of a legacy name by its id', occm, [asLegacy], OCCM_ID],
  ['of a legacy name by its address', occm, [asLegacy, withoutId], OCCM_ID],
])('a load balancer %s is taken over', async (_title, from, edits, id) => {
  const { observed, plan } = await evaluateWorld(edited(from, ...edits));
  expect(observed.loadBalancer?.id).toBe(id);
  expect(plan.steps.every(({ verb }) => verb === 'update')).toBe(true);
  expect([...plan.refused, ...plan.foreign, ...plan.awaitingApproval]).toEqual([]);
});

const OF_ANOTHER = 'Kubernetes external service kinx-readme/tcp from cluster kubernetes';
test.each<[string, RecordedWorld, readonly Edit[]]>([
  ['whose address nobody published', kinx, [unpublish]],
  ['whose description says another Service, the name being the same', kinx, [set('description', OF_ANOTHER)]],
  ['with another address than the one published', kinx, [set('vip_address', '10.0.0.253')]],
  ['that another cluster has taken over', occm, [tagged('levelset-cluster=other')]],
  ['that a person made, whatever id the Service names', kinx, [set('name', 'mine'), names(KINX_ID)]],
  ['that is named by something that is no id', kinx, [names(`${KINX_ID}&name=x`), unpublish]],
])('a load balancer %s is left alone', async (_title, from, edits) => {
  expect((await evaluateWorld(edited(from, ...edits))).observed.loadBalancer).toBeUndefined();
});

describe('one that OCCM made under another cluster name', () => {
  const renamed: Edit = (draft) => {
    draft.cluster_name = 'kubernetes';
  };
  test.each<[string, readonly Edit[]]>([
    ['by its id', []],
    ['by its floating IP', [withoutId]],
    ['on the way out', [leave]],
  ])(
    'is not tagged where the Service leads to it %s, and the Problem has both names',
    async (_how, edits) => {
      const { observed, plan } = await evaluateWorld(edited(occm, renamed, ...edits));
      expect([observed.loadBalancer, plan.steps]).toEqual([undefined, []]);
      const message: unknown = expect.stringMatching(
        `load balancer ${OCCM_ID}, .* in a cluster named bench; give --cluster-name bench if`,
      );
      expect(plan.problems.filter(({ blocking }) => blocking)).toEqual([
        { field: '--cluster-name', value: 'kubernetes', message, blocking: true },
      ]);
    },
  );

  test.each<[string, readonly Edit[]]>([
    ['with a name that a person gave', [set('name', 'mine')]],
    ['with a name that was cut', [set('name', `kube_service_bench_takeover_${'x'.repeat(227)}`)]],
    ['to which no Service leads', [withoutId, unpublish]],
  ])('%s is no problem', async (_name, edits) => {
    const { problems } = await planOf(occm, renamed, ...edits);
    expect(problems.filter(({ field }) => field === '--cluster-name')).toEqual([]);
  });
});

test('of two that could both be meant none is taken, none is made, and the plan says why; the id on the Service decides', async () => {
  const twice: Edit = ({ openstack }) => {
    const [first] = openstack;
    if (first) openstack.push({ ...first, loadbalancer: { ...first.loadbalancer, id: SECOND } });
  };
  const { observed, plan } = await evaluateWorld(edited(kinx, twice));
  expect([observed.loadBalancer, plan.steps]).toEqual([undefined, []]);
  expect(plan.problems.map(({ value, blocking }) => [value, blocking])).toContainEqual([
    [KINX_ID, SECOND].sort().join(', '),
    true,
  ]);
  expect((await evaluateWorld(edited(kinx, twice, names(KINX_ID)))).observed.loadBalancer?.id).toBe(KINX_ID);
});

test('one that several Services share is taken over by tags alone, and stays with its floating IP when its owner leaves', async () => {
  const shared = tagged('kube_service_bench_takeover_other');
  const { sharedWith, steps } = await planOf(occm, shared);
  expect(sharedWith).toEqual(['takeover/other']);
  for (const step of steps) expect(step).toMatchObject({ verb: 'update', changes: [{ attribute: 'tags' }] });
  expect(new Set(await stepsOf(occm, shared, leave))).toEqual(new Set(['delete listener', 'delete pool']));
});

test('one that a person made is emptied and stays when its Service leaves', async () => {
  const own = [set('name', 'mine'), leave];
  expect(new Set(await stepsOf(occm, ...own))).toEqual(
    new Set(['delete listener', 'delete pool', 'delete floatingip']),
  );
  const emptied: Edit = ({ openstack }) => {
    for (const lb of openstack)
      Object.assign(lb, { listeners: [], pools: [], members: {}, healthmonitors: [] });
  };
  const { steps } = await planOf(occm, ...own, emptied);
  expect(steps.find(({ kind }) => kind === 'loadbalancer')).toMatchObject({
    ...{ verb: 'update', changes: [{ attribute: 'tags' }] },
  });
});

test('what a person made on it stays when nodes leave, and no call names the whole pool; it keeps the load balancer when its Service leaves', async () => {
  const byHand: Edit = (draft) => {
    const [first] = draft.openstack;
    const [listener] = first?.listeners ?? [];
    const pool = first?.pools[0]?.id ?? '';
    if (!first || !listener) throw new Error('there is no listener');
    const own = { id: 'l-own', name: 'mine', protocol_port: 9100, default_pool_id: null };
    first.listeners.push({ ...listener, ...own });
    first.members[pool]?.push(
      { id: 'm-1', name: '', address: '10.0.0.9', protocol_port: 31_000 },
      { id: 'm-2', name: 'mine', address: '10.0.0.9', protocol_port: 8080 },
    );
    draft.nodes = draft.nodes.slice(2);
  };
  const plan = await planOf(kinx, byHand);
  const members = plan.steps.filter(({ kind }) => kind === 'member' || kind === 'pool');
  expect(plan.foreign).toHaveLength(3);
  expect(members.map(({ verb }) => verb)).toEqual(['delete', 'delete', 'members']);
  expect(members.every(({ address }) => !address.includes('10.0.0.9:'))).toBe(true);
  const all = ['delete listener', 'delete listener', 'delete pool', 'delete pool'];
  expect(await stepsOf(kinx, byHand, leave)).toEqual(all);
});

test('another pool in place of its own is not touched', async () => {
  const swapped: Edit = (draft) => {
    for (const pool of draft.openstack[0]?.pools ?? []) pool['name'] = 'blue';
    draft.service.spec.sessionAffinity = 'ClientIP';
  };
  const plan = await planOf(kinx, swapped);
  expect(plan.steps.map(({ kind }) => kind)).toEqual(['loadbalancer', 'listener', 'listener']);
  expect(plan.refused.map(({ address }) => address)).toEqual(['pool/tcp/80', 'pool/tcp/443']);
});

test('an address of a node that serves is kept though another one would be chosen', async () => {
  const moved: Edit = ({ nodes: [first] }) => {
    first?.status?.addresses?.unshift({ type: 'InternalIP', address: '10.0.0.250' });
  };
  const { steps } = await planOf(occm, moved);
  expect(steps.filter(({ kind }) => kind === 'member' || kind === 'pool')).toEqual([]);
});

test.each(['PreferDualStack', 'RequireDualStack'])(
  'the one address that OCCM gave a %s Service stays, and the other one is told of',
  async (ipFamilyPolicy) => {
    const dual: Edit = ({ service: { spec } }) => {
      Object.assign(spec, { ipFamilies: ['IPv4', 'IPv6'], ipFamilyPolicy });
    };
    const evaluation = await evaluateWorld(edited(occm, dual));
    expect(evaluation.plan.steps.every(({ verb }) => verb === 'update')).toBe(true);
    expect(evaluation.plan.problems.filter(({ blocking }) => blocking)).toEqual([]);
    expect(ingressOf(evaluation, addressesToPublish(evaluation, nothingApplied(evaluation)))).toEqual(
      occm.service.status?.loadBalancer?.ingress,
    );
    const told = JSON.stringify([evaluation.plan.refused, evaluation.plan.problems]);
    expect(told).toMatch(/additional_vips|has no IPv6 address/);
  },
);

test('any address that is published proves whose a load balancer is', async () => {
  const six = 'fd00:10::f816:3eff:fe00:7';
  const found = async (ip: string): Promise<string | undefined> => {
    const published: Edit = (draft) => {
      draft.service.status = { loadBalancer: { ingress: [{ ip: '192.0.2.1' }, { ip }] } };
      const lb = balancer(draft);
      lb['additional_vips'] = [{ subnet_id: lb['vip_subnet_id'], ip_address: six }];
    };
    return (await evaluateWorld(edited(occm, withoutId, published))).observed.loadBalancer?.id;
  };
  expect([await found(six), await found('fd00:10::1')]).toEqual([OCCM_ID, undefined]);
});
