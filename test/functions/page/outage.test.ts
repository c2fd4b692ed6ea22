/** The page lives through outages: of levelset, of the kube-apiserver, and keeps what somebody looks at (decision 375). */
import { expect, test } from 'vitest';
import type { StatusView } from '../../../shared/report/page.ts';
import { aService, sandboxWorld, until } from '../sandbox-world.ts';
import { running } from '../running.ts';
import { keepScreenshot, noChromium, openPage } from './chromium.ts';

test.skipIf(noChromium)(
  'focus, selection, scroll and open plans stay while rows come, and through outages that the page tells',
  async () => {
    const world = await sandboxWorld();
    const { sandbox } = world;
    const wrong = { 'loadbalancer.openstack.org/lb-method': 'RANDOM' };
    for (let i = 0; i < 8; i += 1) sandbox.kube.apply(aService(`web-${i}`, wrong));
    const { url, get, ...serving } = await running(world, { watch: true });
    const { page, errors } = await openPage(url, { width: 1000, height: 460 });
    const row = page.locator('[id="row:service/default/web-7"]');
    const summary = row.locator('summary');
    await summary.waitFor();
    await until('all are settled', async () => {
      const view = JSON.parse(await get('/?format=json')) as StatusView;
      return view.rows.length === 8 && view.rows.every(({ state }) => state === 'settled');
    });
    await page.reload();
    await summary.waitFor();

    await summary.click();
    await summary.focus();
    await page.evaluate(`{
      const pre = document.querySelector('[id="row:service/default/web-7"] pre');
      getSelection().selectAllChildren(pre);
      scrollTo(0, scrollY + document.activeElement.getBoundingClientRect().top - 200);
    }`);
    const seen = (): Promise<unknown> =>
      page.evaluate(`({
        open: [...document.querySelectorAll('details[open]')].map((one) => one.closest('tr').id),
        focus: document.activeElement.tagName + ' ' + document.activeElement.closest('tr')?.id,
        selected: String(getSelection()).includes('RANDOM'),
        top: Math.round(document.activeElement.getBoundingClientRect().top / 10),
      })`);
    const before = await seen();
    expect(before).toMatchObject({
      open: ['row:service/default/web-7'],
      focus: 'SUMMARY row:service/default/web-7',
      selected: true,
    });

    // rows come above it
    const { spec, ...aaa } = aService('aaa');
    sandbox.kube.apply({ ...aaa, spec: { ...spec, loadBalancerSourceRanges: ['x'] } });
    await page.locator('[id="row:service/default/aaa"]').waitFor();
    expect(await seen()).toEqual(before);

    // from here on it asks as often as if somebody came back to the tab all the time
    await page.evaluate(`void setInterval(() => document.dispatchEvent(new Event('visibilitychange')), 500)`);

    // the kube-apiserver is away: levelset says so, and the rows stay
    const back = sandbox.fault({ match: { side: 'kube' }, kind: 'reset-before', times: 1e6 });
    await page.locator('.outage').waitFor();
    expect(await page.locator('.outage').innerText()).toMatch(/^Not known: 9 of 9 objects, the first since /);
    expect(await row.innerText()).toMatch(/not known since \d+ s ago/);
    expect(await seen()).toMatchObject({ open: ['row:service/default/web-7'], selected: true });
    back();
    await page.locator('.outage').waitFor({ state: 'detached' });

    // levelset itself is away
    await serving.stop();
    await page.locator('body.is-stale').waitFor();
    expect(await page.title()).toMatch(/^\(away\) /);
    expect(await page.locator('#stale').innerText()).toMatch(/^Stale since .*: it does not answer\./);
    expect(await seen()).toMatchObject({ open: ['row:service/default/web-7'], selected: true });
    await page.evaluate('scrollTo(0, 0)');
    await keepScreenshot(page, 'outage');
    await running(world, { watch: true, listen: new URL(url).host });
    await page.locator('body:not(.is-stale)').waitFor();
    expect(await page.title()).not.toContain('away');
    expect(await seen()).toMatchObject({ open: ['row:service/default/web-7'] });
    expect(errors).toEqual([]);
  },
  120_000,
);
