/** What a port speaks, and how it comes to speak something else: Octavia can change none of it in place. */
import { beforeEach, expect, it } from 'vitest';
import {
  addressOf,
  answeringNodes,
  apply,
  aService,
  askHttp,
  askLocation,
  CLIENT,
  longestOutage,
  startTraffic,
  treeOf,
  until,
  type Answer,
} from '../lab/lab.ts';
import { labWorld } from '../lab/lab-world.ts';

const world = labWorld({ nodes: ['e2e-protocols-1', 'e2e-protocols-2'] });
let url = '';
beforeEach(async () => {
  await deploy({});
  url = `http://${await addressOf(world.namespace, 'web')}/`;
  await until('every node to answer', async () => (await answeringNodes(url, 6)).size === world.nodes.length);
});

const deploy = (annotations: Record<string, string>): Promise<string> =>
  apply([aService(world.namespace, 'web', [{ port: 80 }], { annotations })]);

/** Until the port speaks as asked, with one pool again; what traffic met meanwhile. */
async function changeUnderTraffic(
  annotations: Record<string, string>,
  protocols: { readonly listener: string; readonly pool: string },
): Promise<{ readonly answers: readonly Answer[]; readonly emptied: number }> {
  const traffic = startTraffic(url, 30);
  let emptied = 0;
  await deploy(annotations);
  await until(
    `a ${protocols.pool} pool`,
    async () => {
      const { listeners, pools } = await treeOf(world.namespace, 'web');
      const inUse = pools.find(({ id }) => id === listeners[0]?.['default_pool_id']);
      if (inUse?.members.length === 0) emptied += 1;
      const [pool, ...others] = pools;
      const isThere =
        listeners[0]?.['protocol'] === protocols.listener && pool?.['protocol'] === protocols.pool;
      return isThere && others.length === 0 && inUse === pool;
    },
    { timeoutMs: 60_000, everyMs: 100 },
  );
  await new Promise((resolve) => setTimeout(resolve, 1_000));
  return { answers: await traffic.stop(), emptied };
}

it('the PROXY protocol comes with a new pool, complete before the listener turns to it, and goes the same way', async () => {
  const on = await changeUnderTraffic(
    { 'loadbalancer.openstack.org/proxy-protocol': 'v2' },
    { listener: 'TCP', pool: 'PROXYV2' },
  );
  expect(await askHttp(url)).toMatchObject({
    ok: true,
    proxy: expect.objectContaining({ source: CLIENT }) as unknown,
  });
  const off = await changeUnderTraffic({}, { listener: 'TCP', pool: 'TCP' });
  expect(await askHttp(url)).toMatchObject({ ok: true, proxy: null });

  for (const { answers, emptied } of [on, off]) {
    expect(emptied).toBe(0);
    expect(longestOutage('pool replaced', answers)).toBeLessThan(1_000);
  }
});

it('HTTP replaces the TCP listener once its pool is ready, and tells members whom they serve', async () => {
  const { answers, emptied } = await changeUnderTraffic(
    {
      'levelset.openstack.org/protocol.80': 'http',
      'levelset.openstack.org/insert-headers': 'X-Forwarded-For,X-Forwarded-Proto',
    },
    { listener: 'HTTP', pool: 'HTTP' },
  );

  const answer = await askHttp(url);
  expect(answer.ok && lowerCase(answer.headers)).toMatchObject({
    'x-forwarded-for': CLIENT,
    'x-forwarded-proto': 'http',
  });
  expect(emptied).toBe(0);
  // two writes of Octavia: measured 4.5 s on a quiet lab, 9.7 s beside other files
  expect(longestOutage('listener replaced', answers)).toBeLessThan(15_000);
});

it('a redirect sends HTTP to HTTPS, path and query kept, and is taken back', async () => {
  const http = { 'levelset.openstack.org/protocol': 'http' };
  await deploy({
    ...http,
    'levelset.openstack.org/redirect-http': 'true',
    'levelset.openstack.org/redirect-host': 'app.example.org',
    'levelset.openstack.org/redirect-http-code': '308',
  });
  await until(
    'a redirect',
    async () => (await askLocation(`${url}a?b=1`)) === '308 https://app.example.org/a?b=1',
    {
      timeoutMs: 60_000,
    },
  );

  await deploy({
    ...http,
    'levelset.openstack.org/redirect-http': 'true',
    'levelset.openstack.org/redirect-host': 'www.example.org',
  });
  await until('another host', async () => (await askLocation(url)) === '302 https://www.example.org/', {
    timeoutMs: 60_000,
  });

  await deploy(http);
  await until('a node to answer again', async () => (await askHttp(url)).ok, { timeoutMs: 60_000 });
});

function lowerCase(headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}
