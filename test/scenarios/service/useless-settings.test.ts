import { afterEach, beforeEach, expect, test } from 'vitest';
import { aService } from '../../support/service.ts';
import { startSandboxWorld } from '../../support/sandbox-world.ts';
import type { SandboxWorld } from '../../support/sandbox-world.ts';
import { readyOf } from '../../support/told.ts';

const OWN = 'levelset.openstack.org/';
const OCCM = 'loadbalancer.openstack.org/';
const LOCAL = { externalTrafficPolicy: 'Local' };
const UNCHECKED = 'needs health checks of members';
const NOT_REDIRECTED = 'needs levelset.openstack.org/redirect-http';
const CHECKED = { [`${OCCM}enable-health-monitor`]: 'true' };

let it: SandboxWorld;
beforeEach(async () => {
  it = await startSandboxWorld({}, { createMonitor: false });
});
afterEach(() => it.close());

// prettier-ignore
test.each([
  ['a path of checks that are off',      { [`${OWN}monitor-url-path`]: '/up' },                                            {},    UNCHECKED],
  ['a delay of checks that are off',     { [`${OCCM}health-monitor-delay`]: '9' },                                         {},    UNCHECKED],
  ['a delay of checks that are on',      { [`${OCCM}health-monitor-delay`]: '9', [`${OCCM}enable-health-monitor`]: 'true' }, {},    undefined],
  ['a delay where traffic stays local',  { [`${OCCM}health-monitor-delay`]: '9' },                                         LOCAL, undefined],
  ['the host of no redirect',            { [`${OWN}redirect-host`]: 'app.example.org' },                                   {},    NOT_REDIRECTED],
  ['the code of no redirect',            { [`${OWN}redirect-http-code`]: '308' },                                          {},    NOT_REDIRECTED],
  ['a path of a check by connection',    { ...CHECKED, [`${OWN}monitor-url-path`]: '/up' },                                {},    'needs a health check over HTTP'],
  ['a path where kube-proxy is asked',   { [`${OWN}monitor-url-path`]: '/up', [`${OWN}monitor-type`]: 'HTTP' },            LOCAL, 'needs a health check over HTTP'],
  ['headers of a port that is TCP',      { [`${OWN}insert-headers`]: 'X-Forwarded-For' },                                  {},    'needs a port that reads HTTP requests'],
  ['versions of TLS without it',         { [`${OWN}tls-versions`]: 'TLSv1.3' },                                            {},    'needs a port that terminates TLS'],
  ['TLS to members that is off',         { [`${OWN}pool-tls-versions`]: 'TLSv1.3' },                                       {},    'needs levelset.openstack.org/pool-tls'],
])('%s', async (_, annotations, spec, told) => {
  it.sandbox.kube.apply(aService({ annotations, spec }));
  await it.settle('web');

  const notes = readyOf(it.sandbox)?.message.split('\n').slice(1) ?? [];
  expect(notes).toEqual(told === undefined ? [] : [expect.stringContaining(told)]);
});
