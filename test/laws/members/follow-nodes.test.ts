/** Whatever is wrong with a Service, the members of its pools follow the Nodes, and nothing else is opened meanwhile. */
import { isIPv4 } from 'node:net';
import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Node } from '../../../shared/model/kubernetes.ts';
import { isEligible } from '../../../shared/model/node/node-set.ts';
import { sweep } from '../../../shared/sweep.ts';
import { pause, runAll, startSandboxWorld, type SandboxWorld } from '../../support/sandbox-world.ts';
import { asPkcs12, keepTlsSecret } from '../../support/tls-secret.ts';
import { forAllAnd, type Drawn } from '../seed.ts';

const OCCM = 'loadbalancer.openstack.org/';
const OWN = 'levelset.openstack.org/';
const LEGACY = 'service.beta.kubernetes.io/';
const NOTHING = '7e57ab1e-0000-4000-8000-00000000000f';
const EXCLUDED = 'node.kubernetes.io/exclude-from-external-load-balancers';

interface Edit {
  readonly annotations?: Readonly<Record<string, string>>;
  readonly spec?: Readonly<Record<string, unknown>>;
}
const annotate = (name: string, value: string): Edit => ({ annotations: { [name]: value } });
const PORTS = ['TCP', 'UDP'].map((protocol, at) => {
  return { name: `p${at}`, protocol, port: 8000 + at, nodePort: 31700 + at };
});
const MORE_PORTS: Edit = { spec: { ports: [...PORTS, { name: 'more', port: 7070, nodePort: 31707 }] } };

/** What makes a Service wait for its owner. */
const MISTAKES: Readonly<Record<string, Edit>> = {
  'no range can be read': annotate(`${LEGACY}load-balancer-source-ranges`, '10.3.0.0/99,office'),
  'the address is none': { spec: { loadBalancerIP: '198.51.100' } },
  'the subnet of the VIP is gone': annotate(`${OCCM}subnet-id`, NOTHING),
  'the subnet of the members is gone': annotate(`${OCCM}member-subnet-id`, NOTHING),
  'the class is gone': annotate(`${OCCM}class`, 'silver'),
  'the certificate is gone': annotate(`${OWN}tls-container-refs`, NOTHING),
  'the Secret is gone': annotate(`${OWN}tls-secret`, 'no-such-secret'),
  'the groups of the VIP are gone': annotate(`${OWN}vip-sg-ids`, NOTHING),
  'clients are to show certificates of nobody': annotate(`${OWN}client-authentication`, 'MANDATORY'),
  'the version of TLS is none': annotate(`${OWN}tls-versions`, 'TLSv7'),
  'what becomes of drift is a typo': annotate(`${OWN}drift`, 'repai'),
};

