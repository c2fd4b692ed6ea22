import { ReconcileError } from '../../shared/model/errors.ts';
import { isOutsideOctavia } from '../../shared/model/load-balancer/octavia.ts';
import type { Attributes, CloudKind, WireResource } from '../../shared/model/resources.ts';
import type { Route } from '../../shared/model/network/routes.ts';
import type { Cloud, Query, ReadKind } from '../../shared/ports.ts';
import { checkUnused, DEFAULT_RULES, groupView, updateAt } from './cloud-model-groups.ts';
import { addRoutes, removeRoutes } from './cloud-model-routes.ts';
import { asStored, checkNestedPool, checkNotNamed, idByName } from './cloud-model-tls.ts';
import { checkCreate, checkMembers, checkUpdate } from './cloud-model-rules.ts';

export type Wire = Record<string, unknown> & { readonly id: string };
export type Contents = Readonly<Partial<Record<ReadKind, readonly Wire[]>>>;

export const CERTIFICATE = 'aaaaaaaa-0000-4000-8000-0000000000c1';
/** A PKCS12 secret. */
export const OTHER_CERTIFICATE = 'aaaaaaaa-0000-4000-8000-0000000000c2';
/** A certificate authority, and its list of what it took back. */
export const AUTHORITY = 'aaaaaaaa-0000-4000-8000-0000000000c3';
export const REVOCATIONS = 'aaaaaaaa-0000-4000-8000-0000000000c4';
/** A port that is nobody's yet. */
export const FREE_PORT = '4b4f0d8e-1d1a-4f4a-9a51-0d7a2a3b4c5d';
export const SUBNET = 'aaaaaaaa-0000-4000-8000-000000000001';
export const OTHER_SUBNET = 'aaaaaaaa-0000-4000-8000-000000000002';
export const SUBNET_IPV6 = 'aaaaaaaa-0000-4000-8000-000000000006';
export const QOS_POLICY = '6b4f0d8e-1d1a-4f4a-9a51-0d7a2a3b4c5d';
export const NETWORK = 'aaaaaaaa-0000-4000-8000-00000000000a';
export const PUBLIC = 'aaaaaaaa-0000-4000-8000-00000000000e';
/** The group that a node's port has without us. */
export const NODE_GROUP = 'f0000000-0000-4000-8000-000000000001';
export const PUBLIC_SUBNET = 'aaaaaaaa-0000-4000-8000-00000000000f';
const SECOND_PUBLIC_SUBNET = 'aaaaaaaa-0000-4000-8000-000000000010';

/** Two subnets, an external network with two more, and a port for each of the first node addresses. */
export const NETWORKS: Contents = {
  subnet: [
    { id: SUBNET, cidr: '10.0.0.0/24', network_id: NETWORK },
    { id: OTHER_SUBNET, cidr: '10.9.0.0/24', network_id: NETWORK },
    { id: SUBNET_IPV6, cidr: 'fd00:10::/64', network_id: NETWORK, ip_version: 6, ipv6_address_mode: 'slaac' },
    { id: PUBLIC_SUBNET, cidr: '203.0.113.0/24', network_id: PUBLIC, name: 'public-1', tags: ['paid'] },
    { id: SECOND_PUBLIC_SUBNET, cidr: '198.51.100.0/24', network_id: PUBLIC, name: 'public-2' },
  ],
  flavor: [
    { id: '5b4f0d8e-1d1a-4f4a-9a51-0d7a2a3b4c5d', name: 'large', enabled: true },
    { id: 'aaaaaaaa-0000-4000-8000-0000000000f1', name: 'small', enabled: true },
  ],
  availabilityzone: ['az1', 'az-1'].map((name) => ({ id: name, name, enabled: true })),
  qos_policy: [{ id: QOS_POLICY }],
  network: [{ id: PUBLIC, 'router:external': 'true' }],
  container: [{ id: CERTIFICATE, container_ref: `http://127.0.0.1:9311/v1/containers/${CERTIFICATE}` }],
  secret: [OTHER_CERTIFICATE, AUTHORITY, REVOCATIONS].map((id) => ({
    id,
    secret_ref: `http://127.0.0.1:9311/v1/secrets/${id}`,
  })),
  port: [
    ...Array.from({ length: 20 }, (_, at) => ({
      id: `bbbbbbbb-0000-4000-8000-${String(at).padStart(12, '0')}`,
      fixed_ips: [
        { subnet_id: SUBNET, ip_address: `10.0.0.${at + 1}` },
        { subnet_id: SUBNET_IPV6, ip_address: `fd00:10::${at + 1}` },
      ],
      security_groups: [NODE_GROUP],
      port_security_enabled: true,
      revision_number: 1,
    })),
    {
      id: FREE_PORT,
      fixed_ips: [
        { subnet_id: SUBNET, ip_address: '10.0.0.150' },
        { subnet_id: SUBNET_IPV6, ip_address: 'fd00:10::150' },
      ],
      security_groups: [],
      port_security_enabled: true,
      revision_number: 1,
    },
  ],
};

