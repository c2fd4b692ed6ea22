/** Writes audit-schema.generated.js: ajv's checks as plain code, which loads in 2 ms. `minLength` and `format` would make it import ajv. */
import { writeFileSync } from 'node:fs';
import { Ajv } from 'ajv';
import standalone from 'ajv/dist/standalone/index.js';

const text = { type: 'string' };

const user = {
  type: 'object',
  properties: { username: text, groups: { type: 'array', items: text } },
};

const auditEvent = {
  $id: 'auditEvent',
  type: 'object',
  required: ['auditID', 'stage', 'requestURI', 'verb', 'user'],
  properties: {
    auditID: text,
    stage: text,
    requestURI: text,
    verb: text,
    user,
    impersonatedUser: user,
    objectRef: {
      type: 'object',
      properties: { resource: text, namespace: text, name: text, apiGroup: text, subresource: text },
    },
    responseStatus: { type: 'object', properties: { code: { type: 'integer' } } },
  },
};

const eventList = {
  $id: 'eventList',
  type: 'object',
  required: ['kind', 'apiVersion', 'items'],
  properties: {
    kind: { const: 'EventList' },
    apiVersion: { const: 'audit.k8s.io/v1' },
    items: { type: ['array', 'null'] },
  },
};

// The package is CommonJS: its default export is a property of what Node and TypeScript import.
type Standalone = (ajv: Ajv, exports: Record<string, string>) => string;
const toCode = standalone as unknown as Standalone & { readonly default?: Standalone };

export function auditSchemaCode(): string {
  const ajv = new Ajv({
    code: { source: true, esm: true },
    schemas: [eventList, auditEvent],
    strict: true,
    allowUnionTypes: true,
  });
  return `${(toCode.default ?? toCode)(ajv, { eventList: 'eventList', auditEvent: 'auditEvent' })}\n`;
}

if (import.meta.main) writeFileSync(new URL('audit-schema.generated.js', import.meta.url), auditSchemaCode());
