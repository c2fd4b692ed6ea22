import { describe, expect, test } from 'vitest';
import { newMemory } from '../../../shared/memory/memory.ts';
import { afterFailedCreate, apply } from '../../../shared/apply/apply.ts';
import { type ErrorCode, ReconcileError } from '../../../shared/model/errors.ts';
import type { CreateStep, Step, UpdateStep } from '../../../shared/model/plan.ts';
import type { Attributes, ResourceKind, WireResource } from '../../../shared/model/resources.ts';
import { SimulatedCloud } from '../../support/simulated-cloud.ts';
import { aTlsSecret, secretsOf } from '../../support/tls-secret.ts';
import { storeCertificate } from '../../../shared/apply/store-certificate.ts';
import { readTlsSecret } from '../../../shared/model/tls/tls-secret.ts';
import { changePort } from '../../../shared/apply/execute.ts';
import type { Cloud } from '../../../shared/ports.ts';
import { NODE_GROUP } from '../../support/cloud-contents.ts';

/** Has free addresses in some subnets only. */
class FullCloud extends SimulatedCloud {
  readonly asked: unknown[] = [];
  readonly #free: readonly string[];
  readonly #code: ErrorCode;

  constructor(free: readonly string[], code: ErrorCode = 'ADDRESSES_EXHAUSTED') {
    super();
    this.#free = free;
    this.#code = code;
  }

