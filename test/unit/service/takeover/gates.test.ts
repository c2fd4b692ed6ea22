import { describe, expect, test } from 'vitest';
import type { Evaluation } from '../../../../shared/service/evaluate.ts';
import { adoptedTag, APPROVE } from '../../../../shared/model/ownership.ts';
import type { Step } from '../../../../shared/model/plan.ts';
import { nothingApplied } from '../../../../shared/service/finish.ts';
import { addressesToPublish } from '../../../../shared/service/report/published-address.ts';
import { changed, configOf, evaluateWorld, world } from '../../../golden/world.ts';
import type { Draft, RecordedWorld } from '../../../golden/world.ts';

const kinx = world('kinx/readme-tcp');
const occm = world('occm/basic-two-ports');

type Edit = (draft: Draft<RecordedWorld>) => void;

function annotate(draft: Draft<RecordedWorld>, key: string, value: string): void {
  draft.service.metadata.annotations = { ...draft.service.metadata.annotations, [key]: value };
}

/** The hash of all that waits is in the annotation. */
const approve =
  ({ plan }: Evaluation): Edit =>
  (draft) => {
    const [hash = '', ...others] = new Set(plan.awaitingApproval.map(({ approval }) => approval));
    expect(others).toEqual([]);
    annotate(draft, APPROVE, hash);
  };

const tagOf = ({ metadata: { namespace, name } }: RecordedWorld['service']): string =>
  adoptedTag({ namespace, name });

/** The run that found the hash has written it down. */
const adopted: Edit = ({ openstack: [first], service }) => {
  const tags = (first?.loadbalancer['tags'] ?? []) as readonly string[];
  if (first) first.loadbalancer['tags'] = [...tags, tagOf(service)];
};

const besideTags = ({ plan }: Evaluation): readonly Step[] =>
  plan.steps.filter(
    (step) => step.verb !== 'update' || step.changes.some(({ attribute }) => attribute !== 'tags'),
  );

const waiting = ({ plan }: Evaluation): readonly string[] =>
  plan.awaitingApproval.map(({ verb, address, changes }) =>
    [verb, address, ...changes.map(({ attribute }) => attribute)].join(' '),
  );

const sticky: Edit = (draft) => {
  draft.service.spec.sessionAffinity = 'ClientIP';
};

/** What somebody asks for, what waits of it, and what approving does: the verbs and addresses of the steps. */
// prettier-ignore
const CASES: readonly (readonly [string, RecordedWorld, Edit, readonly string[], readonly string[]])[] = [
  ['kinx never changed how a client stays on a member', kinx, sticky, ['update pool/tcp/80 session_persistence', 'update pool/tcp/443 session_persistence'], ['update pool/tcp/80', 'update pool/tcp/443']],
  ['kinx never closed a listener', kinx, (draft) => { draft.service.spec.loadBalancerSourceRanges = ['10.0.0.0/8']; },
    ['update listener/tcp/80 allowed_cidrs', 'update listener/tcp/443 allowed_cidrs'], ['update listener/tcp/80', 'update listener/tcp/443']],
  ['kinx never removed a health monitor', kinx, (draft) => { annotate(draft, 'loadbalancer.openstack.org/enable-health-monitor', 'false'); },
    ['delete monitor/tcp/80 type', 'delete monitor/tcp/443 type'], ['delete monitor/tcp/80', 'delete monitor/tcp/443']],
  ['OCCM gives no health checks to pools that had none', world('occm/no-health-monitor'),
    (draft) => { annotate(draft, 'loadbalancer.openstack.org/enable-health-monitor', 'true'); }, ['create monitor/tcp/80 type', 'create monitor/tcp/81 type'],
    ['create monitor/tcp/80', 'create monitor/tcp/81']],
  [
    'OCCM left the floating IP of a Service that became internal',
    world('occm/hostname'),
    (draft) => {
      annotate(draft, 'service.beta.kubernetes.io/openstack-internal-load-balancer', 'true');
      draft.service.status = { loadBalancer: { ingress: [{ ip: '203.0.113.1', ipMode: 'VIP' }] } };
      const [ip] = draft.openstack[0]?.floatingips ?? [];
      if (ip) ip['floating_ip_address'] = '203.0.113.1';
    },
    ['delete floatingip address'],
    ['delete floatingip'],
  ],
  ['kinx left redirects and headers to its driver', world('kinx/readme-http-redirect'), (draft) => { annotate(draft, 'levelset.openstack.org/redirect-host', 'app.example.org'); },
    ['update listener/tcp/80 insert_headers', 'create l7policy/tcp/80/redirect action redirect_prefix redirect_http_code position'],
    ['update listener/tcp/80', 'create l7policy/tcp/80/redirect', 'create l7rule/tcp/80/redirect']],
  ['kinx made every node a member, whatever their labels', kinx, (draft) => { annotate(draft, 'loadbalancer.openstack.org/node-selector', 'pool=a'); },
    ['update pool/tcp/80 members', 'update pool/tcp/443 members'], ['members pool/tcp/80', 'members pool/tcp/443']],
];

