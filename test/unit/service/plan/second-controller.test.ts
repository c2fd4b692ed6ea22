import { expect, test } from 'vitest';
import type { ManagedFields, Service } from '../../../../shared/model/kubernetes.ts';
import { secondControllerProblems } from '../../../../shared/service/plan/plan-input.ts';
import { aStoredService } from '../../../support/service.ts';

const ADDRESS = { 'f:status': { 'f:loadBalancer': { 'f:ingress': {} } } };
const OURS: ManagedFields = {
  manager: 'levelset',
  subresource: 'status',
  time: '2026-11-21T10:00:00Z',
  fieldsV1: ADDRESS,
};
const GO: ManagedFields = {
  ...OURS,
  manager: 'openstack-cloud-controller-manager',
  time: '2026-11-21T10:00:05Z',
};

function after(...managedFields: readonly ManagedFields[]): readonly string[] {
  const service = aStoredService();
  const written: Service = { ...service, metadata: { ...service.metadata, managedFields } };
  return secondControllerProblems(written).map(({ field, value, message }) => `${field} ${value} ${message}`);
}

// prettier-ignore
test.each<[string, readonly ManagedFields[]]>([
  ['only levelset wrote', [OURS]],
  ['the other one stopped before levelset came', [{ ...GO, time: '2026-11-21T09:00:00Z' }, OURS]],
  ['the other one in the same second, which tells nothing', [{ ...GO, time: OURS.time ?? '' }, OURS]],
  ['levelset never wrote: it is taking over', [GO]],
  ['a person edits the spec', [OURS, { manager: 'kubectl-edit', time: GO.time ?? '', fieldsV1: { 'f:spec': {} } }]],
  ['somebody writes a condition', [OURS, { ...GO, manager: 'mesh', fieldsV1: { 'f:status': { 'f:conditions': {} } } }]],
  ['managedFields of a shape that no apiserver gives', [OURS, { ...GO, manager: 'x', fieldsV1: { 'f:status': 1 } }]],
])('no second controller: %s', (_, writes) => {
  expect(after(...writes)).toEqual([]);
});

// prettier-ignore
test.each<[string, ManagedFields]>([
  ['writes the address', { ...GO, manager: 'cloud-provider-kinx' }],
  ['is a cloud controller and writes an annotation', { manager: GO.manager ?? '', time: GO.time ?? '', fieldsV1: { 'f:metadata': {} } }],
])('a second controller %s', (_, write) => {
  expect(after(OURS, write)).toEqual([
    `field manager ${write.manager ?? ''} wrote this Service at 2026-11-21T10:00:05Z, after levelset did; two controllers of one Service undo each other's changes, so stop one of them (docs/migration.md)`,
  ]);
});
