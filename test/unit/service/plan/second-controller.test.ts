import { expect, test } from 'vitest';
import type { ManagedFields, Service } from '../../../../shared/model/kubernetes.ts';
import { secondControllerProblems } from '../../../../shared/service/plan/plan-input.ts';
import { aStoredService } from '../../../support/service.ts';

const ADDRESS = { 'f:status': { 'f:loadBalancer': { 'f:ingress': {} } } };
const AT = '2026-11-21T10:00:00Z';
const LATER = '2026-11-21T10:00:05Z';
const OURS = { manager: 'levelset', subresource: 'status', time: AT, fieldsV1: ADDRESS };
const GO = { ...OURS, manager: 'openstack-cloud-controller-manager', time: LATER };
const KINX = { ...GO, manager: 'cloud-provider-kinx' };
const METADATA = { manager: GO.manager, time: LATER, fieldsV1: { 'f:metadata': {} } };

function after(...managedFields: readonly ManagedFields[]): readonly string[] {
  const service = aStoredService();
  const written: Service = { ...service, metadata: { ...service.metadata, managedFields } };
  return secondControllerProblems(written).map(({ field, value, message }) => `${field} ${value} ${message}`);
}

// prettier-ignore
test.each<[string, readonly ManagedFields[], second?: string]>([
  ['a second controller writes the address', [OURS, KINX], KINX.manager],
  ['a second controller is a cloud controller and writes an annotation', [OURS, METADATA], GO.manager],
  ['only levelset wrote', [OURS]],
  ['the other one stopped before levelset came', [{ ...GO, time: '2026-11-21T09:00:00Z' }, OURS]],
  ['the other one in the same second, which tells nothing', [{ ...GO, time: AT }, OURS]],
  ['levelset never wrote: it is taking over', [GO]],
  ['a person edits the spec', [OURS, { manager: 'kubectl-edit', time: LATER, fieldsV1: { 'f:spec': {} } }]],
  ['somebody writes a condition', [OURS, { ...GO, manager: 'mesh', fieldsV1: { 'f:status': { 'f:conditions': {} } } }]],
  ['managedFields of a shape that no apiserver gives', [OURS, { ...GO, manager: 'x', fieldsV1: { 'f:status': 1 } }]],
])('%s', (_, writes, second) => {
  const words = `field manager ${second ?? ''} wrote this Service at ${LATER}, after levelset did; two controllers of one Service undo each other's changes, so stop one of them (docs/migration.md)`;
  expect(after(...writes)).toEqual(second === undefined ? [] : [words]);
});