describe.each(CASES)('%s', (_title, from, edit, waits, steps) => {
  test('so it waits, and nothing but tags is written', async () => {
    const evaluation = await evaluateWorld(changed(from, edit));
    expect(waiting(evaluation)).toEqual(waits);
    expect(besideTags(evaluation)).toEqual([]);
  });

  test('the run that finds the approval writes the tag, and nothing else', async () => {
    const asked = changed(from, edit);
    const evaluation = await evaluateWorld(changed(asked, approve(await evaluateWorld(asked))));
    expect(besideTags(evaluation)).toEqual([]);
    expect(JSON.stringify(evaluation.plan.steps)).toContain(tagOf(asked.service));
  });

  test('and is done by the tag', async () => {
    const evaluation = await evaluateWorld(changed(changed(from, edit), adopted));
    expect(waiting(evaluation)).toEqual([]);
    expect(besideTags(evaluation).map(({ verb, address }) => `${verb} ${address}`)).toEqual(steps);
  });
});

test('what Octavia cannot change is refused, and no approval is asked for it', async () => {
  const { plan } = await evaluateWorld(
    changed(kinx, (draft) => {
      annotate(draft, 'loadbalancer.openstack.org/flavor-id', '5b4f0d8e-1d1a-4f4a-9a51-0d7a2a3b4c5d');
    }),
  );
  expect(plan.refused).toMatchObject([{ address: 'lb', changes: [{ attribute: 'flavor_id' }] }]);
  expect(plan.awaitingApproval).toEqual([]);
});

describe('an approval', () => {
  test('is for all that waits: one more difference needs another', async () => {
    const more = changed(kinx, (draft) => {
      sticky(draft);
      annotate(draft, 'loadbalancer.openstack.org/enable-health-monitor', 'false');
    });
    const evaluation = await evaluateWorld(
      changed(more, approve(await evaluateWorld(changed(kinx, sticky)))),
    );
    expect(waiting(evaluation)).toHaveLength(4);
    expect(besideTags(evaluation)).toEqual([]);
    expect(JSON.stringify(evaluation.plan.steps)).not.toContain(tagOf(more.service));
  });

  test('is not for another Service that asks for the same', async () => {
    const asked = changed(kinx, sticky);
    const other = changed(asked, (draft) => {
      draft.service.metadata.uid = '99999999-0000-4000-8000-000000000000';
    });
    const evaluation = await evaluateWorld(changed(asked, approve(await evaluateWorld(other))));
    expect(waiting(evaluation)).toHaveLength(2);
  });

  test('is not for another value', async () => {
    const delay = (seconds: string): RecordedWorld =>
      changed(kinx, (draft) => {
        annotate(draft, 'service.beta.kubernetes.io/kinx-load-balancer-healthcheck-interval', seconds);
      });
    const evaluation = await evaluateWorld(changed(delay('7'), approve(await evaluateWorld(delay('8')))));
    expect(waiting(evaluation)).toHaveLength(2);
  });

  test('makes the watermark another one, so that a sweep finds it', async () => {
    const asked = changed(kinx, sticky);
    const evaluation = await evaluateWorld(asked);
    expect((await evaluateWorld(changed(asked, approve(evaluation)))).hash).not.toBe(evaluation.hash);
  });
});

