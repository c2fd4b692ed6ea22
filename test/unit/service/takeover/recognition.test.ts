import { describe, expect, test } from 'vitest';
import { legacyLoadBalancerName } from '../../../../shared/model/load-balancer/other-controllers.ts';
import { LOAD_BALANCER_ID } from '../../../../shared/model/ownership.ts';
import type { Wire } from '../../../support/cloud-contents.ts';
import { changed, evaluateWorld, world } from '../../../golden/world.ts';
import type { Draft, RecordedWorld } from '../../../golden/world.ts';

const kinx = world('kinx/readme-tcp');
const occm = world('occm/basic-two-ports');
const KINX_ID = kinx.openstack[0]?.loadbalancer.id ?? '';
const OCCM_ID = occm.openstack[0]?.loadbalancer.id ?? '';

const found = async (from: RecordedWorld): Promise<string | undefined> =>
  (await evaluateWorld(from)).observed.loadBalancer?.id;

function balancer(draft: Draft<RecordedWorld>): Wire {
  const [first] = draft.openstack;
  if (!first) throw new Error('there is no load balancer');
  return first.loadbalancer;
}

const unpublish = (draft: Draft<RecordedWorld>): void => {
  draft.service.status = { loadBalancer: {} };
};
const withoutId = (draft: Draft<RecordedWorld>): void => {
  draft.service.metadata.annotations = {};
};
/** A name that says the UID, no tags, the oldest names of children. */
const asLegacy = (draft: Draft<RecordedWorld>): void => {
  const name = legacyLoadBalancerName(draft.service.metadata.uid);
  Object.assign(balancer(draft), { name, tags: [], description: `Kubernetes external service ${name}` });
  const [first] = draft.openstack;
  for (const [kind, wires] of [
    ['listener', first?.listeners],
    ['pool', first?.pools],
  ] as const)
    for (const [at, wire] of (wires ?? []).entries())
      Object.assign(wire, { name: `${kind}_${name}_${at}`, tags: [] });
};

const TAKEN: readonly (readonly [string, RecordedWorld, (draft: Draft<RecordedWorld>) => void, string])[] = [
  ['of OCCM by tag and id', occm, unpublish, OCCM_ID],
  ['of OCCM by tag, description and address', occm, withoutId, OCCM_ID],
  ['of kinx by name, description and address', kinx, () => undefined, KINX_ID],
  ['of a legacy name by its id', occm, asLegacy, OCCM_ID],
  [
    'of a legacy name by its address',
    occm,
    (draft) => {
      asLegacy(draft);
      withoutId(draft);
    },
    OCCM_ID,
  ],
];

test.each(TAKEN)('a load balancer %s is taken over', async (_title, from, edit, id) => {
  const evaluation = await evaluateWorld(changed(from, edit));
  expect(evaluation.observed.loadBalancer?.id).toBe(id);
  expect(evaluation.plan.steps.every(({ verb }) => verb === 'update')).toBe(true);
  expect([evaluation.plan.refused, evaluation.plan.foreign, evaluation.plan.awaitingApproval]).toEqual([
    [],
    [],
    [],
  ]);
});

// prettier-ignore
const LEFT: readonly (readonly [string, RecordedWorld, (draft: Draft<RecordedWorld>) => void])[] = [
  ['whose address nobody published', kinx, unpublish],
  ['whose description says another Service, though the name is the same', kinx, (draft) => { balancer(draft)['description'] = 'Kubernetes external service kinx-readme/tcp from cluster kubernetes'; }],
  ['with another address than the one published', kinx, (draft) => { balancer(draft)['vip_address'] = '10.0.0.253'; }],
  [
    'that another cluster has taken over',
    occm,
    (draft) => {
      const lb = balancer(draft);
      lb['tags'] = [...(lb['tags'] as readonly string[]), 'levelset-cluster=other'];
    },
  ],
  [
    'that a person made, whatever id the Service names',
    kinx,
    (draft) => {
      balancer(draft)['name'] = 'mine';
      draft.service.metadata.annotations = { [LOAD_BALANCER_ID]: KINX_ID };
    },
  ],
  [
    'that is named by something that is no id',
    kinx,
    (draft) => {
      draft.service.metadata.annotations = { [LOAD_BALANCER_ID]: `${KINX_ID}&name=x` };
      unpublish(draft);
    },
  ],
];

