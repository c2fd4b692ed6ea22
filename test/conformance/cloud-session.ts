import { setTimeout as pause } from 'node:timers/promises';
import { measuredOf, minorOf, RELEASES } from '../../infra/sandbox/openstack/releases.ts';
import { at, listAt, textAt } from './json-path.ts';

export interface Credentials {
  readonly username: string;
  readonly password: string;
  readonly project: string;
}

/** A cloud the suite runs against. `hurry` lets simulated work finish; a real cloud takes its own time. */
export interface CloudTarget {
  readonly name: string;
  readonly real: boolean;
  readonly authUrl: string;
  /** Whose endpoints are taken; not said where the catalog has one region. */
  readonly region?: string;
  readonly credentials: Credentials;
  /** Somebody of another project. */
  readonly stranger: Credentials;
  readonly hurry: () => void;
  /** How requests get there (default: over sockets). */
  readonly fetch?: typeof fetch;
}

export interface Reply {
  readonly status: number;
  readonly headers: Headers;
  readonly body: unknown;
}

export type ServiceType = 'load-balancer' | 'network' | 'compute' | 'key-manager';

const patienceMs = 60_000;

/** The endpoints of a service of the catalog that are for this target. */
export const endpointsIn = (service: unknown, { region }: CloudTarget): readonly unknown[] =>
  listAt(service, 'endpoints').filter((one) => region === undefined || at(one, 'region') === region);

/** One user's view of a cloud, with what it made, so that every case can clean up after itself. */
export class CloudSession {
  readonly target: CloudTarget;
  readonly token: string;
  readonly projectId: string;
  private readonly endpoints: Map<string, string>;
  private balancers: string[] = [];
  private floatingIps: string[] = [];
  private minor: number | undefined;
  private readonly standing = new Map<4 | 6 | 'external', string>();
  private leftovers: (readonly [ServiceType, string])[] = [];

  private constructor(target: CloudTarget, token: string, body: unknown) {
    this.target = target;
    this.token = token;
    this.projectId = textAt(body, 'token.project.id');
    this.endpoints = new Map(
      listAt(body, 'token.catalog').map((service) => {
        const endpoint = endpointsIn(service, target).find((one) => at(one, 'interface') === 'public');
        return [textAt(service, 'type'), textAt(endpoint, 'url')];
      }),
    );
  }

  static async open(target: CloudTarget, credentials = target.credentials): Promise<CloudSession> {
    const reply = await authenticate(target, passwordAuth(credentials));
    if (reply.status !== 201) throw new Error(`Keystone answered ${reply.status}`);
    return new CloudSession(target, reply.headers.get('x-subject-token') ?? '', reply.body);
  }

  endpoint(service: ServiceType): string {
    return this.endpoints.get(service) ?? '';
  }

  octavia(method: string, path: string, body?: unknown): Promise<Reply> {
    return this.call('load-balancer', method, `/v2.0/lbaas/${path}`, body);
  }

