/** The real kubectl against the sandbox's kube-apiserver: get, describe, apply, edit and delete. */
import { spawn, spawnSync } from 'node:child_process';
import { globSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { writeAccess, type SandboxAccess } from '../../functions/sandbox/access-files.ts';
import { CACHE } from '../../infra/image/run.ts';
import { startSandbox, type RecordedRequest, type Sandbox } from '../../infra/sandbox/sandbox.ts';
import { run, type Ran } from '../e2e/lab/run.ts';

const WAIT = { timeout: 30_000 };
const installed = spawnSync('kubectl', ['version', '--client']).status === 0 ? ['kubectl'] : [];
/** The newest that the lab has built, or that on the PATH. */
const program = [...globSync(join(CACHE, 'kubernetes-v*/kubectl')).sort().reverse(), ...installed][0];

describe.skipIf(program === undefined)('kubectl (skipped where it is not installed)', () => {
  let directory: string;
  let manifest: string;
  let sandbox: Sandbox;
  let access: SandboxAccess;

  beforeAll(async () => {
    directory = mkdtempSync(join(tmpdir(), 'levelset-kubectl-'));
    manifest = join(directory, 'web.yaml');
    sandbox = await startSandbox({ kubeTls: true });
    access = await writeAccess(sandbox);
  });
  afterAll(async () => {
    await sandbox.close();
    for (const path of [access.directory, directory]) rmSync(path, { recursive: true });
  });

  const flags = (): string[] => [
    ...['--kubeconfig', access.variables['KUBECONFIG'] ?? '', '--cache-dir', join(directory, 'cache')],
  ];
  const kubectl = (...args: string[]): Promise<Ran> => run(program ?? '', [...flags(), ...args]);
  const printed = async (...args: string[]): Promise<string> => {
    const { code, stderr, stdout } = await kubectl(...args);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    return stdout.trimEnd();
  };
  const wordsIn = (text: string): string[][] => text.split('\n').map((line) => line.split(/\s{2,}/));
  const writeManifest = (ports: string, version = 'v1'): void => {
    const metadata = 'metadata: { name: web, annotations: { levelset.openstack.org/internal: "true" } }';
    const spec = `spec: { type: LoadBalancer, selector: { app: web }, ${ports} }`;
    writeFileSync(manifest, [`apiVersion: ${version}`, 'kind: Service', metadata, spec, ''].join('\n'));
  };
  const nextWatch = async (): Promise<void> => {
    const before = sandbox.requests.length;
    const isWatch = ({ path }: RecordedRequest): boolean => path.includes('watch=true');
    await vi.waitUntil(() => sandbox.requests.slice(before).some(isWatch), WAIT);
  };
  const portsOf = (name: string): unknown => sandbox.kube.get('Service', 'default', name)?.spec?.['ports'];

  it('applies, shows, describes, edits and deletes a Service', async () => {
    writeManifest('ports: [{ port: 80 }]');
    const dry = await printed('apply', '--dry-run=server', '-f', manifest);
    expect(dry).toBe('service/web created (server dry run)');
    expect(sandbox.kube.get('Service', 'default', 'web')).toBeUndefined();
    expect(await printed('apply', '-f', manifest)).toBe('service/web created');
    expect(await printed('apply', '-f', manifest)).toBe('service/web unchanged');
    writeManifest('ports: [{ name: http, port: 8080 }]');
    expect(await printed('apply', '-f', manifest)).toBe('service/web configured');
    expect(portsOf('web')).toMatchObject([{ port: 8080 }]);

    const [head, row] = wordsIn(await printed('get', 'svc', 'web', '-o', 'wide'));
    expect(head).toEqual(['NAME', 'TYPE', 'CLUSTER-IP', 'EXTERNAL-IP', 'PORT(S)', 'AGE', 'SELECTOR']);
    expect(row?.slice(3, 5)).toEqual(['<pending>', expect.stringMatching(/^8080:3\d{4}\/TCP$/)]);
    expect(await printed('get', 'service', 'web', '-o', 'yaml')).toMatch(/^ {2}type: LoadBalancer$/m);
    const involvedObject = {
      ...{ kind: 'Service', namespace: 'default', name: 'web' },
      uid: sandbox.kube.get('Service', 'default', 'web')?.metadata.uid,
    };
    const event = { type: 'Normal', reason: 'Ensured', message: 'serves', involvedObject };
    sandbox.kube.apply({ kind: 'Event', metadata: { name: 'web.1', namespace: 'default' }, ...event });
    const described = await printed('describe', 'svc', 'web');
    expect(described).toMatch(/^Port:\s+http\s+8080\/TCP$/m);
    expect(described).toMatch(/^\s+Normal\s+Ensured\s+.*serves$/m);

    const editor = join(directory, 'editor.sh');
    writeFileSync(editor, 'sed -i "s/port: 8080/port: 9090/" "$1"\n');
    const env = { EDITOR: `sh ${editor}` };
    const edited = await run(program ?? '', [...flags(), 'edit', 'svc', 'web'], { env });
    expect(edited).toMatchObject({ code: 0, stdout: 'service/web edited\n' });
    expect(portsOf('web')).toMatchObject([{ port: 9090 }]);

    expect(await printed('delete', '-f', manifest)).toContain('service "web" deleted');
    const none = await kubectl('get', 'svc', 'web');
    expect(none.stderr).toBe('Error from server (NotFound): services "web" not found\n');
  });

  it('waits with a delete until nobody holds the Service', async () => {
    const metadata = { name: 'held', finalizers: ['service.kubernetes.io/load-balancer-cleanup'] };
    sandbox.kube.apply({ kind: 'Service', metadata, spec: { ports: [{ port: 1 }] } });
    const watching = nextWatch();
    const deleted = printed('delete', 'service', 'held');
    await watching;
    sandbox.kube.apply({ kind: 'Service', metadata: { name: 'held', finalizers: null } });
    expect(await deleted).toContain('service "held" deleted');
  });

  it('shows Nodes and all that there is', async () => {
    const [, ...nodes] = wordsIn(await printed('get', 'nodes'));
    const ready = [1, 2, 3].map((at) => [`node-${at}`, 'Ready']);
    expect(nodes.map((row) => row.slice(0, 2))).toEqual(ready);
    expect(await printed('describe', 'node', 'node-1')).toMatch(/^ProviderID:\s+openstack:\/\/\/\S+$/m);
    const kinds = (await printed('api-resources', '--verbs=list', '-o', 'name')).replaceAll('\n', ',');
    expect(await printed('get', kinds, '-A')).toContain('namespace/default');
    const stderr = 'No resources found in default namespace.\n';
    expect(await kubectl('get', 'all')).toMatchObject({ code: 0, stderr });
  });

  it.each([
    ['apply -f', 'strict decoding error: unknown field "spec.prots"', 'v1', 'prots'],
    ['apply --server-side -f', 'Server-side apply not available on the server'],
    ['patch node node-1 --type=json -p []', 'application/json-patch+json is not supported'],
    ['create namespace shop', 'the body of the request was in an unknown format'],
    ['apply -f', 'no matches for kind "Service" in version "apps/v1"', 'apps/v1'],
    ['get deployments', `the server doesn't have a resource type "deployments"`],
  ])('ends with an error after %s: %s', async (line, error, version = 'v1', field = 'ports') => {
    writeManifest(`${field}: [{ port: 80 }]`, version);
    const args = line.split(' ');
    if (args.at(-1) === '-f') args.push(manifest);
    const { code, stderr } = await kubectl(...args);
    expect(code).toBe(1);
    expect(stderr).toContain(error);
  });

  it('follows changes line by line', async () => {
    const watching = nextWatch();
    const words = [...flags(), 'get', 'svc', '-w'];
    const child = spawn(program ?? '', words, { stdio: ['ignore', 'pipe', 'ignore'] });
    let output = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
    const own = { kind: 'Service', metadata: { name: 'c' } };
    try {
      await watching;
      sandbox.kube.apply({ ...own, spec: { type: 'LoadBalancer', ports: [{ port: 1 }] } });
      sandbox.kube.apply({ ...own, status: { loadBalancer: { ingress: [{ ip: '203.0.113.9' }] } } });
      await vi.waitUntil(() => output.split('\n').length > 3, WAIT);
    } finally {
      child.kill();
    }
    const addresses = wordsIn(output.trimEnd()).map((row) => row[3]);
    expect(addresses).toEqual(['EXTERNAL-IP', '<pending>', '203.0.113.9']);
  });
});
