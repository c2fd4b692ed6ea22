/** Each annotation in each state of a Service and of a cloud, as a person reads it; `UPDATE=1` writes it anew. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { OtherController } from '../../shared/model/load-balancer/makers-and-sharers.ts';
import { LOAD_BALANCER_ID, TAG_PREFIX } from '../../shared/model/ownership.ts';
import type { Problem } from '../../shared/model/plan.ts';
import { manifestProblems } from '../../shared/service/desired/desire-service.ts';
import { aDualNode } from '../laws/arbitrary.ts';
import { comparison, settle } from '../laws/drive.ts';
import { EXAMPLES, withIds, type Example } from '../support/annotation-examples.ts';
import * as cloudContents from '../support/cloud-contents.ts';
import type { Contents, Wire } from '../support/cloud-contents.ts';
import { aConfig } from '../support/config.ts';
import { aStoredService } from '../support/service.ts';
import { SimulatedCloud } from '../support/simulated-cloud.ts';

type Annotations = Readonly<Record<string, string>>;
type Lines = readonly string[];

const FILE = join(import.meta.dirname, 'annotations.txt');
const IDS = {
  LOAD_BALANCER_ID: '1b1b1b1b-0000-4000-8000-000000000001',
  QOS_POLICY_ID: cloudContents.QOS_POLICY,
  SECURITY_GROUP_ID: cloudContents.NODE_GROUP,
  SUBNET_ID: cloudContents.OTHER_SUBNET,
  NETWORK_ID: cloudContents.NETWORK,
  PORT_ID: cloudContents.FREE_PORT,
  EXTERNAL_NETWORK_ID: cloudContents.PUBLIC,
  EXTERNAL_SUBNET_ID: cloudContents.PUBLIC_SUBNET,
  FLAVOR_ID: '5b4f0d8e-1d1a-4f4a-9a51-0d7a2a3b4c5d',
  CERTIFICATE_ID: cloudContents.CERTIFICATE,
  CA_ID: cloudContents.AUTHORITY,
  CRL_ID: cloudContents.REVOCATIONS,
  SECOND_SUBNET_ID: cloudContents.SUBNET_IPV6,
};
/** What each resource has, and no annotation sets. */
const ALWAYS = ['name', 'admin_state_up', 'pool_id', 'listener_id'];
const UNREADABLE = 'x\0';
const NODES = [aDualNode(1, { pool: 'edge' }), aDualNode(2), aDualNode(3)];
const UDP = { ports: [{ name: 'dns', port: 53, protocol: 'UDP' }] };
const [NEWEST, OLDEST] = [30, 5];
/** Nobody writes to them. */
const clouds = new Map([NEWEST, OLDEST].map((minor) => [minor, new SimulatedCloud({}, minor)]));

const configOf = (lbProvider = 'amphora') => aConfig(undefined, { createMonitor: false, lbProvider });
const linesOf = (problems: readonly Problem[]): Lines =>
  problems.map(
    ({ field, message, blocking }) => `${blocking ? '!' : '?'} ${field.split('/').at(-1) ?? ''} ${message}`,
  );
const newOf = (before: Lines, after: Lines): Lines => [
  ...new Set(after.filter((line) => !before.includes(line))),
];

/** What is desired, each resource and each of its values a line, and what is told. */
async function look(annotations: Annotations, minor: number, provider?: string) {
  const cloud = clouds.get(minor) ?? new SimulatedCloud();
  const service = aStoredService({ annotations });
  const { desired, intent } = await comparison(service, NODES, cloud, configOf(provider));
  const publication = { address: 'status', attributes: intent?.publication ?? {} };
  const values = [...desired.resources, publication].flatMap(({ address, attributes }) => [
    address,
    ...Object.entries(attributes).flatMap(([name, value]) =>
      ALWAYS.includes(name) ? [] : [value].flat().map((one) => `${address} ${name}: ${JSON.stringify(one)}`),
    ),
  ]);
  return {
    values: values.filter((line) => !line.includes(`${TAG_PREFIX}set=`)),
    problems: linesOf(desired.problems),
  };
}

const looks = new Map<string, ReturnType<typeof look>>();

function seen(...given: Parameters<typeof look>): ReturnType<typeof look> {
  const key = JSON.stringify(given);
  const found = looks.get(key) ?? look(...given);
  looks.set(key, found);
  return found;
}

const KINDS = ['loadbalancer', 'listener', 'pool', 'member', 'healthmonitor', 'l7policy', 'l7rule'] as const;