/**
 * A small cloud in memory behind the port Cloud, for the pure part: no HTTP, no time. It refuses what Octavia refuses
 * (cloud-model-rules.ts), and takes one write per load balancer until `unlock`. The rest of it stays with infra/sandbox.
 */
export class CloudModel implements Cloud {
  readonly writes: string[] = [];
  /** Of Neutron, by their aliases. */
  extensions: readonly string[] = ['extraroute', 'extraroute-atomic', 'allowed-address-pairs'];
  readonly #objects = new Map<ReadKind, Wire[]>();
  readonly #busy = new Set<string>();
  #made = 0;

  readonly #minor: number;

  /** `minor` is Octavia's: API v2.`minor`. */
  constructor(contents: Contents = {}, minor = 26) {
    this.#minor = minor;
    for (const [kind, wires] of Object.entries({ ...NETWORKS, ...contents })) {
      this.#objects.set(kind as ReadKind, structuredClone(wires) as Wire[]);
    }
  }

  /** Octavia has ended what it was doing. */
  unlock(): void {
    this.#busy.clear();
  }

  all(kind: ReadKind): Wire[] {
    const found = this.#objects.get(kind) ?? [];
    this.#objects.set(kind, found);
    return found;
  }

  list(kind: ReadKind, query: Query = {}, parent?: string): Promise<readonly WireResource[]> {
    const below = this.all(kind).filter(
      (wire) => parent === undefined || wire[kind === 'l7rule' ? 'l7policy_id' : 'pool_id'] === parent,
    );
    return Promise.resolve(
      below.filter((wire) => matches(wire, query)).map((wire) => this.#view(kind, wire)),
    );
  }

  get(kind: ReadKind, id: string): Promise<WireResource | undefined> {
    const wire = this.all(kind).find((one) => one.id === id);
    return Promise.resolve(wire && this.#view(kind, wire));
  }

  create(kind: CloudKind, attributes: Attributes, parent?: string): Promise<WireResource> {
    return this.#write(`create ${kind}`, () => {
      const full =
        parent === undefined
          ? attributes
          : { ...attributes, [kind === 'l7rule' ? 'l7policy_id' : 'pool_id']: parent };
      this.#lock(kind, full);
      return this.#view(kind, this.#insert(kind, full));
    });
  }

