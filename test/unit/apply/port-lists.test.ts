import { describe, expect, test } from 'vitest';
import { newMemory } from '../../../shared/memory/memory.ts';
import { apply } from '../../../shared/apply/apply.ts';
import { changePort } from '../../../shared/apply/execute.ts';
import type { Step, UpdateStep } from '../../../shared/model/plan.ts';
import type { WireResource } from '../../../shared/model/resources.ts';
import type { Cloud } from '../../../shared/ports.ts';
import { SimulatedCloud } from '../../support/simulated-cloud.ts';
import { NODE_GROUP } from '../../support/cloud-contents.ts';
import { secretsOf } from '../../support/tls-secret.ts';

const PORT = 'bbbbbbbb-0000-4000-8000-000000000000';
const WEB = 'f0000000-0000-4000-8000-0000000000aa';
const DNS = 'f0000000-0000-4000-8000-0000000000bb';
const FOREIGN = 'f0000000-0000-4000-8000-0000000000ff';

function step(from: readonly string[], to: readonly string[]): UpdateStep {
  const changes = [{ attribute: 'security_groups', from, to }];
  return { verb: 'update', kind: 'port', address: 'port/10.0.0.1', id: PORT, changes };
}
const adding = (group: string): UpdateStep => step([NODE_GROUP], [NODE_GROUP, group]);
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
    await changePort(step([NODE_GROUP, WEB], [NODE_GROUP]), await cloud.get('port', PORT), world);
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
    await changePort(step([FOREIGN], [FOREIGN, WEB]), await cloud.get('port', PORT), world);
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
    ...step([NODE_GROUP, group.id], [NODE_GROUP]),
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
