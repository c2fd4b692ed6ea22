import got from 'got';
import { lab, type CloudEntry } from './environment.ts';

const HARNESS_AGENT = 'levelset-e2e';

export type ServiceType = 'load-balancer' | 'network' | 'compute' | 'identity' | 'key-manager';

export interface CloudAnswer {
  readonly status: number;
  readonly body: unknown;
}

interface Session {
  readonly token: string;
  readonly projectId: string;
  readonly userId: string;
  readonly endpoints: Readonly<Record<string, string>>;
}

interface TokenBody {
  readonly token: {
    readonly project: { readonly id: string };
    readonly user: { readonly id: string };
    readonly catalog: readonly {
      readonly type: string;
      readonly endpoints: readonly {
        readonly interface: string;
        readonly region_id: string;
        readonly url: string;
      }[];
    }[];
  };
}

/**
 * One identity of clouds.yaml asking OpenStack directly: the answer as it came, whatever its status. What can be asked
 * twice is asked again when a connection ends without an answer.
 */
export class OpenStack {
  readonly #cloud: CloudEntry;
  readonly #http;
  #session: Promise<Session> | undefined;

  constructor(cloud: CloudEntry, agent = HARNESS_AGENT) {
    this.#cloud = cloud;
    this.#http = got.extend({
      headers: { 'user-agent': agent, accept: 'application/json' },
      retry: { limit: 2, methods: ['GET', 'DELETE'], statusCodes: [] },
      timeout: { request: 180_000 },
      throwHttpErrors: false,
      followRedirect: false,
    });
  }

  session(): Promise<Session> {
    this.#session ??= this.#authenticate();
    return this.#session;
  }

  /** Path with its version: /v2.0/lbaas/..., /v2.0/..., /servers (compute), /users (identity). */
  async request(service: ServiceType, method: string, path: string, body?: object): Promise<CloudAnswer> {
    for (let attempt = 1; ; attempt++) {
      const { token, endpoints } = await this.session();
      const base = endpoints[service];
      if (base === undefined) throw new Error(`the catalog has no ${service} in this region`);
      const answer = await this.#http(base + path, {
        method: method as 'GET',
        headers: {
          'x-auth-token': token,
          ...(body && { 'content-type': 'application/json' }),
          ...(service === 'compute' && { 'openstack-api-version': 'compute 2.60' }),
        },
        ...(body && { body: JSON.stringify(body) }),
      });
      if (answer.statusCode === 401 && attempt === 1) this.#session = undefined;
      else return { status: answer.statusCode, body: parse(answer.body) };
    }
  }

  /** The same, when nothing but success will do. */
  async must<T = unknown>(service: ServiceType, method: string, path: string, body?: object): Promise<T> {
    const answer = await this.request(service, method, path, body);
    if (answer.status >= 300)
      throw new Error(`${method} ${service} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
    return answer.body as T;
  }

  async #authenticate(): Promise<Session> {
    const { auth, region_name: region } = this.#cloud;
    const url = (auth['auth_url'] ?? '').replace(/\/+$/, '').replace(/(\/v3)?$/, '/v3');
    const answer = await this.#http.post(`${url}/auth/tokens`, {
      body: JSON.stringify(authBody(this.#cloud)),
      headers: { 'content-type': 'application/json' },
    });
    const token = answer.headers['x-subject-token'];
    if (answer.statusCode !== 201 || typeof token !== 'string')
      throw new Error(`Keystone at ${url} gave no token: ${answer.statusCode} ${answer.body}`);
    const body = (JSON.parse(answer.body) as TokenBody).token;
    const endpoints = body.catalog.flatMap(({ type, endpoints: all }): [string, string][] => {
      const found = all.find(
        (one) => one.interface === 'public' && (region ?? one.region_id) === one.region_id,
      );
      const bare = found?.url.replace(/\/+$/, '').replace(type === 'compute' ? /$/ : /\/v2(\.0)?$/, '');
      return bare === undefined ? [] : [[type, bare]];
    });
    return {
      token,
      projectId: body.project.id,
      userId: body.user.id,
      endpoints: { ...Object.fromEntries(endpoints), identity: url },
    };
  }
}

function parse(text: string): unknown {
  try {
    return text === '' ? undefined : JSON.parse(text);
  } catch {
    return text;
  }
}

function authBody({ auth, auth_type: type = '' }: CloudEntry): object {
  if (type.endsWith('applicationcredential'))
    return {
      auth: {
        identity: {
          methods: ['application_credential'],
          application_credential: {
            id: auth['application_credential_id'],
            secret: auth['application_credential_secret'],
          },
        },
      },
    };
  const user = {
    name: auth['username'],
    domain: { name: auth['user_domain_name'] },
    password: auth['password'],
  };
  const project = { name: auth['project_name'], domain: { name: auth['project_domain_name'] } };
  return { auth: { identity: { methods: ['password'], password: { user } }, scope: { project } } };
}

const tenants = new Map<string, OpenStack>();
/** The project that levelset works in, asked directly. */
export function cloud(): OpenStack {
  const { directory, cloud: entry } = lab();
  const tenant = tenants.get(directory) ?? new OpenStack(entry);
  tenants.set(directory, tenant);
  return tenant;
}

/** An object as OpenStack has it. */
export interface Resource {
  readonly id: string;
  readonly [attribute: string]: unknown;
}

async function list(service: ServiceType, path: string, key: string): Promise<readonly Resource[]> {
  const { projectId } = await cloud().session();
  const query = `${path.includes('?') ? '&' : '?'}project_id=${projectId}`;
  return (await cloud().must<Record<string, Resource[]>>(service, 'GET', path + query))[key] ?? [];
}

const LBAAS = '/v2.0/lbaas';
/** A POST of one thing, by the name that the API has for it; as it was made. */
export async function make(
  service: 'load-balancer' | 'network',
  kind: string,
  attributes: object,
): Promise<Resource> {
  const path = `${service === 'network' ? '/v2.0' : LBAAS}/${kind.replace('_', '-')}s`;
  const body = { [kind]: attributes };
  const made = await cloud().must<Readonly<Record<string, Resource>>>(service, 'POST', path, body);
  return made[kind] ?? { id: '' };
}
export const loadBalancers = () => list('load-balancer', `${LBAAS}/loadbalancers`, 'loadbalancers');
export const listeners = (lb: string) =>
  list('load-balancer', `${LBAAS}/listeners?loadbalancer_id=${lb}`, 'listeners');
export const allListeners = () => list('load-balancer', `${LBAAS}/listeners`, 'listeners');
export const allPools = () => list('load-balancer', `${LBAAS}/pools`, 'pools');
export const pools = (lb: string) => list('load-balancer', `${LBAAS}/pools?loadbalancer_id=${lb}`, 'pools');
export const members = (pool: string) => list('load-balancer', `${LBAAS}/pools/${pool}/members`, 'members');
export const healthMonitors = () => list('load-balancer', `${LBAAS}/healthmonitors`, 'healthmonitors');
export const floatingIPs = () => list('network', '/v2.0/floatingips', 'floatingips');
export const ports = () => list('network', '/v2.0/ports', 'ports');
/** Those of Services, ours or OCCM's. */
export const securityGroups = async () =>
  (await list('network', '/v2.0/security-groups', 'security_groups')).filter(({ name }) =>
    String(name).startsWith('lb-sg-'),
  );
/** The VIP ports that Octavia made in the project. */
export const octaviaPorts = async () =>
  (await ports()).filter(({ device_owner }) => device_owner === 'Octavia');

export interface Tree {
  readonly loadBalancer: Resource;
  readonly listeners: readonly Resource[];
  readonly pools: readonly (Resource & {
    readonly members: readonly Resource[];
    readonly monitor: Resource | undefined;
  })[];
  readonly floatingIP: Resource | undefined;
}

/** A load balancer with everything on it, each read by itself; undefined when it is gone. */
export async function loadBalancerTree(id: string): Promise<Tree | undefined> {
  const [all, itsListeners, itsPools, monitors, ips] = await Promise.all([
    loadBalancers(),
    listeners(id),
    pools(id),
    healthMonitors(),
    floatingIPs(),
  ]);
  const loadBalancer = all.find((lb) => lb.id === id);
  if (!loadBalancer) return undefined;
  return {
    loadBalancer,
    listeners: itsListeners.toSorted((a, b) => portKey(a).localeCompare(portKey(b))),
    pools: await Promise.all(
      itsPools.map(async (pool) => ({
        ...pool,
        members: await members(pool.id),
        monitor: monitors.find(({ id: monitor }) => monitor === pool['healthmonitor_id']),
      })),
    ),
    floatingIP: ips.find((ip) => ip['port_id'] === loadBalancer['vip_port_id']),
  };
}

const portKey = (listener: Resource) =>
  `${String(listener['protocol'])}/${String(listener['protocol_port'])}`;

/** Load balancers with the tag levelset-service=<uid>. */
export async function loadBalancersOf(serviceUid: string): Promise<readonly Resource[]> {
  return list('load-balancer', `${LBAAS}/loadbalancers?tags=levelset-service=${serviceUid}`, 'loadbalancers');
}

/** So long a request waits for a lock of Octavia's database at most (measured: 51 s for one listener, while its load balancer was ACTIVE). */
const WORKED_LATELY_MS = 60_000;

/** Whether Octavia or Neutron is at work in the project, or was within a minute. False where nobody can say. */
export async function isCloudAtWork(): Promise<boolean> {
  const [balancers, own] = await Promise.all([loadBalancers(), ports()]).catch(() => [[], []]);
  const isLately = (at: unknown): boolean =>
    Date.now() - Date.parse(`${String(at).replace(/Z$/, '')}Z`) < WORKED_LATELY_MS;
  return (
    balancers.some(
      (lb) =>
        String(lb['provisioning_status']).startsWith('PENDING') ||
        isLately(lb['updated_at'] ?? lb['created_at']),
    ) || own.some((port) => isLately(port['updated_at']))
  );
}

export const loadBalancerPath = (id: string) => `${LBAAS}/loadbalancers/${id}`;
