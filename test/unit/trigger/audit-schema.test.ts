import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { isAuditEvent, readEventList } from '../../../shared/trigger/audit-schema.ts';
import { auditSchemaCode } from '../../../shared/trigger/generate-audit-schema.ts';
import { eventList, nonResourceEvent, serviceEvent } from './audit-events.ts';

const committed = readFileSync(
  new URL('../../../shared/trigger/audit-schema.generated.js', import.meta.url),
  'utf8',
);

test('the generated code is what the generator writes (npm run generate)', () => {
  expect(committed).toBe(auditSchemaCode());
});

test('the generated code imports nothing', () => {
  expect(committed).not.toMatch(/\b(import|require)\b/);
});

test('takes a list, empty or not, whatever its items are', () => {
  expect(readEventList(eventList([7]))).toEqual(eventList([7]));
  expect(readEventList(eventList([]))).toEqual(eventList([]));
  expect(readEventList({ kind: 'EventList', apiVersion: 'audit.k8s.io/v1', items: null })).toBeTypeOf(
    'object',
  );
});

// prettier-ignore
test.each([
  [[], 'not an audit.k8s.io/v1 EventList: the body must be object'],
  [{ kind: 'EventList' }, "not an audit.k8s.io/v1 EventList: the body must have required property 'apiVersion'"],
  [{ kind: 'PodList', apiVersion: 'v1', items: [] }, 'not an audit.k8s.io/v1 EventList: "kind" must be "EventList"'],
  [{ kind: 'EventList', apiVersion: 'audit.k8s.io/v1beta1', items: [] }, 'not an audit.k8s.io/v1 EventList: "apiVersion" must be "audit.k8s.io/v1"'],
  [{ kind: 'EventList', apiVersion: 'audit.k8s.io/v1', items: {} }, 'not an audit.k8s.io/v1 EventList: "items" must be array,null'],
])('says in one line why %j is none', (value, line) => {
  expect(readEventList(value)).toBe(line);
});

test.each([
  ['unknown properties', { ...serviceEvent('patch'), somethingNew: { a: [1] } }],
  ['a requestObject that is a list', { ...serviceEvent('patch'), requestObject: [{ op: 'add' }] }],
  ['no objectRef', nonResourceEvent()],
])('an audit event may have %s', (_name, event) => {
  expect(isAuditEvent(event)).toBe(true);
});

test.each(['auditID', 'stage', 'requestURI', 'verb', 'user'])('an audit event needs %s', (field) => {
  expect(isAuditEvent({ ...serviceEvent('patch'), [field]: undefined })).toBe(false);
});
