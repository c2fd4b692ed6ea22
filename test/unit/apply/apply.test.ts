import { describe, expect, test } from 'vitest';
import { newMemory } from '../../../shared/memory/memory.ts';
import { ReconcileError } from '../../../shared/model/errors.ts';
import type { CreateStep, UpdateStep } from '../../../shared/model/plan.ts';
import type { WireResource } from '../../../shared/model/resources.ts';
import { SimulatedCloud } from '../../support/simulated-cloud.ts';
import { aTlsSecret, secretsOf } from '../../support/tls-secret.ts';
import { storeCertificate, changePort } from '../../../shared/apply/execute.ts';
import { readTlsSecret } from '../../../shared/model/tls/tls-secret.ts';
import type { Cloud } from '../../../shared/ports.ts';
import { NODE_GROUP } from '../../support/cloud-contents.ts';

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

test('a Secret that changed since the plan is not stored', async () => {
  const cloud = new SimulatedCloud();
  for (const changed of [secretsOf({ 'web-tls': aTlsSecret('two') }), secretsOf({})])
    await expect(storeCertificate(step, { cloud, kube: changed })).rejects.toMatchObject({
      code: 'KUBE_CONFLICT',
    });
  expect(cloud.writes).toEqual([]);
});

test('a refusal that repeats what it refuses does not get through', async () => {
  const create: Cloud['create'] = (_, { payload }) =>
    Promise.reject(new ReconcileError('REJECTED', `'${String(payload)}' is too long`));
  const cloud = Object.assign(new SimulatedCloud(), { create });
  const error = await storeCertificate(step, { cloud, kube }).catch((one: unknown) => one);
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
