import { describe, expect, test } from 'vitest';
import type { Evaluation } from '../../../../shared/service/evaluate.ts';
import { adoptedTag, APPROVE } from '../../../../shared/model/ownership.ts';
import type { Step } from '../../../../shared/model/plan.ts';
import type { DesiredResource, ResourceKind } from '../../../../shared/model/resources.ts';
import { nothingApplied } from '../../../../shared/service/finish.ts';
import { holdUntilApproved } from '../../../../shared/service/plan/held/hold-until-approved.ts';
import { addressesToPublish } from '../../../../shared/service/report/published-address.ts';
import type { ServicePods } from '../../../support/service.ts';
import { changed, configOf, evaluateWorld, world } from '../../../golden/world.ts';
import type { Draft, RecordedWorld } from '../../../golden/world.ts';

const kinx = world('kinx/readme-tcp');
const occm = world('occm/basic-two-ports');
const OCCM = 'loadbalancer.openstack.org/';

type Edit = (draft: Draft<RecordedWorld>) => void;

const annotate =
  (key: string, value: string): Edit =>
  ({ service: { metadata } }) => {
    metadata.annotations = { ...metadata.annotations, [key]: value };
  };
const edited = (from: RecordedWorld, ...edits: readonly Edit[]): RecordedWorld =>
  edits.reduce((draft, edit) => changed(draft, edit), from);

/** The hash of all that waits is in the annotation. */
function approve({ plan }: Evaluation): Edit {
  const [hash = '', ...others] = new Set(plan.awaitingApproval.map(({ approval }) => approval));
  expect(others).toEqual([]);
  return annotate(APPROVE, hash);
}

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
const stepsOf = (evaluation: Evaluation): readonly string[] =>
  besideTags(evaluation).map(({ verb, address }) => `${verb} ${address}`);
const waiting = ({ plan }: Evaluation): readonly string[] =>
  plan.awaitingApproval.map(({ verb, address, changes }) =>
    [verb, address, ...changes.map(({ attribute }) => attribute)].join(' '),
  );

const sticky: Edit = ({ service: { spec } }) => {
  spec.sessionAffinity = 'ClientIP';
};
const local: Edit = ({ service: { spec } }) => {
  Object.assign(spec, { externalTrafficPolicy: 'Local', healthCheckNodePort: 32_000 });
};
const internal: Edit = (draft) => {
  annotate('service.beta.kubernetes.io/openstack-internal-load-balancer', 'true')(draft);
  draft.service.status = { loadBalancer: { ingress: [{ ip: '203.0.113.1', ipMode: 'VIP' }] } };
  for (const ip of draft.openstack[0]?.floatingips ?? []) ip['floating_ip_address'] = '203.0.113.1';
};
const ranges: Edit = ({ service: { spec } }) => {
  spec.loadBalancerSourceRanges = ['10.0.0.0/8'];
};

/** What somebody asks for, what waits of it, and what approving does: the verbs and addresses of the steps. */
// prettier-ignore
const CASES: readonly (readonly [string, RecordedWorld, Edit, readonly string[], readonly string[]])[] = [
  ['kinx never changed how a client stays on a member', kinx, sticky, ['update pool/tcp/80 session_persistence', 'update pool/tcp/443 session_persistence'], ['update pool/tcp/80', 'update pool/tcp/443']],
  ['kinx never closed a listener', kinx, ranges, ['update listener/tcp/80 allowed_cidrs', 'update listener/tcp/443 allowed_cidrs'], ['update listener/tcp/80', 'update listener/tcp/443']],
  ['kinx never removed a health monitor', kinx, annotate(`${OCCM}enable-health-monitor`, 'false'), ['delete monitor/tcp/80 type', 'delete monitor/tcp/443 type'], ['delete monitor/tcp/80', 'delete monitor/tcp/443']],
  ['OCCM gives no health checks to pools that had none', world('occm/no-health-monitor'), annotate(`${OCCM}enable-health-monitor`, 'true'), ['create monitor/tcp/80 type', 'create monitor/tcp/81 type'], ['create monitor/tcp/80', 'create monitor/tcp/81']],
  ['OCCM left the floating IP of a Service that became internal', world('occm/hostname'), internal, ['delete floatingip address'], ['delete floatingip']],
  ['kinx left redirects and headers to its driver', world('kinx/readme-http-redirect'), annotate('levelset.openstack.org/redirect-host', 'app.example.org'),
    ['update listener/tcp/80 insert_headers', 'create l7policy/tcp/80/redirect action redirect_prefix redirect_http_code position'], ['update listener/tcp/80', 'create l7policy/tcp/80/redirect', 'create l7rule/tcp/80/redirect']],
  ['kinx made every node a member, whatever their labels', kinx, annotate(`${OCCM}node-selector`, 'pool=a'), ['update pool/tcp/80 members', 'update pool/tcp/443 members'], ['members pool/tcp/80', 'members pool/tcp/443']],
];

