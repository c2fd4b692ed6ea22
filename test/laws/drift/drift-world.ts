/** A settled Service in a world without sockets, in which somebody changes things by hand. */
import type { SandboxInside } from '../../../infra/sandbox/sandbox.ts';
import type { Report } from '../../../shared/model/outcome.ts';
import type { Step } from '../../../shared/model/plan.ts';
import { serviceKey } from '../../../shared/model/request.ts';
import { sweep } from '../../../shared/sweep.ts';
import { tablesOf } from '../../faults/matrix/whole-world.ts';
import { aConfig } from '../../support/config.ts';
import { AUTH_URL, inProcessWorld } from '../../support/in-process.ts';
import { aService } from '../../support/service.ts';
import { keepTlsSecret } from '../../support/tls-secret.ts';
import { cloudWrites, readyOf } from '../../support/told.ts';
import { SILENT } from '../../support/sandbox-world.ts';
import { aProcess, inVirtualTime, runsOf } from '../../support/virtual-time.ts';

const OWN = 'levelset.openstack.org/';
const OCCM = 'loadbalancer.openstack.org/';

/** What a Service may ask for, each in addition to a TCP port. */
export const FEATURES = {
  redirect: { [`${OWN}redirect-http.80`]: 'true', [`${OWN}redirect-host.80`]: 'app.example.org' },
  http: { [`${OWN}protocol.80`]: 'http', [`${OWN}monitor-type.80`]: 'HTTP' },
  tls: { [`${OWN}tls-secret.443`]: 'web-tls' },
  limits: {
    ...{ [`${OCCM}connection-limit`]: '100', [`${OCCM}timeout-client-data`]: '10000' },
    [`${OCCM}timeout-member-data`]: '20000',
  },
  members: { [`${OWN}member-weights`]: 'node-1=10', [`${OCCM}lb-method`]: 'LEAST_CONNECTIONS' },
} as const;

export type Feature = keyof typeof FEATURES;

type Annotations = Readonly<Record<string, string>>;

export type DriftWorld = Awaited<ReturnType<typeof startDriftWorld>>;

export async function startDriftWorld(
  features: readonly Feature[],
  annotations: Annotations = {},
  nodes = 2,
  manageSecurityGroups = true,
) {
  const inside: SandboxInside = inVirtualTime({ nodes });
  const { kube, cloud, clock } = inside;
  const config = { ...aConfig(AUTH_URL, { manageSecurityGroups }), given: ['lbMethod'] };
  const world = inProcessWorld(inside, config, SILENT);
  keepTlsSecret(inside, 'one');
  const asked = Object.assign({}, ...features.map((feature) => FEATURES[feature])) as Record<string, string>;
  const ports = [80, 443, 5432].map((port) => ({
    ...{ name: `p-${port}`, port, targetPort: 8080, nodePort: 30_000 + port },
  }));
  const apply = (more: Annotations = {}, type = 'LoadBalancer') =>
    kube.apply(aService({ annotations: { ...asked, ...annotations, ...more }, spec: { ports, type } }));
  /** One sweep, and the runs that it asks for until they are at rest. */
  const sweepOnce = async () => {
    const found = await sweep(world);
    const reports: Report[] = [];
    for (const request of found.requests) reports.push(...(await runsOf(request, world, inside)));
    return { drift: reports.flatMap(({ plan }) => plan ?? []).flatMap(({ drift = [] }) => drift), reports };
  };
  /** So many of them, each a minute before the next, and the drift of which they tell. */
  const sweeps = async (count: number): Promise<readonly Step[]> => {
    const all: Step[] = [];
    for (let nth = 0; nth < count; nth += 1) {
      all.push(...(await sweepOnce()).drift);
      clock.advance(60_000);
    }
    return all;
  };
  apply();
  await runsOf({ key: serviceKey('default', 'web'), trigger: 'audit' }, world, inside);
  for (let nth = 0; nth < 3; nth += 1) {
    clock.advance(60_000);
    await sweepOnce();
  }
  return {
    ...{ inside, world, apply, sweepOnce, sweeps },
    /** Somebody else's client. */
    hand: aProcess(inside).cloud,
    /** What somebody did a minute after everything was settled. */
    byHand: (change: () => void): void => {
      clock.advance(60_000);
      change();
      for (const lb of cloud.loadbalancers) lb.updated_at = cloud.octaviaTime();
      clock.advance(60_000);
    },
    /** Each row as a line, without times and states. */
    picture: (): readonly string[] =>
      Object.entries(tablesOf(inside)).flatMap(([kind, rows]) => rows.map((row) => `${kind} ${lineOf(row)}`)),
    isReady: () => readyOf(inside)?.status === 'True',
    writes: (): readonly string[] => cloudWrites(inside),
  };
}

const PASSING = ['updated_at', 'created_at', 'revision_number', 'provisioning_status', 'operating_status'];

function lineOf(row: object): string {
  const lasting = Object.entries(row).filter(([name]) => !PASSING.includes(name));
  const sorted = lasting.map(([name, value]) => [
    name,
    Array.isArray(value) ? (value as unknown[]).toSorted() : (value as unknown),
  ]);
  return JSON.stringify(sorted.sort());
}

/** What levelset makes anew has other ids and addresses. */
export const withoutIds = (picture: readonly string[]): readonly string[] =>
  picture
    .map((line) =>
      line
        .replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}/g, 'ID')
        .replaceAll(/"(?:10\.0\.0\.1[2-9]|203[^"]*|fd00[^"]*|fa:16[^"]*)"/g, '"ADDRESS"'),
    )
    .sort();