describe('one that OCCM made under another cluster name', () => {
  const renamed = (edit: (draft: Draft<RecordedWorld>) => void): RecordedWorld =>
    changed(occm, (draft) => {
      draft.cluster_name = 'kubernetes';
      edit(draft);
    });
  const leave = (draft: Draft<RecordedWorld>): void => {
    draft.service.metadata.deletionTimestamp = '2026-11-21T00:00:00Z';
  };
  test.each([
    ['by its id', () => undefined],
    ['by its floating IP', withoutId],
    ['on the way out', leave],
  ])('is not tagged where the Service leads to it %s, and the Problem has both names', async (_how, edit) => {
    const { observed, plan } = await evaluateWorld(renamed(edit));
    expect([observed.loadBalancer, plan.steps]).toEqual([undefined, []]);
    expect(plan.problems.filter(({ blocking }) => blocking)).toEqual([
      {
        field: '--cluster-name',
        value: 'kubernetes',
        message: expect.stringMatching(
          `load balancer ${OCCM_ID}, .* in a cluster named bench; give --cluster-name bench if`,
        ) as string,
        blocking: true,
      },
    ]);
  });

  test.each([
    ['a name that a person gave', 'mine'],
    ['a name that was cut', `kube_service_bench_takeover_${'x'.repeat(227)}`],
  ])('%s is no verdict', async (_name, name) => {
    const edit = (draft: Draft<RecordedWorld>): void => {
      balancer(draft)['name'] = name;
    };
    const { plan } = await evaluateWorld(renamed(edit));
    expect(plan.problems.filter(({ field }) => field === '--cluster-name')).toEqual([]);
  });

  test('is no problem where no Service leads to it', async () => {
    const elsewhere = renamed((draft) => {
      withoutId(draft);
      unpublish(draft);
    });
    const { plan } = await evaluateWorld(elsewhere);
    expect(plan.problems.filter(({ field }) => field === '--cluster-name')).toEqual([]);
  });
});

test.each(LEFT)('a load balancer %s is left alone', async (_title, from, edit) => {
  expect(await found(changed(from, edit))).toBeUndefined();
});

describe('two that could both be meant', () => {
  const twice = changed(kinx, (draft) => {
    const [first] = draft.openstack;
    if (first) draft.openstack.push(structuredClone(first));
    balancer(draft);
    const [, second] = draft.openstack;
    if (second) Object.assign(second.loadbalancer, { id: '77777777-0000-4000-8000-000000000000' });
  });

  test('none is taken, none is made, and the plan says why', async () => {
    const { observed, plan } = await evaluateWorld(twice);
    expect(observed.loadBalancer).toBeUndefined();
    expect(plan.steps).toEqual([]);
    expect(plan.problems.map(({ value, blocking }) => [value, blocking])).toContainEqual([
      [KINX_ID, '77777777-0000-4000-8000-000000000000'].sort().join(', '),
      true,
    ]);
  });

  test('the id on the Service decides', async () => {
    const named = changed(twice, (draft) => {
      draft.service.metadata.annotations = { [LOAD_BALANCER_ID]: KINX_ID };
    });
    expect(await found(named)).toBe(KINX_ID);
  });
});