test.each(CASES)(
  '%s: so it waits; the run that finds the approval writes its tag alone, and by the tag it is done',
  async (_title, from, edit, waits, steps) => {
    const asked = changed(from, edit);
    const held = await evaluateWorld(asked);
    expect([waiting(held), besideTags(held)]).toEqual([waits, []]);
    const approved = await evaluateWorld(changed(asked, approve(held)));
    expect(besideTags(approved)).toEqual([]);
    expect(JSON.stringify(approved.plan.steps)).toContain(tagOf(asked.service));
    const done = await evaluateWorld(changed(asked, adopted));
    expect([waiting(done), stepsOf(done)]).toEqual([[], steps]);
  },
);

test('what Octavia cannot change is refused, and no approval is asked for it', async () => {
  const flavor = annotate(`${OCCM}flavor-id`, '5b4f0d8e-1d1a-4f4a-9a51-0d7a2a3b4c5d');
  const { plan } = await evaluateWorld(changed(kinx, flavor));
  expect(plan.refused).toMatchObject([{ address: 'lb', changes: [{ attribute: 'flavor_id' }] }]);
  expect(plan.awaitingApproval).toEqual([]);
});

const delay = (seconds: string): Edit =>
  annotate('service.beta.kubernetes.io/kinx-load-balancer-healthcheck-interval', seconds);
const another: Edit = ({ service: { metadata } }) => {
  metadata.uid = '99999999-0000-4000-8000-000000000000';
};
// prettier-ignore
test.each<[string, approved: readonly Edit[], asked: readonly Edit[], number]>([
  ['for less than what waits', [sticky], [sticky, annotate(`${OCCM}enable-health-monitor`, 'false')], 4],
  ['for another Service that asks for the same', [sticky, another], [sticky], 2],
  ['for another value', [delay('8')], [delay('7')], 2],
])('an approval %s approves nothing', async (_what, approved, asked, count) => {
  const more = edited(kinx, ...asked);
  const evaluation = await evaluateWorld(changed(more, approve(await evaluateWorld(edited(kinx, ...approved)))));
  expect(waiting(evaluation)).toHaveLength(count);
  expect(besideTags(evaluation)).toEqual([]);
  expect(JSON.stringify(evaluation.plan.steps)).not.toContain(tagOf(more.service));
});

test('an approval makes the watermark another one, so that a sweep finds it', async () => {
  const asked = changed(kinx, sticky);
  const evaluation = await evaluateWorld(asked);
  expect((await evaluateWorld(changed(asked, approve(evaluation)))).hash).not.toBe(evaluation.hash);
});