describe('with traffic that stays on its node', () => {
  const local = changed(kinx, (draft) => {
    draft.service.spec.externalTrafficPolicy = 'Local';
    draft.service.spec.healthCheckNodePort = 32_000;
  });

  test('members get no monitor port that no monitor uses yet', async () => {
    const evaluation = await evaluateWorld(local);
    expect(waiting(evaluation).map((text) => text.split(' ').slice(0, 3).join(' '))).toEqual([
      'update monitor/tcp/80 type',
      'update monitor/tcp/443 type',
    ]);
    expect(besideTags(evaluation)).toEqual([]);
  });

  test('a node that joins is checked like its siblings', async () => {
    const evaluation = await evaluateWorld(
      changed(local, (draft) => {
        draft.nodes.push({
          metadata: { name: 'new', uid: 'new', resourceVersion: '1' },
          status: { addresses: [{ type: 'InternalIP', address: '10.0.0.99' }] },
        });
      }),
    );
    const created = besideTags(evaluation).flatMap((step) =>
      step.verb === 'create' ? [step.attributes] : [],
    );
    expect(created.map((attributes) => attributes['monitor_port'])).toEqual([null, null]);
  });
});

describe('nodes without a ready Pod', () => {
  const local: Edit = (draft) => {
    draft.service.spec.externalTrafficPolicy = 'Local';
    draft.service.spec.healthCheckNodePort = 32_000;
    // as OCCM has it then
    const [lb] = draft.openstack;
    const http = { type: 'HTTP', http_method: 'GET', url_path: '/healthz', expected_codes: '200' };
    for (const monitor of lb?.healthmonitors ?? []) Object.assign(monitor, http);
    for (const member of Object.values(lb?.members ?? {}).flat()) member['monitor_port'] = 32_000;
  };
  const lookWith = (from: RecordedWorld, nodes: readonly string[]): Promise<Evaluation> =>
    evaluateWorld(from, configOf(from), { nodes });

  test('get traffic from OCCM, so that they become backups waits', async () => {
    const evaluation = await lookWith(changed(occm, local), ['node-1']);
    expect(waiting(evaluation)).toEqual([
      'update pool/tcp/80 backup of the members',
      'update pool/tcp/443 backup of the members',
    ]);
    expect(besideTags(evaluation).filter(({ kind }) => kind === 'member' || kind === 'pool')).toEqual([]);
  });

  test('are approved once, wherever the Pods go', async () => {
    const asked = changed(occm, local);
    const again = await lookWith(changed(asked, adopted), ['node-2', 'node-3']);
    expect(waiting(again)).toEqual([]);
    expect(besideTags(again).filter(({ verb }) => verb === 'members')).toHaveLength(2);
  });
});

describe('Pods of a port without a node port', () => {
  const direct: Edit = (draft) => {
    draft.service.spec.allocateLoadBalancerNodePorts = false;
    for (const port of draft.service.spec.ports ?? []) delete port.nodePort;
    // as OCCM leaves it then
    for (const balancer of draft.openstack) for (const pool of balancer.pools) balancer.members[pool.id] = [];
  };
  const lookWith = (from: RecordedWorld, ...addresses: readonly string[]): Promise<Evaluation> => {
    const pods = addresses.map((address) => ({ pod: `web-${address}`, address, port: 8080 }));
    return evaluateWorld(from, configOf(from), { behind: [pods, []] });
  };

  test('got nothing from OCCM, so that they become members waits', async () => {
    const evaluation = await lookWith(changed(occm, direct), '10.0.0.31');
    expect(waiting(evaluation)).toEqual(['update pool/tcp/80 members']);
    expect(besideTags(evaluation)).toEqual([]);
  });

  test('are approved once, wherever they go', async () => {
    const asked = changed(occm, direct);
    const again = await lookWith(changed(asked, adopted), '10.0.0.32', '10.0.0.33');
    expect(waiting(again)).toEqual([]);
    expect(besideTags(again)).toMatchObject([
      { address: 'pool/tcp/80', verb: 'members', added: ['10.0.0.32:8080', '10.0.0.33:8080'] },
    ]);
  });

  test('leave the pool with their endpoints, also when these were the last', async () => {
    const served: RecordedWorld = changed(occm, (draft) => {
      direct(draft);
      const [balancer] = draft.openstack;
      const pool = balancer?.pools.find(({ name }) => String(name).includes('_0_'))?.id ?? '';
      const pod = { id: 'aaaaaaaa-1111-4111-8111-000000000001', name: 'web-1', address: '10.0.0.31' };
      const state = { provisioning_status: 'ACTIVE', operating_status: 'ONLINE', admin_state_up: true };
      if (balancer) balancer.members[pool] = [{ ...pod, ...state, protocol_port: 8080, backup: false }];
    });
    const held = await lookWith(served);
    const evaluation = await lookWith(changed(served, adopted));
    expect(besideTags(held)).toEqual([]);
    expect(waiting(held)).toEqual(['update pool/tcp/80 members']);
    expect(besideTags(evaluation)).toMatchObject([
      { verb: 'delete', address: 'member/tcp/80/10.0.0.31:8080' },
    ]);
  });
});

