import { countedLots } from '../../infra/sandbox/lots.ts';
import { createSandbox, type SandboxInside } from '../../infra/sandbox/sandbox.ts';
import { VirtualClock } from '../../infra/sandbox/sandbox-clock.ts';
import { connectCloud } from '../../shared/openstack/connect-cloud.ts';
import type { Cloud, ReadKind } from '../../shared/ports.ts';
import { AUTHORITY, NETWORKS, REVOCATIONS, type Contents, type Wire } from './cloud-contents.ts';
import { aConfig } from './config.ts';
import { AUTH_URL, cloudTransport } from './in-process.ts';
import { asPkcs12, certificateOf, keyOfPair } from './tls-secret.ts';

const MADE_AT = '2026-01-01T00:00:00';

/** What rows of Octavia have besides what a test says of them. */
const OF_OCTAVIA = {
  ...{ name: '', description: '', tags: [], admin_state_up: true },
  ...{ provisioning_status: 'ACTIVE', operating_status: 'ONLINE', created_at: MADE_AT, updated_at: null },
};

/** The same of Neutron. */
const OF_NEUTRON = {
  ...{ name: '', description: '', tags: [], revision_number: 1 },
  ...{ created_at: `${MADE_AT}Z`, updated_at: `${MADE_AT}Z` },
};

/** A cloud of a test, in which an operation of Octavia ends when the test says so. */
export interface SteppedCloud extends Cloud {
  unlock(): void;
  all(kind: ReadKind): Wire[];
}

