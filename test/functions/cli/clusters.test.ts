/** Commands over the clusters of a registry: two sandboxes with the same names in one OpenStack project. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Sandbox } from '../../../infra/sandbox/sandbox.ts';
import type { Texts } from '../../../shared/clusters/entry.ts';
import { failing } from '../../support/failing.ts';
import { aFolder } from '../../support/for-one-test.ts';
import { cloudConfFor, kubeconfigFor } from '../../support/sandbox-world.ts';
import { textsOf, twoSandboxes } from '../clusters/fleet.ts';
import { aService, silentUrl } from '../sandbox-world.ts';
import { addressOf } from '../../support/told.ts';
import { err, out, run } from './command-line.ts';

/** Two clusters with a Service `web` each, more entries, and a command line with --clusters. */
async function fleet(others: (a: Sandbox) => Readonly<Record<string, Texts>> = () => ({})) {
  const [a, b] = await twoSandboxes();
  const folder = aFolder();
  for (const { kube } of [a, b]) kube.apply(aService('web'));
  const entries = { a: textsOf('a', a, a), b: textsOf('b', b, a), ...others(a) };
  for (const [name, texts] of Object.entries(entries)) {
    mkdirSync(join(folder, name));
    for (const [text, content] of Object.entries(texts)) writeFileSync(join(folder, name, text), content);
  }
  const levelset = (line: string) =>
    run(`${line} --clusters=folder:${folder} --allow-local-servers=true`, {});
  return { a, b, levelset };
}

const uidOf = ({ kube }: Sandbox): string => kube.get('Namespace', '', 'kube-system')?.metadata.uid ?? '';
const lines = (): readonly string[] => out.flatMap((text) => text.split('\n').filter((line) => line !== ''));

test('plan goes through all clusters, and names those that it cannot read', async () => {
  const url = await silentUrl();
  const { a, b, levelset } = await fleet((it) => ({
    broken: { kubeconfig: 'no kubeconfig' },
    silent: { ...textsOf('silent', it, it), kubeconfig: kubeconfigFor(it).replace(it.kubeUrl, url) },
    twin: textsOf('twin', it, it),
  }));

  expect(await levelset('plan')).toBe(1);

  expect(lines().every((line) => /^(a|b): /.test(line))).toBe(true);
  const plans = ['a', 'b'].map((name) => `${name}: default/web: 2 to create`);
  expect(lines().filter((line) => line.includes('default/web: '))).toEqual(plans);
  expect(err.join('\n').split('\n')).toEqual([
    expect.stringMatching(/^levelset: broken: cloud.conf is missing: /),
    expect.stringMatching(/^levelset: silent: the kube-apiserver has not said which cluster it is: /),
    'levelset: twin: it is the cluster of the entry a, too: take one of the two away',
    'levelset: exit 1: broken, silent, twin',
  ]);
  expect([addressOf(a), addressOf(b)]).toEqual([undefined, undefined]);
});

test('sweep works on all clusters, and each line, object and exit code has its cluster', async () => {
  const { a, b, levelset } = await fleet();

  expect(await levelset('plan --cluster=b -o json service/default/web')).toBe(0);
  expect(JSON.parse(out.pop() ?? '')).toMatchObject([{ cluster: 'b', services: ['default/web'] }]);
  expect(await levelset('sweep')).toBe(2);
  expect(lines()[0]).toMatch(/^a: service\/default\/web: progressing, /);
  expect(lines().every((line) => /^(a|b): /.test(line))).toBe(true);
  expect(err).toEqual(['levelset: exit 2: a, b']);

  expect(await levelset('reconcile --wait --cluster=a service/default/web')).toBe(0);
  expect(out.at(-1)).toMatch(/^a: service\/default\/web: settled, /);
  expect(addressOf(a)).toBeDefined();
  expect(addressOf(b)).toBeUndefined();
  expect(await levelset('reconcile --wait --cluster=b all')).toBe(0);

  for (const listener of a.cloud.listeners) Object.assign(listener, { connection_limit: 7 });
  for (const lb of a.cloud.loadbalancers) Object.assign(lb, { updated_at: '2099-01-01T00:00:00' });
  expect(await levelset('drift -o json')).toBe(2);
  expect(JSON.parse(out.at(-1) ?? '')).toMatchObject([{ cluster: 'a' }, { cluster: 'b' }]);
  expect(err.at(-1)).toBe('levelset: exit 2: a, b');
});

