import { readFile, stat, writeFile } from 'node:fs/promises';
import { join, dirname } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { aTlsSecret, keyOfPair } from '../../../support/tls-secret.ts';
import { joinNode } from '../../../support/nodes.ts';
import { withoutSecrets } from '../../../../functions/cli/bundle/bundle.ts';
import { failing } from '../../../support/failing.ts';
import { aConfig } from '../../../support/config.ts';
import { aService, replaceIn, sandboxWorld, type SandboxWorld } from '../../sandbox-world.ts';
import { err, out, run } from '../command-line.ts';

/** What must stand in no bundle, wherever it was planted. */
const PLANTED = 'planted-secret-';

/** Where the bundle goes: the folder of the sandbox's files, which goes with it. */
const fileOf = ({ flags }: SandboxWorld, name = 'bundle.json.gz') => join(dirname(flags.cloudConfig), name);

const base64 = (text: string): string => Buffer.from(text).toString('base64');

/** A Secret, a Pod, a Service, Nodes and servers, each with secrets wherever people put them. */
function plant({ sandbox: { kube, cloud } }: SandboxWorld): void {
  const annotations = {
    'kubectl.kubernetes.io/last-applied-configuration': `{"stringData":"${PLANTED}applied"}`,
    'example.org/token': `${PLANTED}annotation`,
  };
  const { data, ...secret } = aTlsSecret('one', { name: 'cert' });
  kube.apply({ kind: 'Secret', ...secret, data: { ...data, other: base64(`${PLANTED}data`) } });
  kube.apply({ kind: 'Secret', metadata: { name: 'cert', namespace: 'default', annotations } });
  kube.apply(aService('tls', { ...annotations, 'levelset.openstack.org/tls-secret': 'cert' }));
  const ofPods = aService('pods', annotations);
  kube.apply({ ...ofPods, spec: { ...ofPods.spec, allocateLoadBalancerNodePorts: false } });
  kube.apply({
    ...{ apiVersion: 'v1', kind: 'Pod' },
    metadata: { name: 'pods-1', namespace: 'default', labels: { app: 'pods' }, annotations },
    spec: { nodeName: 'node-1', containers: [{ env: [{ name: 'PASSWORD', value: `${PLANTED}env` }] }] },
    status: { phase: 'Running', podIPs: [{ ip: '10.244.0.5' }] },
  });
  kube.apply({ kind: 'Node', metadata: { name: 'node-1', annotations } });
  const { server } = joinNode({ cloud, kube }, 'worker-1');
  Object.assign(server, {
    metadata: { password: `${PLANTED}metadata` },
    'OS-EXT-SRV-ATTR:user_data': base64(`${PLANTED}user-data`),
    key_name: `${PLANTED}key-name`,
  });
}

test('a bundle has no secret, and replay plans it without a network', async () => {
  const world = await sandboxWorld();
  const { sandbox, env, flags } = world;
  plant(world);
  sandbox.keystone.changePassword('demo', `${PLANTED}password`);
  await replaceIn(flags.cloudConfig, 'password = demo', `password = ${PLANTED}password`);
  const more = { LEVELSET_AUDIT_TOKENS: `${PLANTED}audit-token-of-some-length` };
  const file = fileOf(world);

  expect(await run('plan', { ...env, ...more })).toBe(0);
  const plan = out.at(-1) ?? '';
  expect(plan).toContain('default/tls: ');
  expect(await run(`support-bundle -o ${file}`, { ...env, ...more })).toBe(0);
  expect(out.at(-1)).toMatch(/^\S+bundle\.json\.gz: \d+ reads, \d+ KiB, without secrets/);
  expect((await stat(file)).mode & 0o777).toBe(0o600);

  const text = gunzipSync(await readFile(file)).toString('utf8');
  for (const secret of [PLANTED, base64(PLANTED).slice(0, 16), sandbox.kubeToken, sandbox.adminToken])
    expect(text).not.toContain(secret);
  expect(text).not.toMatch(/PRIVATE KEY|x-auth-token/i);
  expect(text).not.toContain(base64(keyOfPair('one')).slice(100, 140));

  await sandbox.close();
  const asked = sandbox.requests.length;
  expect(await run(`replay ${file}`, {})).toBe(0);
  expect(out.at(-1)).toBe(plan);
  expect(err.join('\n')).not.toContain('planned otherwise');
  expect(sandbox.requests).toHaveLength(asked);
});

const noCloud = ({ sandbox, flags }: SandboxWorld) =>
  replaceIn(flags.cloudConfig, sandbox.authUrl, 'http://127.0.0.1:9/v3');
