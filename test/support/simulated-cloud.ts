import { countedLots } from '../../infra/sandbox/lots.ts';
import { createSandbox, type SandboxInside } from '../../infra/sandbox/sandbox.ts';
import { VirtualClock } from '../../infra/sandbox/sandbox-clock.ts';
import { connectCloud } from '../../shared/openstack/connect-cloud.ts';
import type { Cloud, ReadKind } from '../../shared/ports.ts';
import { bundle, certificate, privateKey } from '../conformance/certificates.ts';
import { AUTHORITY, NETWORKS, REVOCATIONS, type Contents, type Wire } from './cloud-model.ts';
import { aConfig } from './config.ts';
import { AUTH_URL, cloudTransport } from './in-process.ts';

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

/** The program's own client before the simulated OpenStack with these contents, and nothing else, in process. */
export function simulatedCloud(contents: Contents, minor = 26): Cloud {
  const inside = createSandbox({ nodes: 0 }, new VirtualClock(), countedLots());
  // also a later one than the simulator takes writes of
  Object.assign(inside.cloud.octaviaTraits, { minor });
  fill(inside, { ...NETWORKS, ...contents });
  return connectCloud(aConfig(AUTH_URL).openstack, { transport: cloudTransport(inside) }).cloud;
}

/** A cloud of a test, in which an operation of Octavia ends when the test says so. */
export interface SteppedCloud extends Cloud {
  unlock(): void;
  all(kind: ReadKind): Wire[];
}

/** The same with what a test does to it behind the client's back. */
export class SimulatedCloud implements SteppedCloud {
  readonly writes: string[] = [];
  readonly #inside = createSandbox({ nodes: 0, pendingMs: 1 }, new VirtualClock(), countedLots());
  readonly #client: Cloud;

