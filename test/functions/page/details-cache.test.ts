/** How the page looks and works in a browser: WCAG AA by axe-core, filters, 5,000 rows (decision 375). */
import type { AddressInfo } from 'node:net';
import axe from 'axe-core';
import type { Page } from 'playwright-core';
import { expect, onTestFinished, test } from 'vitest';
import type { ObjectView } from '../../../shared/report/page/object-view.ts';
import type { StatusRow, StatusView } from '../../../shared/report/page.ts';
import { testServer } from '../../http/test-server.ts';
import { keepScreenshot, noChromium, openPage, type ObjectDetails } from './chromium.ts';

const AT = '2026-11-21T03:00:00Z';
const KINDS: readonly Omit<StatusRow, 'object'>[] = [
  {
    state: 'settled',
    reason: 'as desired',
    planSteps: 0,
    address: '203.0.113.10',
    operatingStatus: 'ONLINE',
  },
  {
    ...{ state: 'settled', reason: 'as desired; 2 problems', planSteps: 0, problems: 2 },
    ...{ address: '203.0.113.11', operatingStatus: 'ONLINE', act: 'whoever owns the object' },
    plan: 'shop/web: nothing to do\n  ? lb-method = "RANDOM": must be ROUND_ROBIN, LEAST_CONNECTIONS or SOURCE_IP',
  },
  {
    ...{ state: 'failed', reason: 'Octavia refuses: quota has been met', planSteps: 1, plan: '+ lb' },
    ...{
      act: 'whoever runs the cluster or the cloud, if it lasts: raise the quota of the project, or remove what is not used',
    },
    ...{ since: '2026-11-21T02:40:00Z', nextAt: '2026-11-21T03:00:30Z' },
  },
  {
    ...{ state: 'blocked', reason: 'spec.loadBalancerSourceRanges "x" is no CIDR', planSteps: 0 },
    ...{ act: 'whoever owns the object', since: '2026-11-21T01:00:00Z' },
  },
  { state: 'progressing', reason: 'Octavia is at work', planSteps: 0, nextAt: '2026-11-21T03:00:02Z' },
  { state: 'settled', reason: 'as desired', planSteps: 0, address: '203.0.113.12', operatingStatus: 'ERROR' },
  { state: 'unknown', reason: 'no run yet', planSteps: 0 },
];

function viewOf(number: number): StatusView {
  const kindOf = (at: number): number => (number > 100 && at % 100 > 0 ? 0 : at % KINDS.length);
  return {
    ...{ cluster: 'prod-a', generatedAt: AT, queue: { depth: 0, oldestMs: 0 } },
    rows: Array.from({ length: number }, (_, at): StatusRow => {
      const known = { trigger: 'audit', at: '2026-11-21T02:59:00Z', loadBalancerId: `lb-${at}` };
      const kind = KINDS[kindOf(at)];
      return {
        state: 'unknown',
        reason: '',
        planSteps: 0,
        ...known,
        ...kind,
        object: `service/shop-${at % 7}/web-${at}`,
      };
    }),
    lastSweep: { at: AT, services: number, released: 0, nodes: 10, queued: 0, warnings: [] },
  };
}

async function details(number: number, path = '/'): ReturnType<typeof openPage> {
  const { app } = testServer({
    open: true,
    status: () => Promise.resolve(viewOf(number)),
    object: () => Promise.resolve(OBJECT),
  });
  const server = app.listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await new Promise((resolve) => server.once('listening', resolve));
  return openPage(`http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`);
}

