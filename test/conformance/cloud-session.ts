import { setTimeout as pause } from 'node:timers/promises';
import { measuredOf, minorOf, RELEASES } from '../../infra/sandbox/openstack/releases.ts';
import { at, listAt, textAt } from './json-path.ts';

type Credentials = Readonly<Record<'username' | 'password' | 'project', string>>;

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

export type Reply = Awaited<ReturnType<typeof request>>;

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
  private readonly seen = new Map<string, { readonly body: unknown }>();
  private ends: (() => Promise<unknown>)[] = [];

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

  /** Has this done at the end of the case, after the load balancers went; the last one first. */
  atEnd(what: () => Promise<unknown>): void {
    this.ends.unshift(what);
  }

  /** Has this path deleted then. */
  leave(service: ServiceType, path: string): void {
    this.atEnd(() => this.remove(service, path));
  }

  call(service: ServiceType, method: string, path: string, body?: unknown, headers = {}): Promise<Reply> {
    const own = { 'X-Auth-Token': this.token, ...headers };
    return request(method, this.endpoint(service) + path, body, own, this.target.fetch);
  }

  /** The first of a list, which stands as long as the session does: asked for once. */
  private async standing(path: string): Promise<string> {
    const { body } = this.seen.get(path) ?? (await this.neutron('GET', path));
    this.seen.set(path, { body });
    return textAt(body, `${path.split('?')[0] ?? ''}.0.id`);
  }

  /** The project's own of this family. */
  subnet(version: 4 | 6 = 4): Promise<string> {
    return this.standing(`subnets?ip_version=${version}&project_id=${this.projectId}`);
  }

  /** That of the private subnet. */
  async network(): Promise<string> {
    return textAt((await this.neutron('GET', `subnets/${await this.subnet()}`)).body, 'subnet.network_id');
  }

  externalNetwork(): Promise<string> {
    return this.standing('networks?router:external=true');
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
    if (this.target.real) await pause(1_000);
  }

  private async look<T>(id: string, is: string, end: (reply: Reply) => T | undefined): Promise<T> {
    const until = Date.now() + patienceMs;
    while (Date.now() < until) {
      this.target.hurry();
      const found = end(await this.octavia('GET', `loadbalancers/${id}`));
      if (found !== undefined) return found;
      await pause(200);
    }
    throw new Error(`load balancer ${id} is still ${is}`);
  }

  /** Waits until the lock is off and gives the load balancer as it is then. */
  settled(id: string): Promise<unknown> {
    return this.look(id, 'PENDING', ({ body }) => {
      const isLocked = textAt(body, 'loadbalancer.provisioning_status').startsWith('PENDING');
      return isLocked ? undefined : at(body, 'loadbalancer');
    });
  }

  /** Waits until the load balancer answers 404. */
  gone(id: string): Promise<Reply> {
    return this.look(id, 'there', (reply) => (reply.status === 404 ? reply : undefined));
  }

  /** A write on this load balancer or below it. Where it is taken, the lock is off again afterwards. */
  async done(id: string, method: string, path: string, body?: unknown): Promise<Reply> {
    const reply = await this.octavia(method, path, body);
    if (reply.status < 300) await this.settled(id);
    return reply;
  }

  /** One thing of Octavia as it is, without the name around it. */
  async shown(path: string): Promise<unknown> {
    return Object.values((await this.octavia('GET', path)).body as Record<string, unknown>)[0];
  }

  /** The ids in a list of Octavia or of Neutron. */
  async ids(api: 'octavia' | 'neutron', path: string): Promise<unknown[]> {
    const { body } = await this[api]('GET', path);
    return listAt(body, path.split('?')[0] ?? '').map((one) => at(one, 'id'));
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
    for (const end of this.ends) await end();
    this.balancers = [];
    this.floatingIps = [];
    this.ends = [];
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
export async function request(method: string, url: string, body?: unknown, more = {}, send = fetch) {
  const json = 'application/json';
  const asked = { method, headers: { Accept: json, 'Content-Type': json, ...more } };
  const response = await send(url, body === undefined ? asked : { ...asked, body: JSON.stringify(body) });
  const { status, headers } = response;
  const text = await response.text();
  const isJson = text !== '' && (headers.get('content-type') ?? '').includes('json');
  return { status, headers, body: isJson ? (JSON.parse(text) as unknown) : text };
}
