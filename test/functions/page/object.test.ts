/** What a person asks at 3 a.m., and the page of one object, on a sandbox with damages (decision 375). */
import { expect, test } from 'vitest';
import type { StatusRow, StatusView } from '../../../shared/report/page.ts';
import type { ObjectView } from '../../../shared/report/page/object-view.ts';
import { aService, sandboxWorld, until } from '../sandbox-world.ts';
import { running } from '../running.ts';
import { expectReadable, noChromium, openPage } from './chromium.ts';
import { textOf } from './text-of.ts';

async function served() {
  const world = await sandboxWorld();
  const { url, get } = await running(world, { watch: true });
  return {
    ...{ sandbox: world.sandbox, url, get },
    /** A page as a person reads it. */
    text: async (path: string) => textOf(await get(path)),
    /** Resolves when the Service is in the state. */
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
  // no browser may be there
  if (noChromium === undefined)
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
  expect(page).toMatch(/What has no effect .*lb-method "RANDOM" must be ROUND_ROBIN/);
  for (const path of ['service/default/none', 'service/%3Cb%3E/x', 'all', 'x'])
    expect((await fetch(`${url}/objects/${path}`)).status, path).toBe(404);
  if (noChromium === undefined)
    await expectReadable(await openPage(`${url}/objects/service/default/web`), 'one-object');
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