  override create(kind: ResourceKind, attributes: Attributes): Promise<WireResource> {
    this.asked.push(attributes['subnet_id']);
    return this.#free.includes(String(attributes['subnet_id']))
      ? Promise.resolve({ ...attributes, id: `${kind} 1` })
      : Promise.reject(new ReconcileError(this.#code, 'No more IP addresses available'));
  }
}

const STEP: CreateStep = {
  verb: 'create',
  kind: 'floatingip',
  address: 'floatingip',
  attributes: { floating_network_id: 'n', subnet_id: 'a' },
  alternatives: [{ subnet_id: 'b' }, { subnet_id: 'c' }],
};

async function run(cloud: FullCloud, remaining = 60_000) {
  let left = remaining;
  const budget = { remainingMs: () => (left -= 4_000) };
  return apply([STEP], [], { cloud, kube: secretsOf({}), budget, memory: newMemory(), clock: Date });
}

describe('a create with alternatives', () => {
  test('takes the first that has a free address, and says which', async () => {
    const cloud = new FullCloud(['b', 'c']);
    const applied = await run(cloud);
    expect(cloud.asked).toEqual(['a', 'b']);
    expect(applied.steps).toMatchObject([{ attributes: { floating_network_id: 'n', subnet_id: 'b' } }]);
    expect(applied.known.get('floatingip')).toMatchObject({ subnet_id: 'b' });
    expect(applied.error).toBeUndefined();
  });

  test('does not try another one after any other refusal', async () => {
    const cloud = new FullCloud(['b'], 'QUOTA_EXCEEDED');
    expect(await run(cloud)).toMatchObject({ steps: [], error: { code: 'QUOTA_EXCEEDED' } });
    expect(cloud.asked).toEqual(['a']);
  });

  test('nor when the time is up', async () => {
    const cloud = new FullCloud(['c']);
    expect(await run(cloud, 10_000)).toMatchObject({ error: { code: 'ADDRESSES_EXHAUSTED' } });
    expect(cloud.asked).toEqual(['a']);
  });
});

test.each([
  ['an address that is in use', 409, 'REJECTED', /not a floating IP of this project/],
  ['a subnet that no router joins to the external network', 404, 'CONFLICT', /^why$/],
])('a floating IP of spec.loadBalancerIP and %s', async (_what, status, code, says) => {
  const attributes = { floating_ip_address: '203.0.113.7' };
  const step = { verb: 'create', kind: 'floatingip', address: 'floatingip', attributes } as const;
  const error = new ReconcileError('CONFLICT', 'why', { status });
  const told = await afterFailedCreate(error, step, 0, { cloud: new SimulatedCloud(), clock: Date });
  expect([told.code, told.message]).toEqual([code, expect.stringMatching(says)]);
});

const read = readTlsSecret(aTlsSecret('one'));
const fingerprint = 'pair' in read ? read.fingerprint : '';

const step: CreateStep = {
  verb: 'create',
  kind: 'secret',
  address: `secret/web-tls/${fingerprint}`,
  attributes: {
    ...{ name: 'levelset/x/default/web/web-tls/y', mode: 'levelset-x', secret_type: 'opaque' },
    payload: { $secret: 'default/web-tls', fingerprint },
  },
};
const kube = secretsOf({ 'web-tls': aTlsSecret('one') });

test('what is stored has a name and no payload to be seen, and is not stored twice', async () => {
  const cloud = new SimulatedCloud();
  const first = await storeCertificate(step, { cloud, kube });
  expect(first).toMatchObject({ name: 'levelset/x/default/web/web-tls/y', mode: 'levelset-x' });
  expect(first['payload']).toBeUndefined();
  const second = await storeCertificate(step, { cloud, kube });
  expect(second.id).toBe(first.id);
  expect(cloud.writes).toEqual(['create secret']);
});

test('a Secret that changed since the plan is not stored', async () => {
  const cloud = new SimulatedCloud();
  const changed = secretsOf({ 'web-tls': aTlsSecret('two') });
  await expect(storeCertificate(step, { cloud, kube: changed })).rejects.toMatchObject({
    code: 'KUBE_CONFLICT',
  });
  await expect(storeCertificate(step, { cloud, kube: secretsOf({}) })).rejects.toMatchObject({
    code: 'KUBE_CONFLICT',
  });
  expect(cloud.writes).toEqual([]);
});

test('a refusal that repeats what it refuses does not get through', async () => {
  class Talkative extends SimulatedCloud {
    override create(
      ...[, attributes]: Parameters<SimulatedCloud['create']>
    ): ReturnType<SimulatedCloud['create']> {
      return Promise.reject(new ReconcileError('REJECTED', `'${String(attributes['payload'])}' is too long`));
    }
  }
  const error = await storeCertificate(step, { cloud: new Talkative(), kube }).catch((one: unknown) => one);
  expect(error).toMatchObject({ code: 'REJECTED' });
  expect((error as Error).message.length).toBeLessThan(100);
});

const PORT = 'bbbbbbbb-0000-4000-8000-000000000000';
const WEB = 'f0000000-0000-4000-8000-0000000000aa';
const DNS = 'f0000000-0000-4000-8000-0000000000bb';
const FOREIGN = 'f0000000-0000-4000-8000-0000000000ff';

function setGroups(from: readonly string[], to: readonly string[]): UpdateStep {
  const changes = [{ attribute: 'security_groups', from, to }];
  return { verb: 'update', kind: 'port', address: 'port/10.0.0.1', id: PORT, changes };
}
const adding = (group: string): UpdateStep => setGroups([NODE_GROUP], [NODE_GROUP, group]);
const GROUPS = { securitygroup: [NODE_GROUP, WEB, DNS, FOREIGN].map((id) => ({ id })) };
const portOf = (cloud: SimulatedCloud) => cloud.all('port').find(({ id }) => id === PORT);
const groups = (cloud: SimulatedCloud): unknown => portOf(cloud)?.['security_groups'];

describe('the security groups of a port', () => {
  test('that two Services read alike and write one after the other have both groups', async () => {
    const cloud = new SimulatedCloud(GROUPS);
    const world = { cloud, memory: newMemory() };
    const seen = await cloud.get('port', PORT);
    await Promise.all([changePort(adding(WEB), seen, world), changePort(adding(DNS), seen, world)]);
    expect(groups(cloud)).toEqual([NODE_GROUP, WEB, DNS]);
  });

  test('keep what somebody else put there before it was read, and after our last write', async () => {
    const cloud = new SimulatedCloud(GROUPS);
    const world = { cloud, memory: newMemory() };
    await changePort(adding(WEB), await cloud.get('port', PORT), world);
    Object.assign(portOf(cloud) ?? {}, { security_groups: [FOREIGN, NODE_GROUP, WEB], revision_number: 9 });
    await changePort(setGroups([NODE_GROUP, WEB], [NODE_GROUP]), await cloud.get('port', PORT), world);
    expect(groups(cloud)).toEqual([NODE_GROUP, FOREIGN]);
  });

  test('that somebody else wrote after they were read are not written', async () => {
    const cloud = new SimulatedCloud(GROUPS);
    const world = { cloud, memory: newMemory() };
    const seen = await cloud.get('port', PORT);
    Object.assign(portOf(cloud) ?? {}, { security_groups: [FOREIGN], revision_number: 2 });
    const write = changePort(adding(WEB), seen, world);
    await expect(write).rejects.toMatchObject({ code: 'CHANGED_MEANWHILE', disposition: 'wait' });
    expect(groups(cloud)).toEqual([FOREIGN]);
    await changePort(setGroups([FOREIGN], [FOREIGN, WEB]), await cloud.get('port', PORT), world);
    expect(groups(cloud)).toEqual([WEB, FOREIGN]);
  });
});

test('a port that was changed meanwhile holds up neither the others nor, for more than this run, the group', async () => {
  const cloud = new SimulatedCloud(GROUPS);
  const other = 'bbbbbbbb-0000-4000-8000-000000000001';
  const group = await cloud.create('securitygroup', { name: 'ours' });
  for (const port of cloud.all('port').slice(0, 2)) port['security_groups'] = [NODE_GROUP, group.id];
  const ports = (await cloud.list('port')).slice(0, 2);
  Object.assign(portOf(cloud) ?? {}, { security_groups: [FOREIGN, group.id], revision_number: 2 });
  const off = (address: string, id: string): Step => ({
    ...setGroups([NODE_GROUP, group.id], [NODE_GROUP]),
    address,
    id,
  });
  const steps: readonly Step[] = [
    off('port/10.0.0.1', PORT),
    off('port/10.0.0.2', other),
    { verb: 'delete', kind: 'securitygroup', address: 'securitygroup', id: group.id, because: '' },
  ];
  const observed = ports.map((wire, at) => ({
    ...{ kind: 'port' as const, address: `port/10.0.0.${at + 1}`, id: wire.id, whose: 'ours' as const, wire },
  }));
  const applied = await apply(steps, observed, {
    cloud,
    kube: secretsOf({}),
    budget: { remainingMs: () => 60_000 },
    memory: newMemory(),
    clock: Date,
  });
  expect(applied.steps.map(({ address }) => address)).toEqual(['port/10.0.0.2']);
  expect(applied).toMatchObject({ stopped: true, error: { code: 'CHANGED_MEANWHILE' } });
  expect(cloud.all('securitygroup')).toContainEqual(expect.objectContaining({ id: group.id }));
});

test('the last writes are remembered of a thousand ports, not of all that ever were', async () => {
  const revisions: number[] = [];
  const updateAt: Cloud['updateAt'] = (_, id, __, revision) => {
    revisions.push(revision);
    return Promise.resolve({ id, revision_number: revision + 1 });
  };
  const world = { cloud: { updateAt }, memory: newMemory() };
  const write = (id: string): Promise<WireResource> =>
    changePort({ ...adding(WEB), id }, { id, revision_number: 1 }, world);
  for (const id of ['first', 'first', ...Array.from({ length: 1_000 }, (_, at) => `${at}`), 'first'])
    await write(id);
  expect([revisions.slice(0, 2), revisions.at(-1)]).toEqual([[1, 2], 1]);
});
