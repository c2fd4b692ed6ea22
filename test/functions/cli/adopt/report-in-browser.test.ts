/** The report of `levelset adopt --report -o html` as a browser shows it. SCREENSHOTS=1 renews docs/screenshots. */
import { writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import axe from 'axe-core';
import { expect, test } from 'vitest';
import { noChromium, openPage } from '../../page/chromium.ts';
import { aService, sandboxWorld, until } from '../../sandbox-world.ts';
import { out, run } from '../command-line.ts';

/** A cluster that another controller looked after: some plan empty, one changes, one waits for approval, two are problems. */
async function aReport(): Promise<string> {
  const { sandbox, env, flags } = await sandboxWorld({ pendingMs: 1 });
  const { cloud, kube } = sandbox;
  const names = ['api', 'docs', 'mail', 'old', 'shop', 'web'];
  for (const name of names) kube.apply(aService(name));
  await until('all have an address', async () => (await run('sweep', env)) === 0);
  for (const row of [...cloud.loadbalancers, ...cloud.listeners, ...cloud.pools, ...cloud.floatingips])
    Object.assign(row, { tags: [] });
  const listener = cloud.listeners.find(({ name }) => name.includes('api'));
  Object.assign(listener ?? {}, { connection_limit: 7, updated_at: cloud.octaviaTime() });
  kube.apply(aService('old', { 'loadbalancer.openstack.org/flavor-id': 'no-id' }));
  kube.apply({ ...aService('lost'), status: { loadBalancer: { ingress: [{ ip: '203.0.113.77' }] } } });
  expect(await run('adopt --report -o html', env)).toBe(1);
  const file = join(dirname(flags.cloudConfig), 'report.html');
  await writeFile(file, out.at(-1) ?? '');
  return `file://${file}`;
}

test.skipIf(noChromium !== undefined)(
  'can be read in light, in dark and on a telephone',
  { timeout: 120_000 },
  async () => {
    const url = await aReport();
    for (const [name, width, dark] of [
      ['light', 1280, false],
      ['dark', 1280, true],
      ['narrow', 360, false],
    ] as const) {
      const { page, errors } = await openPage(url, { width, dark });
      const plan = page.locator('details').first();
      await plan.locator('summary').focus();
      await page.keyboard.press('Enter');
      expect(await plan.locator('pre').isVisible()).toBe(true);
      // no name is broken inside a word
      const lines = await page.evaluate(
        `[...document.querySelectorAll('tbody th')].map((cell) => { const range = document.createRange(); range.selectNodeContents(cell); return range.getClientRects().length; })`,
      );
      expect(new Set(lines as number[])).toEqual(new Set([1]));
      if (process.env['SCREENSHOTS'])
        await page.screenshot({ path: `docs/screenshots/adopt-report-${name}.png`, fullPage: true });
      expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
      await page.evaluate(axe.source);
      const { violations } = await page.evaluate<{ violations: { id: string }[] }>('axe.run()');
      expect(violations.map(({ id }) => id)).toEqual([]);
      expect(errors).toEqual([]);
    }
  },
);
