import { expect, test } from 'vitest';
import type { ResourceKind } from '../../../../shared/model/resources.ts';
import { desirePort } from '../../../../shared/service/desired/desire-port.ts';
import { readIntent } from '../../../../shared/service/intent/service-intent.ts';
import { aConfig } from '../../../support/config.ts';
import { aStoredService } from '../../../support/service.ts';

const OWN = 'levelset.openstack.org/';
const ID = '0b4f0d8e-1d1a-4f4a-9a51-0d7a2a3b4c5d';
const CHECK = { [`${OWN}monitor-type`]: 'HTTP', [`${OWN}monitor-domain-name`]: 'app.example.org' };
const QUICK = { 'loadbalancer.openstack.org/health-monitor-delay': '2' };
const COOKIE = { [`${OWN}session-persistence`]: 'HTTP_COOKIE' };
const HSTS = {
  [`${OWN}hsts-max-age`]: '9',
  [`${OWN}hsts-preload`]: 'true',
  [`${OWN}hsts-include-subdomains`]: 'true',
};
const TLS = { [`${OWN}tls-container-refs`]: ID };

// prettier-ignore
test.each<[ResourceKind, Readonly<Record<string, string>>, object, string?]>([
  ['healthmonitor', CHECK, { domain_name: 'app.example.org', http_version: 1.1 }],
  ['healthmonitor', { ...CHECK, [`${OWN}monitor-http-version`]: '1.0' }, { domain_name: 'app.example.org', http_version: 1.1 }],
  ['healthmonitor', QUICK, { type: 'UDP-CONNECT', delay: 3 }, 'UDP'],
  ['pool', { ...COOKIE, [`${OWN}protocol`]: 'http' }, { session_persistence: { type: 'HTTP_COOKIE' } }],
  ['pool', { ...COOKIE, ...TLS }, { session_persistence: { type: 'HTTP_COOKIE' } }],
  ['pool', { ...COOKIE, [`${OWN}protocol`]: 'https' }, { session_persistence: { type: 'SOURCE_IP' } }],
  ['listener', { ...HSTS, ...TLS }, { hsts_max_age: 9, hsts_preload: true, hsts_include_subdomains: true }],
])('the %s of a port with %o has %o', (of, annotations, attributes, protocol = 'TCP') => {
  const service = aStoredService({
    annotations,
    spec: { sessionAffinity: 'ClientIP', ports: [{ port: 80, protocol }] },
  });
  const intent = readIntent(service, aConfig());
  const context = {
    intent,
    cluster: { id: 'c', name: 'kubernetes' },
    store: 'barbican',
    certificates: { references: new Map([[ID, { ref: ID }]]) },
    secrets: new Map(),
  } as const;
  const [port] = intent.ports;
  const desired = port && desirePort(port, { members: [], problems: [] }, context);
  expect(desired?.resources.find(({ kind }) => kind === of)?.attributes).toMatchObject(attributes);
});