/** The program's own client before the simulated OpenStack with these contents, in process, with what a test does behind the client's back. */
export class SimulatedCloud implements SteppedCloud {
  readonly writes: string[] = [];
  readonly #inside = createSandbox(
    { nodes: 0, pendingMs: 1, octavia: { provider: 'ovn' } },
    new VirtualClock(),
    countedLots(),
  );
  readonly #client: Cloud;

  constructor(contents: Contents = {}, minor = 26) {
    // also a later one than the simulator takes writes of
    Object.assign(this.#inside.cloud.octaviaTraits, { minor, provider: 'amphora' });
    fill(this.#inside, { ...NETWORKS, ...contents });
    const transport = cloudTransport(this.#inside);
    this.#client = connectCloud(aConfig(AUTH_URL).openstack, { transport }).cloud;
  }

  /** Octavia has ended what it was doing. */
  unlock(): void {
    this.#inside.advanceClock(1);
  }

  /** What somebody else makes, with what it has besides what is said of it. */
  add(kind: ReadKind, wire: Wire): void {
    addTo(this.#table(kind), [structuredClone(wire)]);
  }

  all(kind: ReadKind): Wire[] {
    return this.#table(kind).rows as unknown as Wire[];
  }

  #table(kind: ReadKind): Table {
    const table = tablesOf(this.#inside.cloud)[kind];
    if (!table) throw new Error(`the simulator has no rows of ${kind}`);
    return table;
  }

  during() {
    return this;
  }
  list(...given: Parameters<Cloud['list']>) {
    return this.#client.list(...given);
  }
  get(...given: Parameters<Cloud['get']>) {
    return this.#client.get(...given);
  }
  create(...given: Parameters<Cloud['create']>) {
    return this.write(`create ${given[0]}`, () => this.#client.create(...given));
  }
  update(...given: Parameters<Cloud['update']>) {
    return this.write(`update ${given[0]}`, () => this.#client.update(...given));
  }
  remove(...given: Parameters<Cloud['remove']>) {
    return this.write(`delete ${given[0]}`, () => this.#client.remove(...given));
  }
  failover(id: string) {
    return this.write('fail over', () => this.#client.failover(id));
  }
  putMembers(...given: Parameters<Cloud['putMembers']>) {
    return this.write('put members', () => this.#client.putMembers(...given));
  }
  updateAt(...given: Parameters<Cloud['updateAt']>) {
    return this.write(`update ${given[0]}`, () => this.#client.updateAt(...given));
  }
  addRoutes(...given: Parameters<Cloud['addRoutes']>) {
    return this.write('add routes', () => this.#client.addRoutes(...given));
  }
  removeRoutes(...given: Parameters<Cloud['removeRoutes']>) {
    return this.write('remove routes', () => this.#client.removeRoutes(...given));
  }
  readonly networkExtensions = () => this.#client.networkExtensions();
  readonly statuses = (id: string) => this.#client.statuses(id);
  readonly certificateText = (id: string) => this.#client.certificateText(id);
  readonly quota = () => this.#client.quota();
  readonly projectId = () => this.#client.projectId();
  readonly region = () => this.#client.region();
  readonly octaviaVersion = () => this.#client.octaviaVersion();

  /** Each write goes through here: `VERB KIND`. */
  async write<T>(title: string, send: () => Promise<T>): Promise<T> {
    const result = await send();
    this.writes.push(title);
    return result;
  }
}

interface Table {
  readonly rows: { push: (...rows: never[]) => number; length: number };
  /** What a row has besides what a test says of it. */
  readonly defaults: object;
}

function tablesOf(cloud: SandboxInside['cloud']): Readonly<Partial<Record<ReadKind, Table>>> {
  const { projectId: project_id } = cloud;
  const of =
    (all: object) =>
    (rows: Table['rows'], more: object = {}): Table => ({ rows, defaults: { ...all, project_id, ...more } });
  const [octavia, neutron] = [of(OF_OCTAVIA), of(OF_NEUTRON)];
  const barbican = of({ name: '', created: MADE_AT, updated: MADE_AT, acl: undefined });
  const ofPort = { device_id: '', device_owner: '', security_groups: [], port_security_enabled: true };
  return {
    loadbalancer: octavia(cloud.loadbalancers, { vip_port_id: '' }),
    listener: octavia(cloud.listeners, { default_pool_id: null }),
    pool: octavia(cloud.pools),
    member: octavia(cloud.members),
    healthmonitor: octavia(cloud.healthmonitors),
    l7policy: octavia(cloud.l7policies, { redirect_pool_id: null }),
    l7rule: octavia(cloud.l7rules),
    floatingip: neutron(cloud.floatingips, { port_id: null }),
    securitygroup: neutron(cloud.securityGroups),
    securitygrouprule: neutron(cloud.securityGroupRules),
    qos_policy: neutron(cloud.qosPolicies),
    router: neutron(cloud.routers, { external_gateway_info: null, routes: [] }),
    subnet: neutron(cloud.subnets, { ip_version: 4 }),
    network: neutron(cloud.networks, { 'router:external': false, subnets: [] }),
    port: neutron(cloud.ports, { ...ofPort, fixed_ips: [] }),
    container: barbican(cloud.secretContainers, { type: 'certificate', secret_refs: CONTAINER_PARTS }),
    secret: barbican(cloud.secrets, { secret_type: 'opaque', content_type: null }),
    flavor: { rows: cloud.flavors, defaults: {} },
    availabilityzone: { rows: cloud.availabilityZones, defaults: {} },
  };
}

const CONTAINER_PARTS = ['certificate', 'private_key'].map((name, at) => {
  const id = `aaaaaaaa-0000-4000-8000-0000000000d${at}`;
  return { name, id, secret_ref: `http://127.0.0.1:9311/v1/secrets/${id}` };
});
const certificate = Buffer.from(certificateOf('one'));
const privateKey = Buffer.from(keyOfPair('one'));
const bundle = Buffer.from(asPkcs12('one')['payload'] ?? '', 'base64');

function addTo({ rows, defaults }: Table, wires: readonly object[]): void {
  rows.push(...(wires.map((wire) => ({ ...defaults, ...wire })) as never[]));
}

/** The external network is the cloud's own. */
const OF_OTHERS = { 'router:external': true, project_id: 'f02c0e61f173495489118af8f1070c81' };

/** In place of all that was there. */
function fill({ cloud }: SandboxInside, contents: Contents): void {
  cloud.barbicanHref = 'http://127.0.0.1:9311';
  const { projectId } = cloud;
  const { subnet: subnets = [], port: ports = [], network: networks = [], secret: secrets = [] } = contents;
  const external = networks.map(({ id }) => id);
  const subnetsOf = (network: string): readonly string[] =>
    subnets.filter(({ network_id: id }) => id === network).map(({ id }) => id);
  const networkOf = ({ fixed_ips: ips }: Wire): unknown =>
    subnets.find(({ id }) => (ips as readonly Wire[] | undefined)?.[0]?.['subnet_id'] === id)?.['network_id'];
  const every: Partial<Record<ReadKind, readonly object[]>> = {
    ...structuredClone(contents),
    port: structuredClone([...ports, ...vipPorts(contents)]).map((port) => ({
      network_id: networkOf(port) ?? '',
      ...port,
    })),
    network: [...new Set([...external, ...subnets.map((subnet) => String(subnet['network_id']))])].map(
      (id) => ({ id, ...(external.includes(id) && { ...OF_OTHERS, subnets: subnetsOf(id) }) }),
    ),
    secret: [
      ...secrets.map((wire) => ({ ...wire, payload: payloadOf(wire.id) })),
      ...CONTAINER_PARTS.map(({ id, name }) => ({
        ...{ id, name, payload: name === 'certificate' ? certificate : privateKey },
      })),
    ],
  };
  for (const [kind, table] of Object.entries(tablesOf(cloud))) {
    table.rows.length = 0;
    const wires = every[kind as ReadKind] ?? [];
    addTo(table, kind === 'network' ? wires : wires.map((wire) => ({ ...wire, project_id: projectId })));
  }
}

function payloadOf(id: string): Buffer {
  if (id === AUTHORITY) return certificate;
  return id === REVOCATIONS ? Buffer.from('-----BEGIN X509 CRL-----') : bundle;
}

/** The VIP ports that a case does not name: it has them, unless it says otherwise. */
function vipPorts({ loadbalancer = [], port = [] }: Contents): readonly Wire[] {
  const named = new Set<unknown>(port.map(({ id }) => id));
  const ids = loadbalancer.map(({ vip_port_id: id }) => id);
  return ids.flatMap((id) =>
    typeof id !== 'string' || named.has(id) ? [] : [{ id, device_owner: 'Octavia' }],
  );
}