/** What becomes of the Service's load balancer with further annotations, where another controller made it with these. */
async function leftBy(controller: OtherController, annotations: Annotations) {
  const isKinx = controller === 'kinx';
  const made = new SimulatedCloud();
  await settle(aStoredService({ annotations }), NODES, made, configOf());
  const theirs = (row: Wire, kind: string): Wire => ({
    ...row,
    tags: kind === 'loadbalancer' && !isKinx ? [row['name']] : [],
    name: isKinx ? String(row['name']).replaceAll('_', '-') : row['name'],
    description: `${String(row['description'])}${isKinx && kind === 'loadbalancer' ? ',lb_version:1.1' : ''}`,
  });
  const rows = KINDS.map((kind) => [kind, made.all(kind).map((row) => theirs(row, kind))]);
  const floatingip = isKinx ? [] : made.all('floatingip').map((row) => theirs(row, 'floatingip'));
  const contents = { ...cloudContents.NETWORKS, ...(Object.fromEntries(rows) as Contents), floatingip };
  const cloud = new SimulatedCloud(contents);
  const [lb] = cloud.all('loadbalancer');
  const ip = String(floatingip[0]?.['floating_ip_address'] ?? lb?.['vip_address']);
  return async (more: Annotations): Promise<Lines> => {
    const all = { ...annotations, ...more, [LOAD_BALANCER_ID]: lb?.id ?? '' };
    const status = { loadBalancer: { ingress: [{ ip, ipMode: 'VIP' }] } };
    const service = { ...aStoredService({ annotations: all }), status };
    const { plan } = await comparison(service, NODES, cloud, configOf());
    return [
      ...plan.awaitingApproval.map(({ verb, address, changes }) =>
        ['waits:', verb, address, ...changes.map(({ attribute }) => attribute)].join(' '),
      ),
      ...plan.steps.map((step) => {
        const changes = step.verb === 'update' ? step.changes.map(({ attribute }) => attribute) : [];
        return ['at once:', step.verb, step.address, ...changes].join(' ');
      }),
    ];
  };
}

const worlds = new Map<string, ReturnType<typeof leftBy>>();

async function changesWith(controller: OtherController, needs: Annotations, more: Annotations) {
  const key = JSON.stringify([controller, needs]);
  const world = worlds.get(key) ?? leftBy(controller, needs);
  worlds.set(key, world);
  const look = await world;
  return newOf(await look({}), await look(more));
}

async function toldOf({ name, row, entry }: Example): Promise<Lines> {
  const context = Object.entries(entry.needs ?? {}).filter(([need]) => need !== name);
  const needs = Object.fromEntries(context.map(([need, text]) => [need, withIds(text, IDS)]));
  const asked = { [name]: withIds(row.example, IDS) };
  const both = { ...needs, ...asked };
  const [without, together] = [await seen(needs, NEWEST), await seen(both, NEWEST)];
  const gone = newOf(together.values, without.values).filter((line) => !line.includes(' '));
  const told = async (...cloud: [minor: number, provider?: string]): Promise<Lines> =>
    newOf((await seen(needs, ...cloud)).problems, (await seen(both, ...cloud)).problems);
  const written = (annotations: Annotations, spec: object = {}, more: object = {}): Lines => {
    const service = aStoredService({ annotations, spec: { ...spec } });
    return linesOf(manifestProblems(service, { ...configOf(), ...more }));
  };
  const states: Readonly<Record<string, Lines>> = {
    sets: [...newOf(without.values, together.values), ...gone.map((address) => `no ${address}`)],
    also: newOf(without.problems, together.problems),
    unreadable: newOf(written(needs), written({ ...needs, [name]: UNREADABLE })),
    'on UDP': written(asked, UDP),
    confined: written(asked, {}, { reach: 'allowed' }).filter((line) => line.includes('out of reach')),
    [`API 2.${OLDEST}`]: await told(OLDEST),
    ovn: await told(NEWEST, 'ovn'),
    'of OCCM': await changesWith('occm', needs, asked),
    'of kinx': await changesWith('kinx', needs, asked),
  };
  const lines = Object.entries(states).flatMap(([state, all]) =>
    all.map((line, at) => `  ${(at === 0 ? state : '').padEnd(10)} ${line}`),
  );
  return [`${name}: ${row.example}`, ...lines];
}

test('each annotation does in each state what people have read', async () => {
  const blocks: string[] = [];
  for (const example of EXAMPLES) blocks.push((await toldOf(example)).join('\n'));
  const text = `${blocks.join('\n\n')}\n`;
  if (process.env['UPDATE'] === '1') writeFileSync(FILE, text);
  expect(text).toBe(readFileSync(FILE, 'utf8'));
});