test('a member that a person took out of service stays out', async () => {
  const evaluation = await evaluateWorld(
    changed(occm, (draft) => {
      for (const [member] of Object.values(draft.openstack[0]?.members ?? {}))
        if (member) member['admin_state_up'] = false;
    }),
  );
  expect(waiting(evaluation)).toHaveLength(2);
  expect(waiting(evaluation)[0]).toMatch(/^update pool\/tcp\/\d+ admin_state_up of the members$/);
  expect(besideTags(evaluation)).toEqual([]);
});

test('OCCM’s monitor changes its type with all that belongs to it', async () => {
  const evaluation = await evaluateWorld(
    changed(occm, (draft) => {
      draft.service.spec.externalTrafficPolicy = 'Local';
      draft.service.spec.healthCheckNodePort = 32_000;
    }),
  );
  const monitors = besideTags(evaluation).flatMap((step) =>
    step.verb === 'create' && step.kind === 'healthmonitor' ? [step.attributes] : [],
  );
  expect(waiting(evaluation)).toEqual([]);
  expect(monitors.map(({ type, url_path }) => [type, url_path])).toEqual([
    ['HTTP', '/healthz'],
    ['HTTP', '/healthz'],
  ]);
});

test('what OCCM did by itself is done without being asked', async () => {
  const evaluation = await evaluateWorld(
    changed(occm, (draft) => {
      annotate(draft, 'loadbalancer.openstack.org/connection-limit', '100');
      annotate(draft, 'loadbalancer.openstack.org/health-monitor-delay', '11');
    }),
  );
  expect(waiting(evaluation)).toEqual([]);
  expect(besideTags(evaluation).map(({ address }) => address)).toEqual([
    'listener/tcp/80',
    'listener/tcp/443',
    'monitor/tcp/80',
    'monitor/tcp/443',
  ]);
});

test('what waits still waits when our tags are there', async () => {
  const tagged = changed(changed(kinx, sticky), (draft) => {
    const [lb] = draft.openstack;
    const tags = ['levelset-cluster=c1c1c1c1-0000-4000-8000-000000000000', 'levelset-name=kinx/readme-tcp'];
    for (const wire of [lb?.loadbalancer, ...(lb?.listeners ?? [])])
      if (wire) wire['tags'] = [...tags, `levelset-service=${draft.service.metadata.uid}`];
  });
  const evaluation = await evaluateWorld(tagged);
  expect(evaluation.plan.steps).toEqual([]);
  expect(waiting(evaluation)).toHaveLength(2);
});

test('the address that is published stays while the other one waits', async () => {
  const [, , edit] = [kinx, kinx, CASES[4]?.[2]];
  const evaluation = await evaluateWorld(changed(world('occm/hostname'), edit ?? sticky));
  expect(addressesToPublish(evaluation, nothingApplied(evaluation))).toEqual(['203.0.113.1']);
});
