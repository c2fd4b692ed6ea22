/** What a person asks at 3 a.m., on the page of one object and of all, and how both look and work in a browser: WCAG AA by axe-core (decision 375). */
import { expect, test } from 'vitest';
import type { StatusRow, StatusView } from '../../../shared/report/page.ts';
import type { ObjectView } from '../../../shared/report/page/object-view.ts';
import { aService, sandboxWorld, until } from '../sandbox-world.ts';
import { running } from '../running.ts';
import { expectReadable, noChromium, openPage } from './chromium.ts';
import { textOf } from './text-of.ts';
import { testServer } from '../../http/test-server.ts';
import { listening } from '../../support/for-one-test.ts';

async function served() {
  const world = await sandboxWorld();
  const { url, get } = await running(world, { watch: true });
  return {
    ...{ sandbox: world.sandbox, url, get },
    /** A page as a person reads it. */
    text: async (path: string) => textOf(await get(path)),
    state: (name: string, state: StatusRow['state']) =>
      until(`${name} is ${state}`, async () => {
        const { rows } = JSON.parse(await get('/?format=json')) as StatusView;
        return rows.some((row) => row.object === `service/default/${name}` && row.state === state);
      }),
  };
}

test('what is broken, since when, why, who must act and what comes next stands on the page, and on that of the object', async () => {
  const { sandbox, state, text, url } = await served();
  Object.assign(sandbox.cloud.quotas, { load_balancer: 0 });
  sandbox.kube.apply(aService('web'));
  await state('web', 'failed');

  const all = await text('/');
  expect(all).toMatch(/1 needs a person/);
  expect(all).toMatch(/Needs a person default\/web – failed first seen \d+ s ago/);
  expect(all).toMatch(/Who must act whoever .*: raise the quota of the project/);
  expect(all).toMatch(/Next levelset runs again (in \d+ (s|min)|now) at the latest/);

  const one = await text('/objects/service/default/web');
  expect(one).toMatch(
    /Serving – As desired failed Since \d+ s ago Why .*quota.* Who must act whoever .*quota.* Next levelset runs again (in \d+ (s|min)|now) at the latest/i,
  );
  expect(one).toMatch(/s ago sweep failed QUOTA_EXCEEDED quota .* wrote nothing \d+ \d+ ms/);
  expect(one).toContain('lb is missing');
  if (!noChromium)
    await expectReadable(await openPage(`${url}/objects/service/default/web`), 'object-failed');
});

test('the page of a Service has its tree, desired beside live, runs, and what set each value; what levelset does not know has none', async () => {
  const { sandbox, state, text, url } = await served();
  sandbox.kube.apply(aService('web', { 'loadbalancer.openstack.org/lb-method': 'RANDOM' }));
  await state('web', 'settled');
  const { pools, members } = sandbox.cloud;
  for (const pool of pools) Object.assign(pool, { lb_algorithm: 'SOURCE_IP', operating_status: 'DEGRADED' });
  const [member] = [...members];
  Object.assign(member ?? {}, { operating_status: 'ERROR' });

  const page = await text('/objects/service/default/web');

  expect(page).toMatch(
    /listener tcp\/80 ONLINE pool tcp\/80 DEGRADED member node-\d \(10\.0\.0\.\d+:\d+\) ERROR/,
  );
  expect(page).toContain('lb_algorithm "ROUND_ROBIN" "SOURCE_IP" differs');
  expect(page).toMatch(/s ago requeue settled as desired wrote nothing \d+ \d+ ms/);
  expect(page).toContain('lb-method "ROUND_ROBIN" the default');
  expect(page).toMatch(/What has no effect .*lb-method "RANDOM" must be one of ROUND_ROBIN/);
  for (const path of ['service/default/none', 'service/%3Cb%3E/x', 'all', 'x'])
    expect((await fetch(`${url}/objects/${path}`)).status, path).toBe(404);
  if (!noChromium) await expectReadable(await openPage(`${url}/objects/service/default/web`), 'one-object');
});

