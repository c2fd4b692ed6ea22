import { afterEach, beforeEach, expect, test } from 'vitest';
import { aService } from '../../support/service.ts';
import { startSandboxWorld } from '../../support/sandbox-world.ts';
import type { SandboxWorld } from '../../support/sandbox-world.ts';
import { readyOf } from '../../support/told.ts';

const OWN = 'levelset.openstack.org/';
const OCCM = 'loadbalancer.openstack.org/';
const LOCAL = { externalTrafficPolicy: 'Local' };
const UNCHECKED = 'members are not checked';
const NOT_REDIRECTED = 'no port that it is for is redirected';

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
])('%s', async (_, annotations, spec, told) => {
  it.sandbox.kube.apply(aService({ annotations, spec }));
  await it.settle('web');

  const notes = readyOf(it.sandbox)?.message.split('\n').slice(1) ?? [];
  expect(notes).toEqual(told === undefined ? [] : [expect.stringContaining(`is not applied: ${told}`)]);
});