  constructor(contents: Contents = {}, minor = 26) {
    Object.assign(this.#inside.cloud.octaviaTraits, { minor });
    fill(this.#inside, { ...NETWORKS, ...contents });
    const transport = cloudTransport(this.#inside);
    this.#client = connectCloud(aConfig(AUTH_URL).openstack, { transport }).cloud;
  }

  /** Octavia has ended what it was doing. */
  unlock(): void {
    this.#inside.advanceClock(1);
  }

  /** What somebody else makes, with what it has besides what is said of it. */
  add(kind: 'loadbalancer' | 'listener' | 'pool', wire: Wire): void {
    const { projectId: project_id } = this.#inside.cloud;
    this.all(kind).push({ ...OF_OCTAVIA, default_pool_id: null, project_id, ...wire });
  }

  /** What Neutron can do, by the aliases of its extensions. */
  set extensions(aliases: readonly string[]) {
    this.#inside.cloud.extensions.splice(0, Infinity, ...aliases);
  }

  all(kind: ReadKind): Wire[] {
    const { cloud } = this.#inside;
    const tables: Partial<Record<ReadKind, unknown>> = {
      loadbalancer: cloud.loadbalancers,
      listener: cloud.listeners,
      pool: cloud.pools,
      member: cloud.members,
      healthmonitor: cloud.healthmonitors,
      l7policy: cloud.l7policies,
      l7rule: cloud.l7rules,
      floatingip: cloud.floatingips,
      port: cloud.ports,
      router: cloud.routers,
      securitygroup: cloud.securityGroups,
      securitygrouprule: cloud.securityGroupRules,
      subnet: cloud.subnets,
      network: cloud.networks,
      secret: cloud.secrets,
      container: cloud.secretContainers,
    };
    return tables[kind] as Wire[];
  }

  list(...given: Parameters<Cloud['list']>) {
    return this.#client.list(...given);
  }
  get(...given: Parameters<Cloud['get']>) {
    return this.#client.get(...given);
  }
  create(...given: Parameters<Cloud['create']>) {
    return this.#written(`create ${given[0]}`, this.#client.create(...given));
  }
  update(...given: Parameters<Cloud['update']>) {
    return this.#written(`update ${given[0]}`, this.#client.update(...given));
  }
  remove(...given: Parameters<Cloud['remove']>) {
    return this.#written(`delete ${given[0]}`, this.#client.remove(...given));
  }
  putMembers(...given: Parameters<Cloud['putMembers']>) {
    return this.#written('put members', this.#client.putMembers(...given));
  }
  updateAt(...given: Parameters<Cloud['updateAt']>) {
    return this.#written(`update ${given[0]}`, this.#client.updateAt(...given));
  }
  addRoutes(...given: Parameters<Cloud['addRoutes']>) {
    return this.#written('add routes', this.#client.addRoutes(...given));
  }
  removeRoutes(...given: Parameters<Cloud['removeRoutes']>) {
    return this.#written('remove routes', this.#client.removeRoutes(...given));
  }
  networkExtensions() {
    return this.#client.networkExtensions();
  }
  statuses(id: string) {
    return this.#client.statuses(id);
  }
  certificateText(id: string) {
    return this.#client.certificateText(id);
  }
  quota() {
    return this.#client.quota();
  }
  projectId() {
    return this.#client.projectId();
  }
  octaviaVersion() {
    return this.#client.octaviaVersion();
  }

  async #written<T>(title: string, done: Promise<T>): Promise<T> {
    const result = await done;
    this.writes.push(title);
    return result;
  }
}

/** In place of all that was there. */
function fill({ cloud }: SandboxInside, contents: Contents): void {
  const { projectId: project_id } = cloud;
  cloud.barbicanHref = 'http://127.0.0.1:9311';
  const own = (kind: keyof Contents, more: object): readonly Wire[] =>
    (contents[kind] ?? []).map((wire) => ({ ...more, ...structuredClone(wire), project_id }));
  const put = (
    rows: { push: (...rows: never[]) => number; length: number },
    wires: readonly Wire[],
  ): void => {
    rows.length = 0;
    rows.push(...(wires as never[]));
  };
  put(cloud.loadbalancers, own('loadbalancer', { ...OF_OCTAVIA, vip_port_id: '' }));
  put(cloud.listeners, own('listener', { ...OF_OCTAVIA, default_pool_id: null }));
  put(cloud.pools, own('pool', OF_OCTAVIA));
  put(cloud.members, own('member', OF_OCTAVIA));
  put(cloud.healthmonitors, own('healthmonitor', OF_OCTAVIA));
  put(cloud.l7policies, own('l7policy', { ...OF_OCTAVIA, redirect_pool_id: null }));
  put(cloud.l7rules, own('l7rule', OF_OCTAVIA));
  put(cloud.floatingips, own('floatingip', { ...OF_NEUTRON, port_id: null }));
  put(cloud.securityGroups, own('securitygroup', OF_NEUTRON));
  put(cloud.securityGroupRules, own('securitygrouprule', OF_NEUTRON));
  put(cloud.qosPolicies, own('qos_policy', OF_NEUTRON));
  put(cloud.routers, own('router', { ...OF_NEUTRON, external_gateway_info: null, routes: [] }));
  const subnets = own('subnet', { ...OF_NEUTRON, ip_version: 4 });
  put(cloud.subnets, subnets);
  const ofPort = {
    ...OF_NEUTRON,
    device_id: '',
    device_owner: '',
    security_groups: [],
    fixed_ips: [],
    port_security_enabled: true,
  };
  const networkOf = ({ fixed_ips: ips }: Wire): unknown =>
    subnets.find(({ id }) => (ips as readonly Wire[] | undefined)?.[0]?.['subnet_id'] === id)?.['network_id'];
  put(
    cloud.ports,
    own('port', ofPort).map((port) => ({ network_id: networkOf(port) ?? '', ...port })),
  );
  const external = (contents.network ?? []).map(({ id }) => id);
  const networks = new Set([...external, ...subnets.map((subnet) => String(subnet['network_id']))]);
  put(
    cloud.networks,
    [...networks].map((id) => ({
      ...{ ...OF_NEUTRON, id, 'router:external': external.includes(id), subnets: [] },
      project_id: external.includes(id) ? 'f02c0e61f173495489118af8f1070c81' : project_id,
    })),
  );
  cloud.flavors.splice(0, Infinity, ...((contents.flavor ?? []) as never[]));
  cloud.availabilityZones.splice(0, Infinity, ...((contents.availabilityzone ?? []) as never[]));
  const ofBarbican = { name: '', created: MADE_AT, updated: MADE_AT, acl: undefined };
  const parts = ['certificate', 'private_key'].map((name, at) => {
    const id = `aaaaaaaa-0000-4000-8000-0000000000d${at}`;
    return { name, id, secret_ref: `http://127.0.0.1:9311/v1/secrets/${id}` };
  });
  put(cloud.secretContainers, own('container', { ...ofBarbican, type: 'certificate', secret_refs: parts }));
  const ofSecret = { ...ofBarbican, secret_type: 'opaque', content_type: null, project_id };
  put(cloud.secrets, [
    ...own('secret', ofSecret).map((wire) => ({ ...wire, payload: payloadOf(wire.id) })),
    ...parts.map(({ id, name }) => ({
      ...{ ...ofSecret, id, name },
      payload: Buffer.from(name === 'certificate' ? certificate : privateKey),
    })),
  ]);
}

function payloadOf(id: string): Buffer {
  if (id === AUTHORITY) return Buffer.from(certificate);
  if (id === REVOCATIONS) return Buffer.from('-----BEGIN X509 CRL-----');
  return Buffer.from(bundle, 'base64');
}