test('twenty readers cost one look, and while OpenStack is away the page says so and has what is known', async () => {
  const { sandbox, get, state, text } = await served();
  for (const name of ['read', 'unread']) sandbox.kube.apply(aService(name));
  for (const name of ['read', 'unread']) await state(name, 'settled');
  const details = async () =>
    (JSON.parse(await get('/objects/service/default/read?format=json')) as ObjectView).details?.at;
  const looks = await Promise.all(Array.from({ length: 20 }, details));
  expect(new Set(looks).size).toBe(1);

  sandbox.fault({ match: { side: 'openstack' }, kind: 'reset-before', times: 1e6 });
  expect(await details()).toBe(looks[0]);
  const page = await text('/objects/service/default/unread');
  expect(page).toMatch(/levelset cannot look at the object now: .*Why as desired/);
});

const AT = '2026-11-21T03:00:00Z';
const SETTLED = { state: 'settled', reason: 'as desired', address: '203.0.113.10' } as const;
const KINDS: readonly Partial<StatusRow>[] = [
  { ...SETTLED, operatingStatus: 'ONLINE' },
  { ...SETTLED, reason: 'as desired; 2 problems', problems: 2, plan: '? lb-method = "RANDOM"' },
  {
    ...{ state: 'failed', reason: 'Octavia refuses: quota has been met', planSteps: 1, plan: '+ lb' },
    ...{ act: 'whoever runs the cluster or the cloud', since: '2026-11-21T02:40:00Z' },
  },
  {
    state: 'blocked',
    reason: 'spec.loadBalancerSourceRanges "x" is no CIDR',
    act: 'whoever owns the object',
  },
  { state: 'progressing', reason: 'Octavia is at work', nextAt: '2026-11-21T03:00:02Z' },
  { ...SETTLED, operatingStatus: 'ERROR' },
  {},
];

/** A page with so many Services; of many, most are as desired. */
async function open(number: number): ReturnType<typeof openPage> {
  const rows = Array.from({ length: number }, (_, at): StatusRow => ({
    ...{ state: 'unknown', reason: 'no run yet', planSteps: 0 },
    ...{ trigger: 'audit', at: '2026-11-21T02:59:00Z', loadBalancerId: `lb-${at}` },
    ...KINDS[number > 100 && at % 100 > 0 ? 0 : at % KINDS.length],
    object: `service/shop-${at % 7}/web-${at}`,
  }));
  const view: StatusView = {
    ...{ cluster: 'prod-a', generatedAt: AT, queue: { depth: 0, oldestMs: 0 }, rows },
    lastSweep: { at: AT, services: number, released: 0, nodes: 10, queued: 0, warnings: [] },
  };
  const { app } = testServer({ open: true, status: () => Promise.resolve(view) });
  return openPage(`${await listening(app)}/`);
}

const inBrowser = test.skipIf(noChromium);

inBrowser.each([0, 13])('%i objects are readable in light, dark and at 360 px', async (number) => {
  await expectReadable(await open(number), `${number}-objects`);
});

inBrowser('5,000 objects are painted soon, and a search while somebody types is in the address', async () => {
  const opened = await open(5_000);
  const { page } = opened;
  const painted = await page.evaluate<number>(
    `new Promise((resolve) => {
      new PerformanceObserver((list) => resolve(list.getEntriesByName('first-contentful-paint')[0].startTime))
        .observe({ type: 'paint', buffered: true });
    })`,
  );
  console.log(`first paint with 5,000 objects after ${painted.toFixed(0)} ms`);
  expect(painted).toBeLessThan(5_000); // a busy machine
  expect(await page.locator('tr[id^="row:"]').count()).toBe(200);
  await expectReadable(opened, '5000-objects', ['light']);

  await page.getByLabel('Search').fill('web-4999');
  await page.getByText('1 of 5000', { exact: true }).waitFor({ timeout: 90_000 }); // a busy machine
  expect(new URL(page.url()).search).toBe('?q=web-4999');
  expect(await page.evaluate('document.activeElement.name')).toBe('q');
  await page.reload();
  expect(await page.locator('tr[id^="row:"]').count()).toBe(1);
});