  update(kind: CloudKind, id: string, attributes: Attributes): Promise<void> {
    return this.#write(`update ${kind}`, () => {
      const wire = this.#known(kind, id);
      this.#lock(kind, wire);
      checkUpdate(this, kind, wire, attributes);
      Object.assign(wire, structuredClone(attributes));
      // what is given back to the server has its value again
      for (const [name, value] of Object.entries(defaults(kind, 0))) wire[name] ??= value;
    });
  }

  remove(kind: CloudKind, id: string, options: { readonly cascade?: boolean } = {}): Promise<void> {
    return this.#write(`delete ${kind}`, () => {
      const wire = this.all(kind).find((one) => one.id === id);
      if (!wire) return;
      this.#lock(kind, wire);
      if (kind === 'secret') checkNotNamed(this, wire);
      this.#drop(kind, wire, options.cascade === true);
    });
  }

  putMembers(pool: string, members: readonly Attributes[], additive: boolean): Promise<void> {
    return this.#write('put members', () => {
      const { loadbalancer_id } = this.#known('pool', pool);
      this.#lock('pool', { id: pool, loadbalancer_id });
      checkMembers(members);
      const at = (one: Attributes): string => `${String(one['address'])}:${String(one['protocol_port'])}`;
      const listed = new Set(members.map(at));
      const present = this.all('member').filter((one) => one['pool_id'] === pool);
      if (!additive) for (const one of present) if (!listed.has(at(one))) this.#drop('member', one, false);
      for (const member of members) {
        const there = present.find((one) => at(one) === at(member));
        if (there) Object.assign(there, structuredClone(member));
        else this.#insert('member', { ...member, pool_id: pool });
      }
    });
  }

  certificateText(id: string): Promise<string | undefined> {
    const payload = this.all('secret').find((one) => one.id === id)?.['payload'];
    return Promise.resolve(typeof payload === 'string' ? payload : undefined);
  }

  quota(): Promise<Readonly<Record<string, number>>> {
    return Promise.resolve({});
  }

  updateAt(kind: 'port' | 'router', id: string, attributes: Attributes, at: number): Promise<WireResource> {
    return this.#write(`update ${kind}`, () => {
      const wire = this.#known(kind, id);
      updateAt(this, wire, attributes, at);
      return this.#view(kind, wire);
    });
  }

  addRoutes(id: string, routes: readonly Route[]): Promise<WireResource> {
    return this.#write('add routes', () =>
      this.#view('router', addRoutes(this, this.#known('router', id), routes)),
    );
  }

  removeRoutes(id: string, routes: readonly Route[]): Promise<WireResource> {
    return this.#write('remove routes', () =>
      this.#view('router', removeRoutes(this, this.#known('router', id), routes)),
    );
  }

  networkExtensions(): Promise<ReadonlySet<string>> {
    return Promise.resolve(new Set(this.extensions));
  }

  /** Not modelled: what is on a load balancer is then read in full. */
  statuses(): Promise<undefined> {
    return Promise.resolve(undefined);
  }

  projectId(): Promise<string> {
    return Promise.resolve('project');
  }

  octaviaVersion(): Promise<{ readonly major: number; readonly minor: number }> {
    return Promise.resolve({ major: 2, minor: this.#minor });
  }

  #insert(kind: CloudKind, attributes: Attributes): Wire {
    checkCreate(this, kind, attributes);
    const { listeners, default_pool, additional_vips, members, healthmonitor, l7policies, rules, ...own } =
      structuredClone(attributes);
    const wire: Wire = {
      ...defaults(kind, this.#made),
      ...own,
      ...(kind === 'loadbalancer' ? { additional_vips: vipsIn(asList(additional_vips), this.#made) } : {}),
      id: kind === 'secret' ? idByName(own) : this.#newId(),
    };
    this.all(kind).push(kind === 'secret' ? asStored(wire) : wire);
    const on = { loadbalancer_id: kind === 'loadbalancer' ? wire.id : wire['loadbalancer_id'] };
    if (kind === 'securitygroup')
      for (const rule of DEFAULT_RULES)
        this.all('securitygrouprule').push({ ...rule, id: this.#newId(), security_group_id: wire.id });
    for (const below of asList(listeners)) this.#insert('listener', { ...below, ...on });
    for (const below of asList(members)) this.#insert('member', { ...below, pool_id: wire.id });
    for (const below of asList(default_pool)) {
      checkNestedPool(below);
      wire['default_pool_id'] = this.#insert('pool', { ...below, ...on }).id;
    }
    for (const below of asList(healthmonitor)) this.#insert('healthmonitor', { ...below, pool_id: wire.id });
    for (const below of asList(l7policies))
      this.#insert('l7policy', { ...below, ...on, listener_id: wire.id });
    for (const below of asList(rules)) this.#insert('l7rule', { ...below, ...on, l7policy_id: wire.id });
    return wire;
  }

  #drop(kind: ReadKind, wire: Wire, cascade: boolean): void {
    if (kind === 'securitygroup') checkUnused(this, wire);
    const below: readonly (readonly [ReadKind, string])[] =
      kind === 'loadbalancer'
        ? [
            ['listener', 'loadbalancer_id'],
            ['pool', 'loadbalancer_id'],
          ]
        : kind === 'pool'
          ? [
              ['member', 'pool_id'],
              ['healthmonitor', 'pool_id'],
            ]
          : kind === 'listener'
            ? [['l7policy', 'listener_id']]
            : kind === 'l7policy'
              ? [['l7rule', 'l7policy_id']]
              : kind === 'securitygroup'
                ? [['securitygrouprule', 'security_group_id']]
                : [];
    for (const [child, by] of below) {
      const children = this.all(child).filter((one) => one[by] === wire.id);
      if (children.length > 0 && kind === 'loadbalancer' && !cascade)
        throw new ReconcileError('REJECTED', 'cannot delete a load balancer that has children');
      for (const one of children) this.#drop(child, one, cascade);
    }
    const users: readonly (readonly [ReadKind, string, unknown])[] = [
      ['listener', 'default_pool_id', wire.id],
      ['floatingip', 'port_id', wire['vip_port_id']],
    ];
    for (const [user, by, value] of users)
      for (const one of this.all(user)) if (value !== undefined && one[by] === value) one[by] = null;
    this.#objects.set(
      kind,
      this.all(kind).filter((one) => one !== wire),
    );
  }

  #lock(kind: CloudKind, attributes: Attributes): void {
    if (isOutsideOctavia(kind)) return;
    const pool = this.all('pool').find((one) => one.id === attributes['pool_id']);
    const policy = this.all('l7policy').find((one) => one.id === attributes['l7policy_id']);
    const listener = this.all('listener').find((one) => one.id === (policy ?? attributes)['listener_id']);
    const id =
      kind === 'loadbalancer'
        ? attributes['id']
        : (attributes['loadbalancer_id'] ?? (pool ?? listener)?.['loadbalancer_id']);
    if (typeof id !== 'string') return;
    if (this.#busy.has(id))
      throw new ReconcileError('LOAD_BALANCER_BUSY', `load balancer ${id} is immutable`);
    this.#busy.add(id);
  }

  #known(kind: ReadKind, id: string): Wire {
    const wire = this.all(kind).find((one) => one.id === id);
    if (!wire) throw new ReconcileError('GONE', `${kind} ${id} could not be found`);
    return wire;
  }

  async #write<T>(title: string, run: () => T): Promise<T> {
    const result = run();
    this.writes.push(title);
    return Promise.resolve(result);
  }

  #newId(): string {
    this.#made += 1;
    return `cccccccc-0000-4000-8000-${String(this.#made).padStart(12, '0')}`;
  }

  #view(kind: ReadKind, wire: Wire): Wire {
    const plain = structuredClone(wire);
    if (kind === 'securitygroup') return groupView(this, plain);
    if (kind === 'listener') {
      const policies = this.all('l7policy').filter((one) => one['listener_id'] === wire.id);
      return { ...plain, l7policies: policies.map(({ id }) => ({ id })) };
    }
    if (kind !== 'pool') return plain;
    const on = (child: ReadKind): Wire[] => this.all(child).filter((one) => one['pool_id'] === wire.id);
    const [monitor] = on('healthmonitor');
    return {
      ...plain,
      members: on('member').map(({ id }) => ({ id })),
      ...(monitor ? { healthmonitor_id: monitor.id } : {}),
    };
  }
}

