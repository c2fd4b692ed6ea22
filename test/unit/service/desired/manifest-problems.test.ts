import { expect, test } from 'vitest';
import { manifestProblems } from '../../../../shared/service/desired/desire-service.ts';
import { aConfig } from '../../../support/config.ts';
import { aStoredService } from '../../../support/service.ts';

const ID = '0b4f0d8e-1d1a-4f4a-9a51-0d7a2a3b4c5d';
const NAMES = /^(levelset|loadbalancer)\.openstack\.org\//;
const SPEC = {
  ports: [
    { name: 'http', port: 80 },
    { name: 'https', port: 443 },
  ],
};
const LOCAL = { externalTrafficPolicy: 'Local', healthCheckNodePort: 31_777 };

const TLS = `tls-container-refs.443 ${ID}`;
const CHECKED = 'enable-health-monitor true';
const CLIENTS = `client-authentication MANDATORY, client-ca-tls-container-ref ${ID}`;

/**
 * What test/golden/annotations.txt and create-cookies-and-checks do not show: annotations without their prefixes, and the first Problem of each field;
 * `!` in front: it stops everything.
 */
// prettier-ignore
const ROWS: [annotations: string, told: string, spec?: object][] = [
  // a setting that no port has a use for
  ['health-monitor-delay 9', '', LOCAL],
  ['redirect-http false', ''],
  ['redirect-http true, protocol.80 http', 'redirect-http needs a host'],
  [`${CHECKED}, monitor-url-path /up`, 'monitor-url-path needs a health check over HTTP'],
  ['monitor-url-path /up, monitor-type HTTP', 'monitor-url-path needs a health check over HTTP', LOCAL],
  [`tls-versions.80 TLSv1.3, ${TLS}`, 'tls-versions.80 needs a port that terminates TLS'],
  [`hsts-preload true, ${TLS}`, 'hsts-preload needs levelset.openstack.org/hsts-max-age'],
  ['client-authentication NONE', ''],
  [CLIENTS, '!client-authentication needs a port that terminates TLS | client-ca-tls-container-ref needs a port that terminates TLS'],
  // TLS
  ['protocol.443 terminated_https', '!protocol.443 needs a certificate'],
  [`client-authentication MANDATORY, ${TLS}`, '!client-authentication needs levelset.openstack.org/client-ca'],
  [`client-crl-container-ref ${ID}, ${TLS}`, '!client-crl-container-ref needs levelset.openstack.org/client-ca'],
  [`protocol.443 http, ${TLS}`, 'protocol.443 is ignored: levelset.openstack.org/tls-container-refs.443 names'],
  [`protocol.80 http, tls-container-refs ${ID}`, ''],
  ['tls-container-refs web', '!tls-container-refs must be the id of a certificate container'],
  // headers
  ['insert-headers X-SSL-Client-CN, protocol.80 http', 'headers of spec.ports[0] are ignored: they describe the certificate of a client'],
  ['protocol.80 http, proxy-protocol true, insert-headers X-Forwarded-For', 'headers of spec.ports[0] are not inserted by Octavia while the PROXY protocol is on'],
  // checks
  [`${CHECKED}, monitor-type UDP-CONNECT`, 'monitor-type cannot check the members of tcp/80; levelset uses TCP'],
];

const OCCM = /^(enable-health|health-monitor|x-forwarded|proxy-protocol)/;

test.each<[string, string, object?]>(ROWS)('%s: %s', (written, told, spec = SPEC) => {
  const annotations = Object.fromEntries(
    written.split(', ').map((one) => {
      const [name = '', value = ''] = one.split(' ');
      return [`${OCCM.test(name) ? 'loadbalancer' : 'levelset'}.openstack.org/${name}`, value];
    }),
  );
  const service = aStoredService({ annotations, spec: { ...SPEC, ...spec } });
  const problems = manifestProblems(service, aConfig(undefined, { createMonitor: false }));
  const found = new Map(
    problems
      .toReversed()
      .map((one) => [one.field, `${one.blocking ? '!' : ''}${one.field.replace(NAMES, '')} ${one.message}`]),
  );
  const expected = told === '' ? [] : told.split(' | ');
  expect([...found.values()].reverse()).toEqual(
    expected.map((text) => expect.stringContaining(text) as string),
  );
});
