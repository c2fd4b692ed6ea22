import { expect, test } from 'vitest';
import { COLOURS, reportAsHtml } from '../../../../functions/cli/adopt/report-as-html.ts';
import type { Adoption } from '../../../../functions/cli/adopt/judge-plans.ts';
import { aService, sandboxWorld, until } from '../../sandbox-world.ts';
import { err, out, run } from '../command-line.ts';

test('counts what plans empty, what is pending and what is a problem, and changes nothing', async () => {
  const { sandbox, env } = await sandboxWorld({ pendingMs: 1 });
  const { cloud, kube } = sandbox;
  for (const name of ['web', 'api', 'old']) kube.apply(aService(name));
  await until('all have an address', async () => (await run('sweep', env)) === 0);
  // as another controller left it: without levelset's tags
  for (const row of [...cloud.loadbalancers, ...cloud.listeners, ...cloud.pools, ...cloud.floatingips])
    Object.assign(row, { tags: [] });
  const writes = (): number =>
    sandbox.requests.filter(({ write, path }) => write && !path.includes('/auth/')).length;
  const before = writes();

  expect(await run('adopt --report', env)).toBe(0);
  expect(out.at(-1)).toMatch(/\n\n\d+ will plan empty, 0 have pending changes, 0 have problems$/);

  const listener = cloud.listeners.find(({ name }) => name.includes('api'));
  Object.assign(listener ?? {}, { connection_limit: 7, updated_at: cloud.octaviaTime() });
  kube.apply(aService('old', { 'loadbalancer.openstack.org/flavor-id': 'no-id' }));
  expect(await run('adopt --report -o json', env)).toBe(1);
  const rows = JSON.parse(out.at(-1) ?? '') as readonly Adoption[];
  const stateOf = (name: string): string | undefined => rows.find((row) => row.name === name)?.state;
  expect([stateOf('default/old'), stateOf('default/api'), stateOf('default/web')]).toEqual([
    'problem',
    'pending',
    'empty',
  ]);
  expect(rows[0]?.because.join()).toContain('flavor-id');
  expect(await run('adopt --report -o html', env)).toBe(1);
  expect(out.at(-1)).toContain('1 has pending changes, 1 has problems');
  expect(writes()).toBe(before);
});

test('names a Service whose load balancer levelset does not recognise', async () => {
  const { sandbox, env } = await sandboxWorld({ pendingMs: 1 });
  sandbox.kube.apply({
    ...aService('web'),
    status: { loadBalancer: { ingress: [{ ip: '203.0.113.77' }] } },
  });
  expect(await run('adopt --report', env)).toBe(1);
  expect(out.at(-1)).toMatch(
    /^problem: default\/web\n {2}default\/web has an address, and levelset would make a new load balancer: .* give --cluster-name the name .* annotation loadbalancer.openstack.org\/load-balancer-id$/m,
  );
});

test('needs --report, and one of the formats', async () => {
  const { env } = await sandboxWorld();
  expect(await run('adopt', env)).toBe(1);
  expect(err.at(-1)).toContain('adopt needs --report');
  expect(await run('adopt --report -o pdf', env)).toBe(1);
  expect(err.at(-1)).toContain('--report-format = "pdf" is not allowed: give one of text, json, html');
});

test('the HTML escapes everything, and loads and runs nothing', () => {
  const evil = `</pre><script>alert("1")</script><img src='x'>&`;
  const about = { clusterName: evil, atMs: 0, version: evil, incomplete: true };
  const html = reportAsHtml(
    [{ name: evil, state: 'problem', because: [evil], approve: evil, plan: evil }],
    about,
  );
  expect(html).not.toMatch(/<(script|img|link|iframe)|\b(src|href)="|alert\("/);
  expect(html.split('&lt;/pre&gt;&lt;script&gt;alert(&quot;1&quot;)')).toHaveLength(9);
  expect(html).toMatch(
    /<html lang="en">[^]*<title>[^]*<main>[^]*<caption>[^]*<th scope="col">[^]*<th scope="row">/,
  );
});

/** WCAG 2.2, "contrast ratio". */
function contrast(a: string, b: string): number {
  const [light = 0, dark = 0] = [a, b].map(luminance).toSorted((one, other) => other - one);
  return (light + 0.05) / (dark + 0.05);
}

function luminance(colour: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(colour.slice(at, at + 2), 16) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

test.each(Object.entries(COLOURS))(
  'every text can be read, %s',
  (_, { ground, code, text, quiet, problem, pending, empty }) => {
    for (const colour of [text, quiet, problem, pending, empty])
      expect(contrast(colour, ground), colour).toBeGreaterThanOrEqual(4.5);
    expect(contrast(text, code)).toBeGreaterThanOrEqual(4.5);
  },
);