/** A write that a change of the Service needs, and that OpenStack refuses from then on. */
const REFUSALS: Readonly<Record<string, readonly [change: Edit, method: string, path: RegExp]>> = {
  'a pool': [MORE_PORTS, 'POST', /lbaas\/pools$/],
  'a listener': [MORE_PORTS, 'POST', /lbaas\/listeners$/],
  'a rule of the security group': [MORE_PORTS, 'POST', /security-group-rules$/],
  'a setting of listeners': [annotate(`${OCCM}timeout-client-data`, '41000'), 'PUT', /lbaas\/listeners\//],
  'a setting of pools': [annotate(`${OCCM}lb-method`, 'LEAST_CONNECTIONS'), 'PUT', /lbaas\/pools\/[^/]+$/],
  'a setting of monitors': [annotate(`${OCCM}health-monitor-delay`, '31'), 'PUT', /lbaas\/healthmonitors\//],
  'a setting of the whole': [annotate(`${OWN}description`, 'for the shop'), 'PUT', /lbaas\/loadbalancers\//],
};

/** A read that the Service needs, and that OpenStack refuses from then on. */
const READS: Readonly<Record<string, readonly [annotation: string, path: RegExp]>> = {
  'a certificate of Barbican': [`${OWN}tls-container-refs`, /\/(containers|secrets)\/./],
  'the certificates that are stored': [`${OWN}tls-secret`, /\/secrets\?/],
  'a QoS policy': [`${OWN}vip-qos-policy-id`, /qos\/policies/],
  'the flavors': [`${OWN}flavor`, /lbaas\/flavors/],
};

/** What the Service names, as it is there while OpenStack answers. */
async function namedBy(read: string, { cloud, kube, world }: SandboxWorld): Promise<string> {
  if (read === 'a QoS policy') {
    cloud.qosPolicies.push({ id: NOTHING, name: 'slow', project_id: cloud.projectId } as never);
    return NOTHING;
  }
  if (read === 'the flavors') {
    cloud.flavors.push({ id: cloud.newId(), name: 'large', description: '', enabled: true });
    return 'large';
  }
  keepTlsSecret({ kube }, 'one');
  if (read === 'the certificates that are stored') return 'web-tls';
  return String((await world.cloud.create('secret', asPkcs12('one')))['secret_ref']);
}

const aMove = fc.constantFrom('one joins', 'one leaves', 'one is excluded', 'all are replaced');

const aStory = fc.record({
  mistake: fc.option(fc.constantFrom(...Object.keys(MISTAKES))),
  refusal: fc.option(fc.constantFrom(...Object.keys(REFUSALS))),
  unread: fc.option(fc.constantFrom(...Object.keys(READS))),
  /** With which OpenStack refuses. */
  status: fc.constantFrom(400, 403, 404, 409, 422, 500, 501, 503),
  managed: fc.boolean(),
  local: fc.boolean(),
  moves: fc.array(aMove, { minLength: 1, maxLength: 4 }),
});
type Story = Drawn<typeof aStory>;

let nodes = 0;

const eligible = ({ kube }: SandboxWorld) => (kube.list('Node') as unknown as Node[]).filter(isEligible);

function move(it: SandboxWorld, what: Drawn<typeof aMove>): void {
  const { kube } = it;
  const there = eligible(it).map(({ metadata }) => metadata.name);
  if (what !== 'one joins' && what !== 'all are replaced' && there.length < 2) return;
  const [first = ''] = there;
  if (what === 'one leaves') kube.removeNode(first);
  if (what === 'one is excluded')
    kube.apply({ kind: 'Node', metadata: { name: first, labels: { [EXCLUDED]: '' } } });
  if (what === 'all are replaced') for (const name of there) kube.removeNode(name);
  const news = what === 'all are replaced' ? there.length : Number(what === 'one joins');
  for (let made = 0; made < news; made += 1) kube.addNode(`new-${(nodes += 1)}`);
}

const addressesOf = (it: SandboxWorld): readonly string[] =>
  eligible(it)
    .map(({ status }) => status?.addresses?.[0]?.address ?? '')
    .sort();

/** The addresses of the members of each of these pools. */
const membersOf = ({ cloud }: SandboxWorld, pools: readonly string[]) =>
  pools.map((pool) => {
    const its = [...cloud.members].filter(({ pool_id }) => pool_id === pool);
    return its.map(({ address }) => address).sort();
  });

/** The addresses of the ports with the Service's group. */
function guarded({ cloud }: SandboxWorld): readonly string[] {
  const ids = [...cloud.securityGroups].filter(({ name }) => name.startsWith('lb-sg-')).map(({ id }) => id);
  const ports = [...cloud.ports].filter((port) => port.security_groups.some((id) => ids.includes(id)));
  const addresses = ports.flatMap(({ fixed_ips: ips }) => ips.map(({ ip_address: address }) => address));
  return addresses.filter(isIPv4).sort();
}

/** Who can reach what: everything but the members, and the ports that have the group. */
function openings({ cloud }: SandboxWorld): unknown {
  const listeners = [...cloud.listeners].map((one) => {
    return [one.id, one.protocol_port, one['allowed_cidrs'], one.default_pool_id];
  });
  const rules = [...cloud.securityGroupRules].map((rule) => {
    return [rule.id, rule['port_range_min'], rule['remote_ip_prefix']];
  });
  const addresses = [...cloud.floatingips].map(({ id, port_id: port }) => [id, port]);
  return { listeners, rules, addresses, pools: [...cloud.pools].map(({ id }) => id) };
}

async function follows(story: Story): Promise<void> {
  const { mistake, refusal, unread, status, managed, local, moves } = story;
  const it = await startSandboxWorld({}, { manageSecurityGroups: managed });
  try {
    const spec = { ports: PORTS, ...(local ? { externalTrafficPolicy: 'Local' } : {}) };
    const [named, read] = READS[unread ?? ''] ?? [];
    const annotations = named ? { [named]: await namedBy(unread ?? '', it) } : {};
    await it.make({ name: 'shop', spec, annotations });
    const pools = [...it.cloud.pools].map(({ id }) => id);
    const before = openings(it);
    const refuse = (method: string, path: RegExp): void => {
      const match = { side: 'openstack', method, path } as const;
      const body = { faultcode: 'Client', faultstring: 'no', debuginfo: null };
      it.fault({ match, times: Infinity, kind: 'fail-before', status, body });
    };
    const [wrong, method = '', path] = REFUSALS[refusal ?? ''] ?? [];
    if (path) refuse(method, path);
    if (read) refuse('GET', read);
    // a fresh process remembers no answer
    const world = read ? await it.another() : it.world;
    for (const edit of [wrong, MISTAKES[mistake ?? '']]) if (edit) it.edit({ name: 'shop', ...edit });
    for (const what of moves) {
      move(it, what);
      const found = () => [...membersOf(it, pools), ...(managed ? [guarded(it)] : [])];
      const wanted = () => found().map(() => addressesOf(it));
      for (let sweeps = 0; sweeps < 20 && !isDeepStrictEqual(found(), wanted()); sweeps += 1) {
        await runAll(await sweep(world), world);
        await pause(4);
      }
      expect(found()).toEqual(wanted());
    }
    if (mistake !== null) expect(openings(it)).toEqual(before);
  } finally {
    await it.close();
  }
}

/** It waits for calls that have no answer. */
const UNANSWERED: Story = {
  ...{ mistake: null, refusal: null, unread: 'a certificate of Barbican', status: 503 },
  ...{ managed: true, local: false, moves: ['all are replaced', 'one leaves'] },
};

test('members follow the Nodes through every mistake of the Service and every refusal of OpenStack, and open nothing', async () => {
  await forAllAnd([UNANSWERED])(aStory, follows);
}, 600_000);