const joins: Edit = ({ nodes }) => {
  nodes.push({
    metadata: { name: 'new', uid: 'new', resourceVersion: '1' },
    status: { addresses: [{ type: 'InternalIP', address: '10.0.0.99' }] },
  });
};
const out: Edit = ({ openstack: [first] }) => {
  for (const [member] of Object.values(first?.members ?? {})) if (member) member['admin_state_up'] = false;
};
const ourTags: Edit = ({ openstack: [lb], service: { metadata } }) => {
  const tags = ['levelset-cluster=c1c1c1c1-0000-4000-8000-000000000000', 'levelset-name=kinx/readme-tcp'];
  for (const wire of [lb?.loadbalancer, ...(lb?.listeners ?? [])])
    if (wire) wire['tags'] = [...tags, `levelset-service=${metadata.uid}`];
};
/** As OCCM has it where traffic stays on its node. */
const localOfOccm: Edit = (draft) => {
  local(draft);
  const [lb] = draft.openstack;
  const http = { type: 'HTTP', http_method: 'GET', url_path: '/healthz', expected_codes: '200' };
  for (const monitor of lb?.healthmonitors ?? []) Object.assign(monitor, http);
  for (const member of Object.values(lb?.members ?? {}).flat()) member['monitor_port'] = 32_000;
};
/** As OCCM leaves it where a port has no node port. */
const direct: Edit = ({ service: { spec }, openstack }) => {
  spec.allocateLoadBalancerNodePorts = false;
  for (const port of spec.ports ?? []) delete port.nodePort;
  for (const balancer of openstack) for (const pool of balancer.pools) balancer.members[pool.id] = [];
};
const servesPod: Edit = (draft) => {
  direct(draft);
  const [balancer] = draft.openstack;
  const pool = balancer?.pools.find(({ name }) => String(name).includes('_0_'))?.id ?? '';
  const pod = { id: 'aaaaaaaa-1111-4111-8111-000000000001', name: 'web-1', address: '10.0.0.31' };
  const state = { provisioning_status: 'ACTIVE', operating_status: 'ONLINE', admin_state_up: true };
  if (balancer) balancer.members[pool] = [{ ...pod, ...state, protocol_port: 8080, backup: false }];
};
const podsAt = (...addresses: readonly string[]): Partial<ServicePods> => ({
  behind: [addresses.map((address) => ({ pod: `web-${address}`, address, port: 8080 })), []],
});
const limits = [annotate(`${OCCM}connection-limit`, '100'), annotate(`${OCCM}health-monitor-delay`, '11')];
const types: unknown = expect.stringMatching(/^update monitor\/tcp\/\d+ type/);
const outOf: unknown = expect.stringMatching(/^update pool\/tcp\/\d+ admin_state_up of the members$/);

// prettier-ignore
test.each<[string, RecordedWorld, readonly Edit[], waits: readonly unknown[], steps: readonly string[], pods?: Partial<ServicePods>]>([
  ['of kinx get no monitor port that no monitor uses yet', kinx, [local], [types, types], []],
  ['get traffic from OCCM without a ready Pod, so that they become backups waits', occm, [localOfOccm], ['update pool/tcp/80 backup of the members', 'update pool/tcp/443 backup of the members'], [], { nodes: ['node-1'] }],
  ['become backups by one approval, wherever the Pods go', occm, [localOfOccm, adopted], [], ['members pool/tcp/80', 'members pool/tcp/443'], { nodes: ['node-2', 'node-3'] }],
  ['that are Pods of a port without a node port OCCM never had: they wait', occm, [direct], ['update pool/tcp/80 members'], [], podsAt('10.0.0.31')],
  ['that are Pods are approved once, wherever they go', occm, [direct, adopted], [], ['members pool/tcp/80'], podsAt('10.0.0.32', '10.0.0.33')],
  ['that are Pods leave once that is approved, also when they were the last', occm, [servesPod], ['update pool/tcp/80 members'], [], podsAt()],
  ['that are Pods leave with their endpoints', occm, [servesPod, adopted], [], ['delete member/tcp/80/10.0.0.31:8080'], podsAt()],
  ['that a person took out of service stay out', occm, [out], [outOf, outOf], []],
  ['stay, and what OCCM did by itself is done without being asked', occm, limits, [], ['update listener/tcp/80', 'update listener/tcp/443', 'update monitor/tcp/80', 'update monitor/tcp/443']],
  ['wait, what waits, when our tags are there', kinx, [sticky, ourTags], ['update pool/tcp/80 session_persistence', 'update pool/tcp/443 session_persistence'], []],
])('members %s', async (_what, from, edits, waits, steps, pods = {}) => {
  const evaluation = await evaluateWorld(edited(from, ...edits), configOf(from), pods);
  expect([waiting(evaluation), stepsOf(evaluation)]).toEqual([waits, steps]);
});

const attributesOf = async (kind: string, from: RecordedWorld, ...names: readonly string[]) =>
  besideTags(await evaluateWorld(from)).flatMap((step) =>
    step.verb === 'create' && step.kind === kind ? [names.map((name) => step.attributes[name])] : [],
  );