test.each<[string, (world: SandboxWorld) => unknown]>([
  ['refuses to list subnets', ({ sandbox }) => failing(sandbox, 'GET', /\/v2.0\/subnets/, 403)],
  ['is nowhere', noCloud],
])('a bundle where OpenStack %s has what failed, and the exit code of plan', async (_, breaks) => {
  const world = await sandboxWorld();
  const { env } = world;
  world.sandbox.kube.apply(aService('web'));
  await breaks(world);
  const file = fileOf(world, 'bundle.json');

  expect(await run('plan', env)).toBe(1);
  const said = err.at(-1)?.replace('levelset: ', '') ?? '';
  expect(await run(`support-bundle --bundle-file ${file}`, env)).toBe(1);
  expect(await run(`replay ${file}`, {})).toBe(1);
  expect(err.at(-1)).toContain(said);
});

test('a bundle that cannot be written is refused before anything is planned, and one written over is private', async () => {
  const world = await sandboxWorld();
  const before = world.sandbox.requests.length;
  expect(await run('support-bundle -o /nope/bundle.json', world.env)).toBe(1);
  expect(err.join()).toContain('-o /nope/bundle.json: /nope is not a folder that this user may write to');
  expect(world.sandbox.requests.slice(before)).toEqual([]);
  const file = fileOf(world);
  await writeFile(file, 'old', { mode: 0o644 });
  expect(await run(`support-bundle -o ${file}`, world.env)).toBe(0);
  expect((await stat(file)).mode & 0o777).toBe(0o600);
});

test('replay says what is no bundle', async () => {
  const world = await sandboxWorld();
  const file = fileOf(world, 'bundle.json');
  const say = async (content: string): Promise<string> => {
    await writeFile(file, content);
    expect(await run(`replay ${file}`, {})).toBe(1);
    return err.at(-1) ?? '';
  };
  expect(await say('{"kind":"List"}')).toMatch(/bundle\.json is no bundle: give a file that/);
  expect(await say('{"bundle":2,"reads":{}}')).toMatch(/is a bundle of another format \(2\)/);
  expect(await say('\u001f\u008b')).toMatch(/is no bundle/);
  expect(await say('{"bundle":1,"reads":{}}')).toMatch(/is no bundle/);
  expect(await say(JSON.stringify({ bundle: 'x'.repeat(10_000), reads: {} }))).toMatch(/^.{1,600}$/);
  expect(await run('replay /nowhere/bundle.json', {})).toBe(1);
  expect(err.at(-1)).toMatch(/\/nowhere\/bundle.json cannot be read: ENOENT/);
});

test('nothing that a stranger wrote into a bundle reaches the terminal as it is', async () => {
  const world = await sandboxWorld();
  const file = fileOf(world, 'bundle.json');
  expect(await run(`support-bundle -o ${file}`, world.env)).toBe(0);
  const bundle = JSON.parse(await readFile(file, 'utf8')) as object;
  const seen = '\u001b]0;title\u0007\u001b[2J';
  const replayed = async (changed: object): Promise<void> => {
    await writeFile(file, JSON.stringify({ ...bundle, ...changed }));
    await run(`replay ${file}`, {});
  };
  await replayed({ version: seen, plan: { code: 0, text: `${seen}\n${seen}` } });
  expect(err.at(-1)).toContain('planned otherwise there');
  const refused = [{ error: { code: '__proto__', message: seen } }];
  await replayed({ reads: { 'kube.clusterId()': refused, 'kube.listServices()': refused } });
  expect(err.at(-1)).toContain('title');
  // eslint-disable-next-line no-control-regex -- what a terminal obeys
  expect(err.join('\n')).not.toMatch(/[\u0000-\u0009\u000b-\u001f]/);
});

test('tokens that a server repeats, and the password of a proxy, are taken out', () => {
  const HTTPS_PROXY = 'http://me:p%40ssw0rd-proxy@proxy.example:3128';
  const env = { HTTPS_PROXY, AWS_SECRET_ACCESS_KEY: 'd'.repeat(40) };
  const jwt = `eyJhbGciOiJSUzI1NiJ9.${'a'.repeat(40)}.${'b'.repeat(40)}`;
  const fernet = `gAAAAABm${'c'.repeat(60)}`;
  const said = [jwt, fernet, 'p%40ssw0rd-proxy', 'p@ssw0rd-proxy', 'd'.repeat(40)];
  const text = JSON.stringify(['Authorization: Bearer opaque-token-1', ...said]);
  const redacted = ['Authorization: Bearer REDACTED', ...said.map(() => 'REDACTED')];
  expect(JSON.parse(withoutSecrets(text, aConfig(), env))).toEqual(redacted);
});
