/** A settled Service in a world without sockets, in which somebody changes things by hand. */
import type { SandboxInside } from '../../../infra/sandbox/sandbox.ts';
import type { Report } from '../../../shared/model/outcome.ts';
import type { Step } from '../../../shared/model/plan.ts';
import { serviceKey } from '../../../shared/model/request.ts';
import type { Cloud, World } from '../../../shared/ports.ts';
import { sweep } from '../../../shared/sweep.ts';
import { tablesOf } from '../../faults/matrix/whole-world.ts';
import { aConfig } from '../../support/config.ts';
import { AUTH_URL, inProcessWorld } from '../../support/in-process.ts';
import { aService } from '../../support/service.ts';
import { aTlsSecret } from '../../support/tls-secret.ts';
import { SILENT } from '../../support/sandbox-world.ts';
import { aProcess, inVirtualTime, runsOf } from '../../support/virtual-time.ts';

const OWN = 'levelset.openstack.org/';

/** What a Service may ask for, each in addition to a TCP port. */
export const FEATURES = {
  redirect: { [`${OWN}redirect-http.80`]: 'true', [`${OWN}redirect-host.80`]: 'app.example.org' },
  http: { [`${OWN}protocol.80`]: 'http', [`${OWN}monitor-type.80`]: 'HTTP' },
  tls: { [`${OWN}tls-secret.443`]: 'web-tls' },
  limits: {
    'loadbalancer.openstack.org/connection-limit': '100',
    'loadbalancer.openstack.org/timeout-client-data': '10000',
    'loadbalancer.openstack.org/timeout-member-data': '20000',
  },
  members: {
    [`${OWN}member-weights`]: 'node-1=10',
    'loadbalancer.openstack.org/lb-method': 'LEAST_CONNECTIONS',
  },
} as const;

export type Feature = keyof typeof FEATURES;

export interface Told {
  readonly drift: readonly Step[];
  readonly reports: readonly Report[];
}

export interface DriftWorld {
  readonly inside: SandboxInside;
  readonly world: World;
  /** Another process takes over, which remembers nothing. */
  restart(): void;
  /** Somebody else's client. */
  readonly hand: Cloud;
  apply(annotations?: Readonly<Record<string, string>>, type?: 'LoadBalancer' | 'ClusterIP'): void;
  /** One sweep, and the runs that it asks for until they are at rest. */
  sweepOnce(): Promise<Told>;
  /** What somebody did a minute after everything was settled. */
  byHand(change: () => void): void;
  /** Rows by kind, without times and states. */
  picture(): Readonly<Record<string, readonly object[]>>;
  writes(): readonly string[];
  isReady(): boolean;
}

export async function startDriftWorld(
  features: readonly Feature[],
  annotations: Readonly<Record<string, string>> = {},
  nodes = 2,
  manageSecurityGroups = true,
): Promise<DriftWorld> {
  const inside = inVirtualTime({ nodes });
  const { kube, cloud, clock } = inside;
  const config = { ...aConfig(AUTH_URL, { manageSecurityGroups }), given: ['lbMethod'] };
  let world = inProcessWorld(inside, config, SILENT);
  kube.apply({ kind: 'Secret', ...aTlsSecret('one') });
  const asked = Object.assign({}, ...features.map((feature) => FEATURES[feature])) as Record<string, string>;
  const ports = [80, 443, 5432].map((port) => ({
    ...{ name: `p-${port}`, port, targetPort: 8080, nodePort: 30_000 + port },
  }));
  const it: DriftWorld = {
    inside,
    get world() {
      return world;
    },
    restart: () => {
      world = inProcessWorld(inside, config, SILENT);
    },
    hand: aProcess(inside).cloud,
    apply: (more = {}, as = 'LoadBalancer') => {
      kube.apply(aService({ annotations: { ...asked, ...annotations, ...more }, spec: { ports, type: as } }));
    },
    sweepOnce: async () => {
      const found = await sweep(world);
      const reports: Report[] = [];
      for (const request of found.requests) reports.push(...(await runsOf(request, world, inside)));
      const plans = reports.flatMap(({ plan }) => plan ?? []);
      return { drift: plans.flatMap(({ drift = [] }) => drift), reports };
    },
    byHand: (change) => {
      clock.advance(60_000);
      change();
      for (const lb of cloud.loadbalancers) lb.updated_at = cloud.octaviaTime();
      clock.advance(60_000);
    },
    picture: () =>
      Object.fromEntries(Object.entries(tablesOf(inside)).map(([kind, rows]) => [kind, rows.map(timeless)])),
    isReady: () =>
      kube
        .list('Service')
        .every(({ status }) =>
          JSON.stringify(status).includes('"type":"levelset.openstack.org/Ready","status":"True"'),
        ),
    writes: () =>
      inside.requests
        .filter(({ side, write }) => side === 'openstack' && write)
        .map(({ method, path }) => `${method} ${path}`)
        .filter((line) => !line.includes('/auth/tokens')),
  };
  it.apply();
  await runsOf({ key: serviceKey('default', 'web'), trigger: 'audit' }, world, inside);
  for (let sweeps = 0; sweeps < 3; sweeps += 1) {
    clock.advance(60_000);
    await it.sweepOnce();
  }
  return it;
}

/** Without ids and what follows from them: what levelset makes anew has others. */
function timeless(row: object): Readonly<Record<string, unknown>> {
  const left = ['updated_at', 'created_at', 'revision_number', 'provisioning_status', 'operating_status'];
  return Object.fromEntries(
    Object.entries(row)
      .filter(([name]) => !left.includes(name))
      .map(([name, value]) => [name, Array.isArray(value) ? (value as unknown[]).toSorted() : value]),
  );
}

/** What levelset makes anew has other ids and addresses. */
export function withoutIds(picture: object): unknown {
  const text = JSON.stringify(picture)
    .replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}/g, 'ID')
    .replaceAll(/"(?:10\.0\.0\.1[2-9]|203[^"]*|fd00[^"]*|fa:16[^"]*)"/g, '"ADDRESS"');
  const tables = JSON.parse(text) as Record<string, object[]>;
  const asText = (row: object): string => JSON.stringify(Object.entries(row).sort());
  return Object.fromEntries(Object.entries(tables).map(([name, rows]) => [name, rows.map(asText).sort()]));
}
