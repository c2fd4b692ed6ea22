/** What a person asks at 3 a.m., and the page of one object, on a sandbox with damages (decision 375). */
import { expect, onTestFinished, test } from 'vitest';
import { serve } from '../../../functions/serve.ts';
import type { StatusRow, StatusView } from '../../../shared/report/page.ts';
import type { ObjectView } from '../../../shared/report/page/object-view.ts';
import { aService, sandboxWorld, until, type SandboxWorld } from '../sandbox-world.ts';
import { QUIET } from './quiet.ts';
import { textOf } from './text-of.ts';

interface Served extends Pick<SandboxWorld, 'sandbox'> {
  readonly url: string;
  /** Resolves when the Service is in the state. */
  readonly state: (name: string, state: StatusRow['state']) => Promise<void>;
  /** The text of a page as a person reads it. */
  readonly text: (path: string) => Promise<string>;
}

async function served(): Promise<Served> {
  const { sandbox, flags } = await sandboxWorld();
  const serving = await serve({
    flags: { ...flags, listen: '127.0.0.1:0', watch: true },
    env: { LEVELSET_RESYNC_TOKENS: 'a-token-of-twenty-characters' },
    log: QUIET,
  });
  onTestFinished(() => serving.stop());
  const { url } = serving;
  return {
    ...{ sandbox, url },
    text: async (path) =>
      textOf(await (await fetch(url + path, { headers: { Accept: 'text/html' } })).text()),
    state: (name, state) =>
      until(`${name} is ${state}`, async () => {
        const view = (await (await fetch(`${url}/?format=json`)).json()) as StatusView;
        return view.rows.some((row) => row.object === `service/default/${name}` && row.state === state);
      }),
  };
}

test('what is broken, since when, why, who must act and what comes next stands on the page, and on that of the object', async () => {
  const { sandbox, state, text } = await served();
  Object.assign(sandbox.cloud.quotas, { load_balancer: 0 });
  sandbox.kube.apply(aService('web'));
  await state('web', 'failed');

  const all = await text('/');
  expect(all).toMatch(/1 needs a person/);
  expect(all).toMatch(/Needs a person default\/web – failed first seen \d+ s ago/);
  expect(all).toMatch(/quota/i);
  expect(all).toMatch(/Who must act whoever .*: raise the quota of the project/);
  expect(all).toMatch(/Next levelset runs again (in \d+ (s|min)|now) at the latest/);

  const one = await text('/objects/service/default/web');
  expect(one).toMatch(
    /Serving – As desired failed Since \d+ s ago Why .*quota.* Who must act whoever .*quota.* Next levelset runs again (in \d+ (s|min)|now) at the latest/i,
  );
  expect(one).toMatch(/s ago sweep failed QUOTA_EXCEEDED quota .* wrote nothing \d+ \d+ ms/);
  expect(one).toContain('lb is missing');
});

test('the page of a Service has its tree, desired beside live, runs, and what set each value', async () => {
  const { sandbox, state, text } = await served();
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
  expect(page).toContain('~ pool/tcp/80');
  expect(page).toMatch(/s ago requeue settled as desired wrote nothing \d+ \d+ ms/);
  expect(page).toContain('lb-method "ROUND_ROBIN" the default');
  expect(page).toMatch(/What has no effect .*lb-method "RANDOM" must be ROUND_ROBIN/);
});

test('what levelset does not know has no page', async () => {
  const { url } = await served();
  for (const path of ['service/default/none', 'service/%3Cb%3E/x', 'all', 'x']) {
    const answer = await fetch(`${url}/objects/${path}`, { headers: { Accept: 'text/html' } });
    expect([answer.status, answer.headers.get('content-type')]).toEqual([
      404,
      'application/json; charset=utf-8',
    ]);
  }
});

test('twenty readers cost one look, and while OpenStack is away the page says so and has what is known', async () => {
  const { sandbox, url, state, text } = await served();
  for (const name of ['read', 'unread']) sandbox.kube.apply(aService(name));
  for (const name of ['read', 'unread']) await state(name, 'settled');
  const details = async (): Promise<string | undefined> => {
    const answer = await fetch(`${url}/objects/service/default/read?format=json`);
    return ((await answer.json()) as ObjectView).details?.at;
  };
  const looks = await Promise.all(Array.from({ length: 20 }, details));
  expect(new Set(looks).size).toBe(1);

  sandbox.fault({ match: { side: 'openstack' }, kind: 'reset-before', times: 1e6 });
  expect(await details()).toBe(looks[0]);
  const page = await text('/objects/service/default/unread');
  expect(page).toMatch(/levelset cannot look at the object now: .*Why as desired/);
});