describe('one that several Services share', () => {
  const shared = (edit: (draft: Draft<RecordedWorld>) => void): RecordedWorld =>
    changed(occm, (draft) => {
      const lb = balancer(draft);
      lb['tags'] = [...(lb['tags'] as readonly string[]), 'kube_service_bench_takeover_other'];
      edit(draft);
    });
  const leave = (draft: Draft<RecordedWorld>): void => {
    draft.service.metadata.deletionTimestamp = '2026-11-21T00:00:00Z';
  };

  test('is taken over by tags alone', async () => {
    const { plan } = await evaluateWorld(shared(() => undefined));
    expect(plan.sharedWith).toEqual(['takeover/other']);
    expect(plan.steps.map(({ verb }) => verb)).not.toContain('create');
    for (const step of plan.steps)
      expect(step).toMatchObject({ verb: 'update', changes: [{ attribute: 'tags' }] });
  });

  test('stays with its floating IP when its owner leaves', async () => {
    const { plan } = await evaluateWorld(shared(leave));
    expect(new Set(plan.steps.map(({ verb, kind }) => `${verb} ${kind}`))).toEqual(
      new Set(['delete listener', 'delete pool']),
    );
  });
});

test('one that a person made is emptied and stays when its Service leaves', async () => {
  const own = (draft: Draft<RecordedWorld>): void => {
    balancer(draft)['name'] = 'mine';
    draft.service.metadata.deletionTimestamp = '2026-11-21T00:00:00Z';
  };
  const { plan } = await evaluateWorld(changed(occm, own));
  const steps = plan.steps.map(({ verb, kind }) => `${verb} ${kind}`);
  expect(new Set(steps)).toEqual(new Set(['delete listener', 'delete pool', 'delete floatingip']));
  const empty = await evaluateWorld(
    changed(changed(occm, own), (draft) => {
      for (const lb of draft.openstack)
        Object.assign(lb, { listeners: [], pools: [], members: {}, healthmonitors: [] });
    }),
  );
  const given = empty.plan.steps.find(({ kind }) => kind === 'loadbalancer');
  expect(given).toMatchObject({ verb: 'update', changes: [{ attribute: 'tags' }] });
});

describe('what a person made on it', () => {
  const byHand = changed(kinx, (draft) => {
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
  });

  test('stays when nodes leave, and no call names the whole pool', async () => {
    const { plan } = await evaluateWorld(byHand);
    const members = plan.steps.filter(({ kind }) => kind === 'member' || kind === 'pool');
    expect(plan.foreign).toHaveLength(3);
    expect(members.map(({ verb }) => verb)).toEqual(['delete', 'delete', 'members']);
    expect(members.every(({ address }) => !address.includes('10.0.0.9:'))).toBe(true);
  });

  test('keeps the load balancer when its Service leaves', async () => {
    const { plan } = await evaluateWorld(
      changed(byHand, (draft) => {
        draft.service.metadata.deletionTimestamp = '2026-11-21T00:00:00Z';
      }),
    );
    expect(plan.steps.map(({ verb, kind }) => `${verb} ${kind}`)).toEqual([
      'delete listener',
      'delete listener',
      'delete pool',
      'delete pool',
    ]);
  });
});

test('another pool in place of its own is not touched', async () => {
  const swapped = changed(kinx, (draft) => {
    for (const pool of draft.openstack[0]?.pools ?? []) pool['name'] = 'blue';
    draft.service.spec.sessionAffinity = 'ClientIP';
  });
  const { plan } = await evaluateWorld(swapped);
  expect(plan.steps.map(({ kind }) => kind)).toEqual(['loadbalancer', 'listener', 'listener']);
  expect(plan.refused.map(({ address }) => address)).toEqual(['pool/tcp/80', 'pool/tcp/443']);
});

test('an address of a node that serves is kept though another one would be chosen', async () => {
  const moved = changed(occm, (draft) => {
    const first = draft.nodes[0]?.status?.addresses ?? [];
    first.unshift({ type: 'InternalIP', address: '10.0.0.250' });
  });
  const { plan } = await evaluateWorld(moved);
  expect(plan.steps.filter(({ kind }) => kind === 'member' || kind === 'pool')).toEqual([]);
});
