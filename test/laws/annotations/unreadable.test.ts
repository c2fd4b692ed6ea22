/** A value that levelset cannot read opens nothing, and leads nowhere else. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ANNOTATIONS } from '../../../shared/service/intent/annotations.ts';
import type { Wire } from '../../support/cloud-contents.ts';
import { SimulatedCloud } from '../../support/simulated-cloud.ts';
import { aDualNode, anEdit, annotationKeys, goodOf, serviceOf } from '../arbitrary.ts';
import { settle } from '../drive.ts';
import { forAll } from '../seed.ts';

type Texts = Readonly<Record<string, string>>;

/** Half of the nodes have the label that node-selectors ask for. */
const NODES = [1, 2, 3, 4].map((number) => aDualNode(number, number % 2 === 0 ? { pool: 'edge' } : {}));

const isUnreadable = ([key, text]: readonly [string, string]): boolean => {
  const row = ANNOTATIONS.find(({ names }) => names.includes(key));
  return row !== undefined && text.trim() !== '' && 'allowed' in row.parse(text);
};

const GARBAGE = [
  ...['yes', 'on', 'public', 'pool in (edge)', 'pool==edge', '<ID>', '{{ .Values.x }}', 'null'],
  ...['10s', '-7', '0x1'],
];

const garbageOf = (key: string): fc.Arbitrary<readonly [string, string]> =>
  fc
    .oneof(
      fc.constantFrom(...GARBAGE),
      fc.constantFrom('x', ...goodOf(key)).map((good) => `${good}!`),
      fc.constantFrom('x', ...goodOf(key)).map((good) => `"${good}"`),
      fc.string({ minLength: 1 }),
      fc.constantFrom('x y\0', '\0', ','),
    )
    .map((text): readonly [string, string] => [key, text])
    .filter(isUnreadable);

const OF_KEYS = { selector: ([key]: readonly [string, string]) => key };

/** Rows that read any text have none. */
const refusing = annotationKeys.filter((key) => isUnreadable([key, '\0']));

const someGarbage = fc
  .uniqueArray(fc.constantFrom(...refusing).chain(garbageOf), { ...OF_KEYS, minLength: 1, maxLength: 2 })
  .map((pairs): Texts => Object.fromEntries(pairs));

/** A Service with good values, and garbage in some of them, or beside them. */
const aMistake = anEdit.chain((edit) =>
  fc.record({
    edit: fc.constant(edit),
    garbage: fc.oneof(
      someGarbage,
      ...Object.keys(edit.annotations)
        .filter((key) => refusing.includes(key))
        .map((key) => garbageOf(key).map((pair): Texts => Object.fromEntries([pair]))),
    ),
  }),
);

const listOf = (value: unknown): readonly string[] => (Array.isArray(value) ? value.map(String) : []);

const REFERENCES = ['client_ca_tls_container_ref', 'client_crl_container_ref', 'default_tls_container_ref'];
const PLACED = ['vip_subnet_id', 'vip_network_id', 'vip_qos_policy_id', 'vip_sg_ids', 'flavor_id'];
const OF_POOLS = ['protocol', 'ca_tls_container_ref', 'tls_container_ref', 'tls_ciphers', 'tls_versions'];

const values = (wire: Wire, ...names: readonly string[]): readonly string[] =>
  names.map((name) => `${name} is ${JSON.stringify(wire[name] ?? null)}`);

/** What is open, to whom, and what leads where: more lines are more that is open. */
function openings(cloud: SimulatedCloud): readonly string[] {
  const redirected = new Set(cloud.all('l7policy').map((policy) => policy['listener_id']));
  const pools = new Map(cloud.all('pool').map(({ id, name }) => [id, String(name)]));
  const linesOf = (kind: 'listener' | 'pool' | 'member', of: (wire: Wire) => readonly string[]) =>
    cloud.all(kind).flatMap((wire) => of(wire).map((line) => `${kind} ${String(wire['name'])} ${line}`));
  return [
    ...cloud.all('floatingip').map((ip) => `published through ${String(ip['floating_network_id'])}`),
    ...cloud.all('loadbalancer').flatMap((lb) => values(lb, ...PLACED, 'availability_zone')),
    ...linesOf('listener', (listener) => {
      const { connection_limit: limit, allowed_cidrs: cidrs } = listener;
      return [
        ...values(listener, 'protocol', 'insert_headers', 'tls_ciphers', ...REFERENCES),
        ...(limit === -1 ? ['takes any number'] : []),
        ...(redirected.has(listener.id) ? [] : ['redirects nobody']),
        ...(listener['client_authentication'] === 'MANDATORY' ? [] : ['asks for no certificate']),
        ...(listener['hsts_max_age'] ? [] : ['tells browsers nothing']),
        ...listOf(listener['tls_versions']).map((version) => `takes ${version}`),
        ...(cidrs === null ? ['everybody'] : listOf(cidrs)).map((cidr) => `is open to ${cidr}`),
      ];
    }),
    ...linesOf('pool', (pool) => [
      ...values(pool, ...OF_POOLS),
      ...(pool['tls_enabled'] === true ? [] : ['speaks plainly']),
    ]),
    ...linesOf('member', ({ weight, backup, subnet_id: subnet, pool_id: pool }) => {
      const takes = weight === 0 || backup === true ? 'stands by' : 'takes traffic';
      return [`of ${pools.get(String(pool)) ?? ''} ${takes} in ${String(subnet)}`];
    }),
  ];
}

test('garbage in annotations opens no more than was open, and a new Service gets no load balancer, or the one that it has without the garbage', () =>
  forAll(aMistake, async ({ edit, garbage }) => {
    const [cloud, fresh, other] = [new SimulatedCloud(), new SimulatedCloud(), new SimulatedCloud()];
    const spoilt = serviceOf({ ...edit, annotations: { ...edit.annotations, ...garbage } });
    await settle(serviceOf(edit), NODES, cloud);
    const before = openings(cloud);
    await settle(spoilt, NODES, cloud);
    expect(openings(cloud).filter((line) => !before.includes(line))).toEqual([]);

    const kept = Object.entries(edit.annotations).filter(([key]) => !(key in garbage));
    await settle(spoilt, NODES, fresh);
    await settle(serviceOf({ ...edit, annotations: Object.fromEntries(kept) }), NODES, other);
    const made = openings(fresh);
    if (made.length > 0) expect(made).toEqual(openings(other));
    const rows = ANNOTATIONS.filter(({ names }) => names.some((name) => name in garbage));
    if (rows.some(({ unreadable }) => unreadable !== 'default')) expect(made).toEqual([]);
  }));
