/**
 * What befalls a load balancer that several share: nobody's listener goes, nothing internal opens, no address is lost, and what is all its
 * Services' matter changes where they agree.
 */
import { expect, test } from 'vitest';
import type { Config } from '../../../shared/config/config.ts';
import { aConfig } from '../../support/config.ts';
import { LOAD_BALANCER_NAME, startSharedWorld, type SharedWorld } from '../../support/shared-world.ts';
import { addressOf, forceDelete, leftovers, readyOf } from '../../support/told.ts';
import { inEachTest } from '../../support/sandbox-world.ts';

const INTERNAL = 'service.beta.kubernetes.io/openstack-internal-load-balancer';

const it = inEachTest(() => startSharedWorld());

const PORTS: Readonly<Record<string, number>> = { web: 80, api: 81, db: 82 };
const put = (name: string, internal = false, more: Readonly<Record<string, string>> = {}): void => {
  it.apply(name, PORTS[name] ?? 0, { [LOAD_BALANCER_NAME]: 'edge', [INTERNAL]: String(internal), ...more });
};
/** `web` makes the load balancer. */
async function share(of: Readonly<Record<string, boolean>>): Promise<void> {
  for (const [name, internal] of Object.entries(of)) {
    put(name, internal);
    await it.settle(name);
  }
  await it.sweepUntilSettled();
}
const floatingIPs = (): readonly string[] =>
  it.sandbox.cloud.floatingips.map(({ floating_ip_address: address }) => address);
const reached = (): readonly string[] =>
  it.sandbox.cloud.floatingips.flatMap((ip) => (ip.port_id === null ? [] : [ip.floating_ip_address]));
const otherConfig = (more: Partial<Config>, options: object = {}): ReturnType<SharedWorld['another']> =>
  it.another({ ...aConfig(it.sandbox.authUrl, { maxSharedLb: 12, ...options }), ...more });

test('the one that it was made for comes back, and the other one, which has described it meanwhile, leaves its listener alone', async () => {
  await share({ web: false, api: false });
  await it.remove('web');
  put('api', false, { 'levelset.openstack.org/description': 'mine' });
  await it.sweepUntilSettled();
  put('web');
  await it.settle('web');

  await it.sweepUntilSettled();

  expect(it.ports()).toEqual([80, 81]);
  expect((await it.settle('api')).plan?.steps).toEqual([]);
});

test('internal-lb of cloud.conf takes no address from one that asks for none to go, whatever the others ask for', async () => {
  await share({ web: false, api: false });
  put('web', true);
  await it.settle('web');
  const address = floatingIPs();

  await it.sweepUntilSettled(await otherConfig({}, { internalLb: true }));

  expect(reached()).toEqual(address);
  expect(readyOf(it.sandbox, 'api')?.message).toContain('internal-lb in cloud.conf takes the address away');
});

test.each([
  ['the one that it was made for is there', false],
  ['that one has left', true],
])('a floating IP that somebody takes off it comes back while %s', async (_, hasLeft) => {
  await share({ web: false, api: false, db: false });
  if (hasLeft) await it.remove('web');
  await it.sweepUntilSettled();
  const address = floatingIPs();
  for (const ip of it.sandbox.cloud.floatingips) ip.port_id = null;

  await it.sweepUntilSettled();

  expect([floatingIPs(), reached()]).toEqual([address, address]);
  expect(addressOf(it.sandbox, 'db')).toBe(address[0]);
});

test.each([
  [true, 0],
  [false, 1],
])('one whose tags are lost counts by its listener: internal %s', async (internal, left) => {
  await share({ web: internal, api: internal, db: internal });
  it.lb().tags = it.lb().tags.filter((tag) => !tag.endsWith('db'));
  for (const name of ['web', 'api']) put(name, !internal);
  await it.settle('web');

  expect(floatingIPs()).toHaveLength(left);
  await it.sweepUntilSettled();
  expect(floatingIPs()).toHaveLength(left);
});

test.each([
  ['is internal where the others are open', { [INTERNAL]: 'true' }],
  ['names another one', { [LOAD_BALANCER_NAME]: 'other' }],
])('the one that it was made for does not come back when it %s', async (_, annotations) => {
  await share({ web: false, api: false });
  await it.remove('web');
  const { id } = it.lb();

  it.apply('web', 80, annotations);
  await it.settle('web');
  await it.sweepUntilSettled();

  expect(it.sandbox.cloud.loadbalancers).toHaveLength(2);
  const shared = it.sandbox.cloud.loadbalancers.find((lb) => lb.id === id);
  expect(shared?.tags.filter((tag) => tag.endsWith('other') || tag.endsWith('web'))).toEqual([]);
});

test.each([
  ['external', { web: false, api: false }, true, 1],
  ['internal', { web: true, api: true }, false, 0],
])(
  'what a vanished %s Service has left serves as it is while it is in quarantine',
  async (_, of, turns, left) => {
    await share(of);
    put('web', turns);
    await it.settle('web');
    forceDelete(it.sandbox, 'api');

    await it.sweepUntilSettled(await otherConfig({ orphanDelayMs: 3_600_000 }));

    expect(floatingIPs()).toHaveLength(left);
  },
);

test('a floating IP that another one gave goes with the last one', async () => {
  await share({ web: false, api: false, db: false });
  await it.remove('web');
  it.sandbox.cloud.floatingips.splice(0);
  await it.settle('api');
  await it.sweepUntilSettled();
  expect(it.sandbox.cloud.floatingips.map(({ description }) => description)).toEqual([
    expect.stringContaining('default/web'),
  ]);

  for (const name of ['api', 'db']) await it.remove(name);
  await it.sweepUntilSettled();

  expect(leftovers(it.sandbox)).toEqual({});
});

const open = (): number => it.sandbox.cloud.floatingips.length;
const told = (name: string): string => readyOf(it.sandbox, name)?.message ?? '';

test('those who share a load balancer are open to the outside when all ask for it, and until all are internal', async () => {
  await share({ web: true, db: true });
  expect(open()).toBe(0);

  await share({ web: false, db: true });
  expect(open()).toBe(0);
  expect(told('web')).toContain('has no floating IP, and gets none, since default/db is on it');
  expect(addressOf(it.sandbox)).toBe(it.lb().vip_address);

  await share({ web: false, db: false });
  expect(open()).toBe(1);
  expect(it.sandbox.cloud.floatingips[0]?.description).toContain('default/web');
  expect(addressOf(it.sandbox)).toBe(it.sandbox.cloud.floatingips[0]?.floating_ip_address);
  expect(addressOf(it.sandbox, 'db')).toBe(addressOf(it.sandbox));

  await share({ web: true, db: false });
  expect(open()).toBe(1);
  expect(told('web')).toContain('which goes when all who share it are internal');

  await share({ web: true, db: true });
  expect(open()).toBe(0);
  expect(addressOf(it.sandbox, 'db')).toBe(it.lb().vip_address);
});

test('those who share a load balancer are not open for one that cannot be read, and are without one that is gone', async () => {
  await share({ web: true, db: true });
  it.lb().tags = [...it.lb().tags, 'levelset-name=default/gone'];
  const clear = it.sandbox.fault({
    match: { path: /services\/db$/, method: 'GET' },
    kind: 'fail-before',
    status: 500,
    times: Infinity,
  });
  put('web');
  await it.settle('web');
  expect(open()).toBe(0);

  clear();
  await share({ web: false, db: false });
  expect(open()).toBe(1);
});
