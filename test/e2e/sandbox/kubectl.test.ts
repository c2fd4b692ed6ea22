/** The real kubectl against the sandbox's kube-apiserver. OpenStack and the lab's cluster take no part. */
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { writeAccess, type SandboxAccess } from '../../../functions/sandbox/access-files.ts';
import { startSandbox, type Sandbox } from '../../../infra/sandbox/sandbox.ts';
import { lab } from '../lab/environment.ts';
import { run, type Ran } from '../lab/run.ts';
import { until } from '../lab/until.ts';

const cache = mkdtempSync(join(tmpdir(), 'levelset-kubectl-'));
const manifest = join(cache, 'web.yaml');
let sandbox: Sandbox;
let access: SandboxAccess;

beforeAll(async () => {
  sandbox = await startSandbox({ kubeTls: true });
  access = await writeAccess(sandbox);
});
afterAll(async () => {
  await sandbox.close();
  for (const directory of [access.directory, cache]) rmSync(directory, { recursive: true });
});

const flags = (kubeconfig = access.variables['KUBECONFIG'] ?? ''): string[] => [
  ...['--kubeconfig', kubeconfig, '--cache-dir', join(cache, 'cache')],
];
const kubectl = (...args: string[]): Promise<Ran> => run(lab().kubectl, [...flags(), ...args]);
const asLevelset = (...args: string[]): Promise<Ran> =>
  run(lab().kubectl, [...flags(access.levelsetKubeconfig), ...args]);

/** The words of each line. */
const wordsOf = ({ stdout, stderr, code }: Ran): string[][] => {
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return stdout
    .trimEnd()
    .split('\n')
    .map((line) => line.split(/\s{2,}/));
};

const web = (port: number): string => `apiVersion: v1
kind: Service
metadata:
  name: web
  annotations: { levelset.openstack.org/internal: "true" }
spec:
  type: LoadBalancer
  selector: { app: web }
  ports: [{ name: http, port: ${port} }]
`;

describe.each([['on the client'], ['on the server', '--server-side']])('apply %s', (_where, ...how) => {
  it('creates, changes, shows and deletes a Service', async () => {
    writeFileSync(manifest, web(80));
    const apply = (...more: string[]): Promise<Ran> => kubectl('apply', ...how, ...more, '-f', manifest);
    const [made, serverSide] = how.length > 0 ? ['serverside-applied', true] : ['created', false];
    expect(await apply('--dry-run=server')).toMatchObject({
      code: 0,
      stdout: `service/web ${made} (server dry run)\n`,
    });
    expect(await apply()).toMatchObject({ code: 0, stderr: '', stdout: `service/web ${made}\n` });
    const again = serverSide ? made : 'unchanged';
    const { resourceVersion } = sandbox.kube.get('Service', 'default', 'web')?.metadata ?? {};
    expect(await apply()).toMatchObject({ code: 0, stdout: `service/web ${again}\n` });
    expect(sandbox.kube.get('Service', 'default', 'web')?.metadata.resourceVersion).toBe(resourceVersion);
    writeFileSync(manifest, web(8080));
    expect((await kubectl('diff', ...how, '-f', manifest)).stdout).toMatch(
      /^-.*port: 80$[^]*^\+.*port: 8080$/m,
    );
    expect((await apply()).stdout).toBe(`service/web ${serverSide ? made : 'configured'}\n`);
    const [head, row] = wordsOf(await kubectl('get', 'svc', 'web', '-o', 'wide'));
    expect(head).toEqual(['NAME', 'TYPE', 'CLUSTER-IP', 'EXTERNAL-IP', 'PORT(S)', 'AGE', 'SELECTOR']);
    expect(row?.slice(3)).toEqual([
      '<pending>',
      expect.stringMatching(/^8080:3\d{4}\/TCP$/),
      expect.anything(),
      'app=web',
    ]);
    const described = await kubectl('describe', 'svc', 'web');
    expect(described.stdout).toMatch(/^Port:\s+http\s+8080\/TCP$/m);
    expect(await kubectl('delete', '-f', manifest)).toMatchObject({ code: 0, stderr: '' });
    expect((await kubectl('get', 'svc', 'web')).stderr).toBe(
      'Error from server (NotFound): services "web" not found\n',
    );
  });
});

it('shows Nodes, everything, what there is, and explains it', async () => {
  const nodes = wordsOf(await kubectl('get', 'nodes'));
  expect(nodes.slice(1).map((row) => row.slice(0, 2))).toEqual(
    [1, 2, 3].map((at) => [`node-${at}`, 'Ready']),
  );
  expect((await kubectl('describe', 'node', 'node-1')).stdout).toMatch(
    /^ProviderID:\s+openstack:\/\/\/\S+$/m,
  );
  const known = wordsOf(await kubectl('api-resources', '-o', 'name')).flat();
  expect(known).toContain('endpointslices.discovery.k8s.io');
  expect((await kubectl('explain', 'service.spec.ports.nodePort')).stdout).toContain(
    'FIELD: nodePort <integer>',
  );
  const { stderr, code } = await kubectl('get', 'deployments');
  expect({ stderr, code }).toEqual({
    stderr: `error: the server doesn't have a resource type "deployments"\n`,
    code: 1,
  });
});