const PART = { provisioningStatus: 'ACTIVE', operatingStatus: 'ONLINE', parts: [] };
const OBJECT: ObjectView = {
  ...{ cluster: 'prod-a', generatedAt: AT },
  row: {
    ...{ object: 'service/shop/web', state: 'settled', reason: 'as desired; drift, 1 to update' },
    ...{ address: '203.0.113.10', operatingStatus: 'DEGRADED', planSteps: 1, drift: 1 },
    ...{ loadBalancerId: '72c9a092-0fbf-4fc2-b465-e56224c9a2f5', trigger: 'sweep' },
    ...{ at: '2026-11-21T02:59:00Z', since: '2026-11-21T02:40:00Z', act: 'whoever owns the object' },
  },
  details: {
    at: '2026-11-21T02:59:58Z',
    tree: {
      ...PART,
      ...{
        kind: 'load balancer',
        title: 'kube_service_prod-a_shop_web',
        id: 'lb',
        operatingStatus: 'DEGRADED',
      },
      parts: [
        {
          ...{ ...PART, kind: 'listener', title: 'tcp/80', id: 'l' },
          parts: [
            {
              ...{ ...PART, kind: 'pool', title: 'tcp/80', id: 'p', operatingStatus: 'DEGRADED' },
              parts: [
                { ...PART, kind: 'monitor', title: 'tcp/80', id: 'h' },
                { ...PART, kind: 'member', title: 'node-1 (10.0.0.10:30080)', id: 'm1' },
                {
                  ...PART,
                  kind: 'member',
                  title: 'node-2 (10.0.0.11:30080)',
                  id: 'm2',
                  operatingStatus: 'ERROR',
                },
              ],
            },
          ],
        },
      ],
    },
    resources: [
      {
        ...{ address: 'pool/tcp/80', id: '0886535c-d28e-4807-85b9-922453357f1b', state: 'differs' },
        attributes: [
          { attribute: 'protocol', desired: '"TCP"', live: '"TCP"', differs: false },
          { attribute: 'lb_algorithm', desired: '"ROUND_ROBIN"', live: '"SOURCE_IP"', differs: true },
        ],
      },
      { address: 'lb', id: '72c9a092-0fbf-4fc2-b465-e56224c9a2f5', state: 'same', attributes: [] },
    ],
    values: [
      { setting: 'lb-method', value: '"ROUND_ROBIN"', setBy: 'cloud.conf lb-method' },
      {
        setting: 'timeout-client-data',
        port: 80,
        value: '50000',
        setBy: 'annotation levelset.openstack.org/timeout',
      },
    ],
    ignored: [
      {
        field: 'loadbalancer.openstack.org/class',
        value: 'gold',
        message: 'no such class; levelset ignores it',
      },
    ],
    plan: 'shop/web: 1 to update\n  ~ pool/tcp/80\n      lb_algorithm: "SOURCE_IP" -> "ROUND_ROBIN"',
    approve: '3f2a91c0',
  },
  runs: [
    {
      ...{ at: '2026-11-21T02:59:00Z', trigger: 'sweep', state: 'settled', reason: 'as desired' },
      ...{ did: 'wrote nothing', calls: 6, durationMs: 643, failedRequestIds: [] },
    },
    {
      ...{
        at: '2026-11-21T02:39:00Z',
        trigger: 'audit',
        cause: '5a3e0a4f',
        state: 'failed',
        code: 'CLOUD_UNAVAILABLE',
      },
      ...{ reason: 'Octavia answers 503', did: '1 update', calls: 4, durationMs: 1043 },
      failedRequestIds: ['req-1d2b7a3c-33f0-4c0a-9a55-1f0c7e8f2b11'],
    },
  ],
};

async function findingsOn(page: Page): Promise<unknown> {
  await page.evaluate(axe.source);
  return page.evaluate(
    `axe.run().then(({ violations }) => violations.map(({ id, nodes }) => [id, nodes.length, nodes[0].html]))`,
  );
}

const LIGHT = { dark: false, width: 1000, height: 640 };
const SHAPES: Readonly<Record<string, Required<ObjectDetails>>> = {
  light: LIGHT,
  dark: { ...LIGHT, dark: true },
  '360px': { ...LIGHT, width: 360, height: 740 },
};

const PAGES = [
  ['0 objects', 0, '/'],
  ['13 objects', 13, '/'],
  ['5000 objects', 5_000, '/'],
  ['one object', 1, '/objects/service/shop/web'],
] as const;

test.skipIf(noChromium).each(PAGES)(
  // no browser is there
  '%s in light, dark and at 360 px: axe-core finds nothing, and nothing is wider than the window',
  async (name, number, path) => {
    const { page, errors } = await details(number, path);
    for (const [shape, { dark, ...size }] of Object.entries(SHAPES)) {
      await page.emulateMedia({ colorScheme: dark ? 'dark' : 'light' });
      await page.setViewportSize(size);

      // of 5,000 objects the first page has no element that 13 do not have
      if (number < 5_000 || shape === 'light') expect(await findingsOn(page), shape).toEqual([]);
      expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth'), shape).toBe(0);
      const isOfDocs = shape === 'light' || number === 13 || path !== '/';
      if (isOfDocs) await keepScreenshot(page, `${name.replace(' ', '-')}-${shape}`);
    }
    expect(errors).toEqual([]);
  },
);

test.skipIf(noChromium)(
  // no browser is there
  '5,000 objects are painted soon, and a search while somebody types is in the address',
  async () => {
    const { page } = await details(5_000);
    const painted = await page.evaluate<number>(
      `new Promise((resolve) => {
        new PerformanceObserver((list) => resolve(list.getEntriesByName('first-contentful-paint')[0].startTime))
          .observe({ type: 'paint', buffered: true });
      })`,
    );
    console.log(`first paint with 5,000 objects after ${painted.toFixed(0)} ms`);
    expect(painted).toBeLessThan(5_000); // a busy machine
    expect(await page.locator('tr[id^="row:"]').count()).toBe(200);

    await page.getByLabel('Search').fill('web-4999');
    await page.getByText('1 of 5000', { exact: true }).waitFor({ timeout: 90_000 }); // a busy machine
    expect(new URL(page.url()).search).toBe('?q=web-4999');
    expect(await page.evaluate('document.activeElement.name')).toBe('q');
    await page.reload();
    expect(await page.locator('tr[id^="row:"]').count()).toBe(1);
  },
);