test('a node that joins kinx’s pool is checked like its siblings, and OCCM’s monitor changes its type with all that belongs to it', async () => {
  expect(await attributesOf('member', edited(kinx, local, joins), 'monitor_port')).toEqual([[null], [null]]);
  const http = ['HTTP', '/healthz'];
  expect(await attributesOf('healthmonitor', changed(occm, local), 'type', 'url_path')).toEqual([http, http]);
});

test('the address that is published stays while the other one waits', async () => {
  const evaluation = await evaluateWorld(changed(world('occm/hostname'), internal));
  expect(addressesToPublish(evaluation, nothingApplied(evaluation))).toEqual(['203.0.113.1']);
});

const THEIRS = '00976b96-5dc3-4651-8530-e2af9dbc9c1e';
const ANOTHER = '11111111-0000-4000-8000-000000000002';
const subnet: Edit = ({ cloud_config: lines }) => {
  lines.splice(lines.indexOf('[LoadBalancer]') + 1, 0, `member-subnet-id=${ANOTHER}`);
};
/** Each node has another address, which comes before the one that it is a member at. */
const moved: Edit = ({ nodes }) => {
  for (const [at, { status }] of nodes.entries())
    status?.addresses?.unshift({ type: 'InternalIP', address: `10.0.0.${at + 1}` });
};
const elsewhere: Edit = ({ openstack }) => {
  for (const member of openstack.flatMap(({ members }) => Object.values(members).flat()))
    member['subnet_id'] = ANOTHER;
};
const NEXT = ['create pool/tcp/80/next', 'members pool/tcp/80/next', 'create monitor/tcp/80/next', 'update listener/tcp/80', 'delete pool/tcp/80']; // prettier-ignore

describe.each(['occm/basic-two-ports', 'kinx/readme-tcp'])('the member subnet of %s', (name) => {
  // prettier-ignore
  test.each<[string, readonly Edit[], waits: number, steps: readonly string[]]>([
    ['waits as one change of each pool, while another is asked for', [subnet], 2, []],
    ['is changed by a new pool, once that is approved', [subnet, adopted], 0, NEXT],
    ['waits also where nodes have addresses in it', [subnet, moved], 2, []],
    ['is that of those addresses with the same approval', [subnet, moved, adopted], 0, ['members pool/tcp/80']],
    ['stays where a Service asks for none, whatever it is', [elsewhere], 0, []],
  ])('%s', async (_what, edits, waits, steps) => {
    const evaluation = await evaluateWorld(edited(world(name), ...edits));
    expect(evaluation.plan.awaitingApproval.map(({ changes }) => changes)).toEqual(
      Array(waits).fill([{ attribute: 'subnet_id of the members', from: [THEIRS], to: [ANOTHER] }]),
    );
    expect(stepsOf(evaluation).filter((text) => !text.includes('/tcp/443'))).toEqual(steps);
  });
});

test('what no controller before made on a listener waits, with what hangs on it', async () => {
  const { desired, observed } = await evaluateWorld(world('kinx/readme-http-redirect'));
  const kind = 'l7thing' as ResourceKind;
  const more: readonly DesiredResource[] = [
    { kind, address: 'l7policy/tcp/80/redirect', parent: 'listener/tcp/80', attributes: {} },
    { kind, address: 'l7rule', parent: 'l7policy/tcp/80/redirect', attributes: {} },
  ];
  const key = { namespace: 'kinx', name: 'readme-http-redirect' };
  const hold = (...tags: readonly string[]): ReturnType<typeof holdUntilApproved> =>
    holdUntilApproved({
      ...{ key, uid: 'u', approved: [], published: [], nodes: new Map(), keepMembers: false },
      desired: [...desired.resources, ...more],
      observed: observed.resources.map((it) =>
        it.kind === 'loadbalancer' ? { ...it, wire: { ...it.wire, tags } } : it,
      ),
    });
  const waits = hold().awaitingApproval.map(({ verb, address }) => `${verb} ${address}`);
  expect(waits).toContain('create l7policy/tcp/80/redirect');
  expect(hold().desired.filter((one) => one.kind === kind)).toEqual([]);
  expect(hold(adoptedTag(key)).desired.filter((one) => one.kind === kind)).toEqual(more);
});