  neutron(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Reply> {
    return this.call('network', method, `/v2.0/${path}`, body, headers);
  }

  barbican(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Reply> {
    return this.call('key-manager', method, `/v1/${path}`, body, headers);
  }

  /** Has this path deleted at the end of the case, after the load balancers; the last one first. */
  leave(service: ServiceType, path: string): void {
    this.leftovers.unshift([service, path]);
  }

  call(service: ServiceType, method: string, path: string, body?: unknown, headers = {}): Promise<Reply> {
    const own = { 'X-Auth-Token': this.token, ...headers };
    return request(method, this.endpoint(service) + path, body, own, this.target.fetch);
  }

  /** The project's own of this family. It stands as long as the session does: asked for once. */
  async subnet(version: 4 | 6 = 4): Promise<string> {
    const asked = (): Promise<Reply> =>
      this.neutron('GET', `subnets?ip_version=${version}&project_id=${this.projectId}`);
    const id = this.standing.get(version) ?? textAt((await asked()).body, 'subnets.0.id');
    this.standing.set(version, id);
    return id;
  }

  /** What the release of this cloud answers by the table of releases: the newest that is no newer than its Octavia. */
  async measured(what: string): Promise<string> {
    this.minor ??= listAt((await this.call('load-balancer', 'GET', '/')).body, 'versions').length - 1;
    const release = RELEASES.findLast((one) => minorOf(one) <= (this.minor ?? 0));
    return measuredOf(what, release ?? '2022.2');
  }

  /** An address of the private subnet of this family: its prefix, and this end. */
  async address(version: 4 | 6, end: number): Promise<string> {
    const { body } = await this.neutron('GET', `subnets/${await this.subnet(version)}`);
    return textAt(body, 'subnet.cidr').replace(/0?\/\d+$/, String(end));
  }

  async externalNetwork(): Promise<string> {
    const asked = (): Promise<Reply> => this.neutron('GET', 'networks?router:external=true');
    const id = this.standing.get('external') ?? textAt((await asked()).body, 'networks.0.id');
    this.standing.set('external', id);
    return id;
  }

  /** POSTs a load balancer on the private subnet and remembers it for the end of the case. */
  async postBalancer(more: Record<string, unknown> = {}): Promise<Reply> {
    const loadbalancer = { name: `conformance-${Date.now()}`, vip_subnet_id: await this.subnet(), ...more };
    const reply = await this.octavia('POST', 'loadbalancers', { loadbalancer });
    if (reply.status === 201) this.balancers.push(textAt(reply.body, 'loadbalancer.id'));
    return reply;
  }

  /** A load balancer that is ACTIVE. */
  async balancer(more: Record<string, unknown> = {}): Promise<string> {
    const reply = await this.postBalancer(more);
    const id = textAt(reply.body, 'loadbalancer.id');
    await this.settled(id);
    return id;
  }

  /** Octavia's times have whole seconds: what is to be seen as later must be. */
  async nextSecond(): Promise<void> {
    if (this.target.real) await new Promise((resolve) => setTimeout(resolve, 1_000));
  }

  /** Waits until the lock is off and gives the load balancer as it is then. */
  async settled(id: string): Promise<unknown> {
    const until = Date.now() + patienceMs;
    while (Date.now() < until) {
      this.target.hurry();
      const { body } = await this.octavia('GET', `loadbalancers/${id}`);
      if (!textAt(body, 'loadbalancer.provisioning_status').startsWith('PENDING'))
        return at(body, 'loadbalancer');
      await pause(200);
    }
    throw new Error(`load balancer ${id} is still PENDING`);
  }

  /** Waits until the load balancer answers 404. */
  async gone(id: string): Promise<Reply> {
    const until = Date.now() + patienceMs;
    while (Date.now() < until) {
      this.target.hurry();
      const reply = await this.octavia('GET', `loadbalancers/${id}`);
      if (reply.status === 404) return reply;
      await pause(200);
    }
    throw new Error(`load balancer ${id} is still there`);
  }

  async child(kind: string, one: string, body: Record<string, unknown>): Promise<string> {
    const reply = await this.octavia('POST', kind, { [one]: body });
    return textAt(reply.body, `${one}.id`);
  }

  async postFloatingIp(more: Record<string, unknown> = {}): Promise<Reply> {
    const floatingip = { floating_network_id: await this.externalNetwork(), ...more };
    const reply = await this.neutron('POST', 'floatingips', { floatingip });
    if (reply.status === 201) this.floatingIps.push(textAt(reply.body, 'floatingip.id'));
    return reply;
  }

  /** Leaves a load balancer to its fate: it can never be deleted. */
  forget(id: string): void {
    this.balancers = this.balancers.filter((one) => one !== id);
  }

  /** A server's ports go a little after it was told to, and only then its networks can: 409 until then. */
  private async remove(service: ServiceType, path: string): Promise<void> {
    for (let tries = this.target.real ? 40 : 1; tries > 0; tries -= 1) {
      if ((await this.call(service, 'DELETE', path)).status !== 409) return;
      await pause(500);
    }
  }

  /** Removes everything this session made since the last time. */
  async cleanUp(): Promise<void> {
    for (const id of this.floatingIps) await this.neutron('DELETE', `floatingips/${id}`);
    for (const id of this.balancers) {
      const { status } = await this.octavia('GET', `loadbalancers/${id}`);
      if (status !== 200) continue;
      await this.settled(id).catch(() => undefined);
      await this.octavia('DELETE', `loadbalancers/${id}?cascade=true`);
      await this.gone(id);
    }
    for (const [service, path] of this.leftovers) await this.remove(service, path);
    this.balancers = [];
    this.floatingIps = [];
    this.leftovers = [];
  }
}

export function passwordAuth({ username, password, project }: Credentials): unknown {
  const domain = { name: 'Default' };
  const identity = { methods: ['password'], password: { user: { name: username, domain, password } } };
  return { auth: { identity, scope: { project: { name: project, domain } } } };
}

export const authenticate = (target: CloudTarget, body: unknown): Promise<Reply> =>
  request('POST', `${target.authUrl}/auth/tokens`, body, {}, target.fetch);

/** One exchange; the body is parsed where it is JSON and left as text where it is not. */
export async function request(
  method: string,
  url: string,
  body?: unknown,
  headers = {},
  send = fetch,
): Promise<Reply> {
  const sent = body === undefined ? {} : { body: JSON.stringify(body) };
  const response = await send(url, {
    method,
    headers: { Accept: 'application/json', 'Content-Type': 'application/json', ...headers },
    ...sent,
  });
  const text = await response.text();
  let parsed: unknown = text;
  if (text !== '' && (response.headers.get('content-type') ?? '').includes('json')) parsed = JSON.parse(text);
  return { status: response.status, headers: response.headers, body: parsed };
}