it('makes what kubectl sends as protobuf', async () => {
  expect((await kubectl('create', 'namespace', 'shop')).stdout).toBe('namespace/shop created\n');
  expect((await kubectl('-n', 'shop', 'create', 'service', 'loadbalancer', 'a', '--tcp=80:http')).code).toBe(
    0,
  );
  const made = sandbox.kube.get('Service', 'shop', 'a');
  expect(made).toMatchObject({
    metadata: { labels: { app: 'a' } },
    spec: { type: 'LoadBalancer', ports: [{ port: 80, targetPort: 'http' }], selector: { app: 'a' } },
  });
  await kubectl('-n', 'shop', 'create', 'secret', 'generic', 's', `--from-literal=a=${'b'.repeat(300)}`);
  const held = sandbox.kube.get('Secret', 'shop', 's')?.['data'];
  expect(held).toEqual({ a: Buffer.from('b'.repeat(300)).toString('base64') });
  expect((await kubectl('delete', 'namespace', 'shop')).code).toBe(0);
});

it('changes annotations, labels, taints and single fields', async () => {
  await kubectl('create', 'service', 'loadbalancer', 'b', '--tcp=80:80');
  const changes = [
    ['annotate', 'svc', 'b', 'x=y'],
    ['label', 'node', 'node-1', 'x=y'],
    ['taint', 'node', 'node-1', 'x=y:NoSchedule'],
    ['cordon', 'node-1'],
    ['patch', 'svc', 'b', '-p', '{"spec": {"externalTrafficPolicy": "Local"}}'],
    [
      'patch',
      'svc',
      'b',
      '--type=json',
      '-p',
      '[{"op": "add", "path": "/spec/loadBalancerClass", "value": "a/b"}]',
    ],
  ];
  for (const change of changes) expect(await kubectl(...change)).toMatchObject({ code: 0, stderr: '' });
  expect(sandbox.kube.get('Service', 'default', 'b')).toMatchObject({
    metadata: { annotations: { x: 'y' } },
    spec: { externalTrafficPolicy: 'Local', loadBalancerClass: 'a/b' },
  });
  const node = sandbox.kube.get('Node', undefined, 'node-1');
  expect(node).toMatchObject({
    metadata: { labels: { x: 'y' } },
    spec: { unschedulable: true, taints: [{ key: 'x' }] },
  });
  await kubectl('delete', 'svc', 'b');
});

it('knows who asks, and what they may do', async () => {
  expect((await kubectl('auth', 'whoami')).stdout).toMatch(/^Username\s+kubernetes-admin$/m);
  expect((await kubectl('auth', 'can-i', 'delete', 'services')).stdout).toBe('yes\n');
  const refused = await asLevelset('auth', 'can-i', 'delete', 'services');
  expect([refused.code, refused.stdout.slice(0, 2)]).toEqual([1, 'no']);
  expect((await asLevelset('auth', 'can-i', '--list')).stdout).toMatch(
    /^services\/status\s+\[\]\s+\[\]\s+\[patch\]$/m,
  );
  const { stderr } = await asLevelset('get', 'secrets', '-A');
  expect(stderr).toContain(
    'Error from server (Forbidden): secrets is forbidden: User "system:serviceaccount:levelset:levelset"',
  );
});

it('follows changes line by line', async () => {
  const child = spawn(lab().kubectl, [...flags(), 'get', 'svc', '-w'], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
  try {
    await until('the watch', () =>
      Promise.resolve(sandbox.requests.some(({ path }) => path.includes('watch=true'))),
    );
    sandbox.kube.apply({
      kind: 'Service',
      metadata: { name: 'c' },
      spec: { type: 'LoadBalancer', ports: [{ port: 1 }] },
    });
    sandbox.kube.apply({
      kind: 'Service',
      metadata: { name: 'c' },
      status: { loadBalancer: { ingress: [{ ip: '203.0.113.9' }] } },
    });
    await until('two lines below the header', () => Promise.resolve(output.split('\n').length > 3));
  } finally {
    child.kill();
    sandbox.kube.delete('Service', 'default', 'c');
  }
  const addresses = output
    .trimEnd()
    .split('\n')
    .map((line) => line.split(/\s{2,}/)[3]);
  expect(addresses).toEqual(['EXTERNAL-IP', '<pending>', '203.0.113.9']);
});
