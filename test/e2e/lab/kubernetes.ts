import { randomBytes } from 'node:crypto';
import { Agent } from 'node:https';
import got, { type Got } from 'got';
import { stringify } from 'yaml';
import type { Service } from '../../../shared/model/kubernetes.ts';
import { lab } from './environment.ts';
import { must } from './run.ts';
import { until, type UntilOptions } from './until.ts';

/** kubectl as the cluster's admin; its output. Fails when kubectl does. */
export async function kubectl(args: readonly string[], input?: string): Promise<string> {
  return must(
    lab().kubectl,
    ['--kubeconfig', lab().adminKubeconfig, ...args],
    input === undefined ? {} : { input },
  );
}

/** Server-side apply with strict validation, of objects or of a file's path. */
export async function apply(objects: string | readonly object[]): Promise<string> {
  const flags = ['apply', '--server-side', '--force-conflicts', '--validate=strict', '-f'];
  if (typeof objects === 'string') return kubectl([...flags, objects]);
  return kubectl([...flags, '-'], objects.map((object) => stringify(object)).join('---\n'));
}

export interface KubeAnswer {
  readonly status: number;
  readonly body: unknown;
}

const clients = new Map<string, Got>();
export async function kubeRequest(
  method: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE',
  path: string,
  body?: object,
  { token = lab().adminToken, contentType = 'application/merge-patch+json' } = {},
): Promise<KubeAnswer> {
  let client = clients.get(token);
  if (!client) {
    const { server, certificateAuthority: ca } = lab();
    client = got.extend({
      prefixUrl: server,
      agent: { https: new Agent({ keepAlive: true, ca }) },
      headers: { authorization: `Bearer ${token}`, 'user-agent': 'levelset-e2e' },
      retry: { limit: 2, methods: ['GET', 'DELETE'] },
      timeout: { request: 60_000 },
      throwHttpErrors: false,
    });
    clients.set(token, client);
  }
  const answer = await client(path.replace(/^\//, ''), {
    method,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    headers: { 'content-type': method === 'PATCH' ? contentType : 'application/json' },
  });
  return {
    status: answer.statusCode,
    body: answer.body === '' ? undefined : (JSON.parse(answer.body) as unknown),
  };
}

async function ask(method: 'POST' | 'PATCH' | 'DELETE', path: string, body?: object): Promise<unknown> {
  const { status, body: answer } = await kubeRequest(method, path, body);
  if (status >= 300 && !(method === 'DELETE' && status === 404))
    throw new Error(`${method} ${path}: ${status} ${JSON.stringify(answer)}`);
  return answer;
}

/** The API as admin: paths such as /api/v1/nodes. `get` is undefined for what is not there. */
export const kube = {
  async get<T>(path: string): Promise<T | undefined> {
    const { status, body } = await kubeRequest('GET', path);
    if (status === 404) return undefined;
    if (status >= 300) throw new Error(`GET ${path}: ${status} ${JSON.stringify(body)}`);
    return body as T;
  },
  async list<T>(path: string): Promise<readonly T[]> {
    return (await kube.get<{ items: T[] }>(path))?.items ?? [];
  },
  async create<T>(path: string, object: object): Promise<T> {
    return (await ask('POST', path, object)) as T;
  },
  /** Merge patch; null removes. */
  async patch<T>(path: string, patch: object): Promise<T> {
    return (await ask('PATCH', path, patch)) as T;
  },
  async remove(path: string): Promise<void> {
    await ask('DELETE', path);
  },
};

export const E2E_LABEL = 'levelset-e2e';

/** A namespace of one test's own; its name. */
export async function aNamespace(name = `e2e-${randomBytes(3).toString('hex')}`): Promise<string> {
  await kube.create('/api/v1/namespaces', { metadata: { name, labels: { [E2E_LABEL]: 'true' } } });
  return name;
}

/** Deletes it; does not wait. */
export async function removeNamespace(name: string): Promise<void> {
  await kube.remove(`/api/v1/namespaces/${name}`);
}

export interface Port {
  readonly name?: string;
  readonly port: number;
  readonly protocol?: 'TCP' | 'UDP';
  readonly nodePort?: number;
}

/** A Service of type LoadBalancer, as an object to apply. `spec` is laid over the defaults. */
export function aService(
  namespace: string,
  name: string,
  ports: readonly Port[] = [{ port: 80 }],
  { annotations = {}, spec = {} }: { annotations?: Record<string, string>; spec?: object } = {},
): object {
  const named = ports.map((port) => ({
    name: `${(port.protocol ?? 'TCP').toLowerCase()}-${port.port}`,
    ...port,
  }));
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { namespace, name, annotations },
    spec: { type: 'LoadBalancer', selector: { app: name }, ports: named, ...spec },
  };
}

export const servicePath = (namespace: string, name: string) =>
  `/api/v1/namespaces/${namespace}/services/${name}`;

export async function getService(namespace: string, name: string): Promise<Service | undefined> {
  return kube.get<Service>(servicePath(namespace, name));
}

/** The address in the Service's status, when it has one. */
export async function addressOf(
  namespace: string,
  name: string,
  options: UntilOptions = {},
): Promise<string> {
  return until(
    `an address of service ${namespace}/${name}`,
    async () => (await getService(namespace, name))?.status?.loadBalancer?.ingress?.[0]?.ip,
    { timeoutMs: 60_000, ...options },
  );
}

/** The node port of each of its ports, by `TCP/80`. */
export async function nodePorts(namespace: string, name: string): Promise<Readonly<Record<string, number>>> {
  const ports = (await getService(namespace, name))?.spec.ports ?? [];
  return Object.fromEntries(
    ports.map(({ protocol = 'TCP', port, nodePort }): [string, number] => [
      `${protocol}/${port}`,
      nodePort ?? 0,
    ]),
  );
}

/** Deletes Services, and waits until each is gone: its finalizer taken off. */
export async function removeServices(
  namespace: string,
  names: readonly string[],
  options: UntilOptions = {},
): Promise<void> {
  await kubectl(['-n', namespace, 'delete', 'service', ...names, '--wait=false']);
  for (const name of names)
    await until(
      `service ${namespace}/${name} to be gone`,
      async () => (await getService(namespace, name)) === undefined,
      { timeoutMs: 60_000, ...options },
    );
}

/** The Events at an object, oldest first. */
export async function eventsOf(
  namespace: string,
  name: string,
): Promise<readonly { readonly type: string; readonly reason: string; readonly message: string }[]> {
  return kube.list(`/api/v1/namespaces/${namespace}/events?fieldSelector=involvedObject.name=${name}`);
}
