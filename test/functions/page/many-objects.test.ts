/** How the page of all objects looks and works in a browser: WCAG AA by axe-core, filters, 5,000 rows (decision 375). */
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import type { StatusRow, StatusView } from '../../../shared/report/page.ts';
import { testServer } from '../../http/test-server.ts';
import { expectReadable, noChromium, openPage } from './chromium.ts';

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
  const server = app.listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  return openPage(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
}

test.skipIf(noChromium).each([0, 13])(
  // no browser is there
  '%i objects are readable in light, dark and at 360 px',
  async (number) => {
    await expectReadable(await open(number), `${number}-objects`);
  },
);

test.skipIf(noChromium)(
  // no browser is there
  '5,000 objects are painted soon, and a search while somebody types is in the address',
  async () => {
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
  },
);
