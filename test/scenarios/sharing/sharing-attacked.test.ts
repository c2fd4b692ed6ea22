/**
 * What befalls a load balancer that several share: nobody's listener goes, nothing internal opens, no address is lost, and what is all its
 * Services' matter changes where they agree.
 */
import { expect, test } from 'vitest';
import type { Config } from '../../../shared/config/config.ts';
import type { Report } from '../../../shared/model/outcome.ts';
import { aConfig } from '../../support/config.ts';
import { failing } from '../../support/failing.ts';
import { LOAD_BALANCER_NAME, startSharedWorld, type SharedWorld } from '../../support/shared-world.ts';
import { addressOf, forceDelete } from '../../support/told.ts';
import { inEachTest } from '../../support/sandbox-world.ts';

const INTERNAL = 'service.beta.kubernetes.io/openstack-internal-load-balancer';

const it = inEachTest(() => startSharedWorld());

const PORTS: Readonly<Record<string, number>> = { web: 80, api: 81, db: 82 };
type More = Readonly<Record<string, string>>;
const ask = (name: string, internal: boolean, more: More = {}): void => {
  it.apply(name, PORTS[name] ?? 0, { [LOAD_BALANCER_NAME]: 'edge', [INTERNAL]: String(internal), ...more });
};
const put = (name: string, internal = false, more: More = {}): Promise<Report> => {
  ask(name, internal, more);
  return it.settle(name);
};
/** `web` makes the load balancer. */
async function share(of: Readonly<Record<string, boolean>>): Promise<void> {
  for (const [name, internal] of Object.entries(of)) await put(name, internal);
  await it.sweepUntilSettled();
}
const floatingIPs = () => it.cloud.floatingips.map(({ floating_ip_address: address }) => address);
const reached = (): readonly string[] =>
  it.cloud.floatingips.flatMap((ip) => (ip.port_id === null ? [] : [ip.floating_ip_address]));
const otherConfig = (more: Partial<Config>, options: object = {}): ReturnType<SharedWorld['another']> =>
  it.another({ ...aConfig(it.sandbox.authUrl, { maxSharedLb: 12, ...options }), ...more });

test('the one that it was made for comes back, and the other one, which has described it meanwhile, leaves its listener alone', async () => {
  await share({ web: false, api: false });
  await it.remove('web');
  await put('api', false, { 'levelset.openstack.org/description': 'mine' });
  await it.sweepUntilSettled();
  await put('web');

  await it.sweepUntilSettled();

  expect(it.ports()).toEqual([80, 81]);
  expect((await it.settle('api')).plan?.steps).toEqual([]);
});

test('internal-lb of cloud.conf takes no address from one that asks for none to go, whatever the others ask for', async () => {
  await share({ web: false, api: false });
  await put('web', true);
  const address = floatingIPs();

  await it.sweepUntilSettled(await otherConfig({}, { internalLb: true }));

  expect(reached()).toEqual(address);
  expect(it.told('api')).toContain('internal-lb in cloud.conf takes the address away');
});

test.each([
  ['the one that it was made for is there', false],
  ['that one has left', true],
])('a floating IP that somebody takes off it comes back while %s', async (_, hasLeft) => {
  await share({ web: false, api: false, db: false });
  if (hasLeft) await it.remove('web');
  await it.sweepUntilSettled();
  const address = floatingIPs();
  for (const ip of it.cloud.floatingips) ip.port_id = null;

  await it.sweepUntilSettled();

  expect([floatingIPs(), reached()]).toEqual([address, address]);
  expect(addressOf(it, 'db')).toBe(address[0]);
});

test.each([
  [true, 0],
  [false, 1],
])('one whose tags are lost counts by its listener: internal %s', async (internal, left) => {
  await share({ web: internal, api: internal, db: internal });
  it.lb().tags = it.lb().tags.filter((tag) => !tag.endsWith('db'));
  for (const name of ['web', 'api']) ask(name, !internal);
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

  await it.put('web', 80, annotations);
  await it.sweepUntilSettled();

  expect(it.cloud.loadbalancers).toHaveLength(2);
  const shared = it.cloud.loadbalancers.find((lb) => lb.id === id);
  expect(shared?.tags.filter((tag) => tag.endsWith('other') || tag.endsWith('web'))).toEqual([]);
});

test.each([
  ['external', { web: false, api: false }, true, 1],
  ['internal', { web: true, api: true }, false, 0],
])('what a vanished %s Service has left serves on while in quarantine', async (_, of, turns, left) => {
  await share(of);
  await put('web', turns);
  forceDelete(it, 'api');

  await it.sweepUntilSettled(await otherConfig({ orphanDelayMs: 3_600_000 }));

  expect(floatingIPs()).toHaveLength(left);
});

const open = (): number => it.cloud.floatingips.length;

test('#2675, #2891: those who share a load balancer are open to the outside when all ask for it, and until all are internal', async () => {
  await share({ web: true, db: true });
  expect(open()).toBe(0);

  await share({ web: false, db: true });
  expect(open()).toBe(0);
  expect(it.told('web')).toContain('has no floating IP, and gets none, since default/db is on it');
  expect(addressOf(it)).toBe(it.lb().vip_address);

  await share({ web: false, db: false });
  expect(open()).toBe(1);
  expect(it.cloud.floatingips[0]?.description).toContain('default/web');
  expect(addressOf(it)).toBe(it.cloud.floatingips[0]?.floating_ip_address);
  expect(addressOf(it, 'db')).toBe(addressOf(it));

  await share({ web: true, db: false });
  expect(open()).toBe(1);
  expect(it.told('web')).toContain('which goes when all who share it are internal');

  await share({ web: true, db: true });
  expect(open()).toBe(0);
  expect(addressOf(it, 'db')).toBe(it.lb().vip_address);
});

test('those who share a load balancer are not open for one that cannot be read, and are without one that is gone', async () => {
  await share({ web: true, db: true });
  it.lb().tags = [...it.lb().tags, 'levelset-name=default/gone'];
  const clear = failing(it, 'GET', /services\/db$/, 500);
  await put('web');
  expect(open()).toBe(0);

  clear();
  await share({ web: false, db: false });
  expect(open()).toBe(1);
});
