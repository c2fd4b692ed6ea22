import { looksAfterNodes, looksAfterRoutes } from '../../../shared/config/controllers.ts';
import { isError } from '../../../shared/model/errors.ts';
import type { ServiceType } from '../../../shared/openstack/openstack-http.ts';
import { cloudSource, tried, type Examined } from './examined.ts';
import { finding, shellWord, type Finding } from './finding.ts';

/** A server's time, and between which times of this machine's clock it was told. All are in milliseconds since 1970. */
interface TimeTold {
  readonly serverTimeMs: number;
  readonly sentMs: number;
  readonly answeredMs: number;
}

interface Endpoints {
  readonly findings: readonly Finding[];
  /** The services that answer, so that what a silent one would say is not asked. */
  readonly alive: ReadonlySet<ServiceType>;
  /** The time of OpenStack; undefined if no service has told it. */
  readonly time: TimeTold | undefined;
}

/** Whether the endpoints of Keystone's catalog answer from here. */
export async function checkEndpoints(examined: Examined): Promise<Endpoints> {
  const { session, world } = examined.connected;
  const hasServers = looksAfterNodes(world.config) || looksAfterRoutes(world.config);
  const alive = new Set<ServiceType>();
  let time: TimeTold | undefined;
  /** @param without who needs the service; empty: levelset cannot work without it */
  const check = async (service: ServiceType, without = ''): Promise<Finding> => {
    const listed = await tried(session.requireService(service));
    if (isError(listed) && without !== '')
      return finding('note', 'network', `there is no ${service} in Keystone's catalog; ${without}`);
    if (isError(listed)) {
      const remedy = `name the region and the interface of the endpoint in [Global] of ${cloudSource(examined)}:\nopenstack catalog show ${service}`;
      return finding('failure', 'network', listed.message, remedy);
    }
    const url = examined.entry === undefined ? listed : `the endpoint of ${service}`;
    const attempted = `read the versions of ${service}`;
    const sentMs = Date.now();
    const answer = await tried(session.send({ service, method: 'GET', path: '/', attempted }));
    if (!isError(answer) && answer.status < 500) {
      alive.add(service);
      const { serverTimeMs } = answer;
      if (serverTimeMs !== undefined) time = { serverTimeMs, sentMs, answeredMs: Date.now() };
      return finding('ok', 'network', `${service} answers at ${url}`);
    }
    const why = isError(answer) ? answer.message : `HTTP ${answer.status}`;
    const remedy = `see whether this machine reaches it; region and interface in [Global] of ${cloudSource(examined)} choose the endpoint:\ncurl -v ${examined.entry === undefined ? shellWord(url) : 'URL'}\nopenstack catalog show ${service}`;
    const what = `${service} does not answer at ${url}: ${why}`;
    return finding(without === '' ? 'failure' : 'warning', 'network', what, remedy);
  };
  const findings = await Promise.all([
    check('load-balancer'),
    check('network'),
    check('compute', hasServers ? '' : 'only the controllers of Nodes and routes need it'),
    check('key-manager', 'only TLS listeners need it'),
  ]);
  return { findings, alive, time };
}

/** The header Date has whole seconds. */
const MOST_SECONDS = 5;

/** How far this machine's clock is from a server's. */
export function checkClock(side: string, told: TimeTold | undefined): readonly Finding[] {
  if (!told) return [];
  const { serverTimeMs, sentMs, answeredMs } = told;
  const nearest = Math.min(Math.max(serverTimeMs, sentMs), answeredMs);
  const seconds = Math.round((nearest - serverTimeMs) / 1_000);
  if (Math.abs(seconds) <= MOST_SECONDS) return [finding('ok', 'clock', `the clock is that of ${side}`)];
  const where = `${Math.abs(seconds)} s ${seconds > 0 ? 'ahead of' : 'behind'} that of ${side}`;
  const what = `the clock of this machine is ${where}: what changed lately may be read late, and deletion budgets count wrong hours`;
  const remedy =
    'set the clock of the machine that is wrong, here or there:\ntimedatectl set-ntp true\ntimedatectl timesync-status';
  return [finding('warning', 'clock', what, remedy)];
}