/** Each with the address that was asked for, else one of its subnet. */
function vipsIn(vips: readonly Attributes[], made: number): readonly Attributes[] {
  const address = (vip: Attributes): string =>
    vip['subnet_id'] === SUBNET_IPV6 ? `fd00:10::${200 + (made % 50)}` : `10.9.0.${200 + (made % 50)}`;
  return vips.map((vip) => ({ ip_address: address(vip), ...vip }));
}

/** Of a monitor of type HTTP; the others have null, which makes no difference here. */
const HTTP_CHECK = {
  http_method: 'GET',
  url_path: '/',
  expected_codes: '200',
  http_version: null,
  domain_name: null,
};

/** What the servers fill in and a second plan must leave alone. */
function defaults(kind: CloudKind, made: number): Attributes {
  const common = { tags: [], admin_state_up: true, description: '', provisioning_status: 'ACTIVE' };
  switch (kind) {
    case 'loadbalancer': {
      const vip = {
        vip_address: `10.0.0.${200 + (made % 50)}`,
        vip_subnet_id: SUBNET,
        vip_port_id: `dddddddd-0000-4000-8000-${String(made).padStart(12, '0')}`,
      };
      return { ...common, ...vip, created_at: '2026-01-01T00:00:00', updated_at: null };
    }
    case 'listener':
      return {
        ...common,
        connection_limit: -1,
        timeout_client_data: 50_000,
        timeout_member_connect: 5_000,
        timeout_member_data: 50_000,
        timeout_tcp_inspect: 0,
        insert_headers: {},
        allowed_cidrs: null,
        default_tls_container_ref: null,
        sni_container_refs: [],
        tls_versions: ['TLSv1.2', 'TLSv1.3'],
        tls_ciphers: 'TLS_AES_256_GCM_SHA384',
        alpn_protocols: ['http/1.1'],
        client_authentication: 'NONE',
        client_ca_tls_container_ref: null,
        client_crl_container_ref: null,
        default_pool_id: null,
      };
    case 'pool':
      return {
        ...common,
        session_persistence: null,
        tls_enabled: false,
        ca_tls_container_ref: null,
        tls_container_ref: null,
        tls_versions: ['TLSv1.2', 'TLSv1.3'],
        tls_ciphers: 'TLS_AES_256_GCM_SHA384',
        created_at: `made ${String(made).padStart(9, '0')}`,
      };
    case 'member':
      return { ...common, weight: 1, backup: false, monitor_port: null };
    case 'healthmonitor':
      return { ...common, max_retries_down: 3, ...HTTP_CHECK };
    case 'l7policy':
    case 'l7rule':
      return common;
    case 'secret':
      return { status: 'ACTIVE', created: `2026-01-01T00:${String(made % 60).padStart(2, '0')}:00` };
    case 'floatingip':
      return {
        tags: [],
        description: '',
        port_id: null,
        floating_ip_address: `203.0.113.${1 + (made % 200)}`,
      };
    case 'securitygroup':
      return { tags: [], description: '', stateful: true, created_at: '2026-01-01T00:00:00Z' };
    case 'securitygrouprule':
      return { remote_group_id: null, description: '' };
    case 'port':
    case 'router':
      return {};
  }
}

function matches(wire: Wire, query: Query): boolean {
  return Object.entries(query).every(([name, value]) => {
    const tags = wire['tags'] as readonly string[] | undefined;
    if (name === 'tags')
      return String(value)
        .split(',')
        .every((tag) => tags?.includes(tag));
    if (name === 'tags-any')
      return String(value)
        .split(',')
        .some((tag) => tags?.includes(tag));
    if (name === 'fixed_ips')
      return (wire['fixed_ips'] as Attributes[]).some((fixed) =>
        [value].flat().includes(`ip_address=${String(fixed['ip_address'])}`),
      );
    if (name === 'security_groups')
      return [value].flat().some((id) => (wire['security_groups'] as unknown[]).includes(id));
    return name === 'fields' || [value].flat().some((one) => wire[name] === one);
  });
}

function asList(value: unknown): readonly Attributes[] {
  return value === undefined ? [] : ([value].flat() as unknown[] as readonly Attributes[]);
}