test('what works on one cluster needs its name, and an unknown one is told with those that there are', async () => {
  const { levelset } = await fleet();

  for (const line of ['reconcile routes', 'gc']) expect(await levelset(line)).toBe(1);
  for (const line of ['plan', 'sweep', 'drift', 'reconcile routes', 'gc'])
    expect(await levelset(`${line} --cluster=prod-x`)).toBe(1);
  expect(await run('plan --cluster=a', {})).toBe(1);

  const missing = '--cluster is missing: this command works on one cluster: give one of a, b';
  const unknown = '--cluster "prod-x" is not an entry of --clusters: give one of a, b';
  expect(err).toEqual([
    ...Array.from({ length: 2 }, () => `levelset: ${missing}`),
    ...Array.from({ length: 5 }, () => `levelset: ${unknown}`),
    'levelset: --cluster names an entry of --clusters: give both, or none',
  ]);
  expect(out).toEqual([]);
});

test('gc works in the project of one entry, and touches no cluster of any', async () => {
  const { a, b, levelset } = await fleet();
  for (const name of ['a', 'b']) expect(await levelset(`reconcile --wait --cluster=${name} all`)).toBe(0);
  out.length = 0;
  const lately = '--cluster=a --unwritten-for=1ms';

  expect(await levelset('gc --cluster=a')).toBe(0);
  const whose = [`${uidOf(a)} (the cluster of the entry a)`, `${uidOf(b)} (the cluster of the entry b)`];
  const listed = lines().map((line) => line.replace(/ {2}.*/, ''));
  expect(listed.sort()).toEqual(whose.sort());
  expect(await levelset(`gc ${uidOf(b)} ${lately}`)).toBe(1);
  expect(out.at(-1)).toContain('this is the cluster of the entry b');

  const gone = '0b9d8e7f-0000-4000-8000-00000000000c';
  for (const lb of a.cloud.loadbalancers)
    Object.assign(lb, { tags: lb.tags.map((tag) => tag.replace(uidOf(b), gone)) });
  for (const listener of a.cloud.listeners)
    Object.assign(listener, { tags: (listener.tags as string[]).map((tag) => tag.replace(uidOf(b), gone)) });
  for (const member of a.cloud.members) Object.assign(member, { operating_status: 'ERROR' });
  expect(await levelset(`gc ${gone} ${lately}`)).toBe(0);
  const [, asked, hash] = /levelset gc (.*) --approve=(\w+)$/.exec(out.at(-1) ?? '') ?? [];
  expect(asked).toMatch(new RegExp(`^--clusters=folder:.* --cluster=a ${gone}$`));
  failing(b, 'GET', /^\/api/, 403);
  expect(await levelset(`gc ${gone} ${lately} --approve=${hash}`)).toBe(1);
  expect(out.at(-1)).toContain('it may be the cluster of b');
  expect(a.cloud.loadbalancers).toHaveLength(2);
});

test('the doctor looks at each cluster, and names the entry that is wrong without what it says', async () => {
  const { levelset } = await fleet((a) => ({
    broken: { ...textsOf('broken', a, a), 'cloud.conf': cloudConfFor('http://127.0.0.1:9/secret-path/v3') },
  }));

  expect(await levelset('doctor -o json')).toBe(1);

  const found = JSON.parse(out.at(-1) ?? '') as readonly { cluster: string; level: string; what: string }[];
  const failures = found.filter(({ level }) => level === 'failure');
  expect([...new Set(found.map(({ cluster }) => cluster))].toSorted()).toEqual(['a', 'b', 'broken']);
  expect(failures.map(({ cluster }) => cluster)).toEqual(['broken']);
  expect(failures[0]?.what).toMatch(/^Keystone does not answer: .*\(cloud\.conf of the entry broken\)$/);
  expect(JSON.stringify(failures)).not.toContain('secret-path');
  expect(await levelset('doctor --cluster a')).toBe(0);
});
