import type { ServiceType } from '../../../shared/openstack/openstack-http.ts';
import type { TimeTold } from './check-clock.ts';
import { servicesOf } from './check-credentials.ts';
import { cloudSource, tried, type Examined } from './examined.ts';
import type { Finding } from './finding.ts';
import { shellWord } from './shell-word.ts';

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
  const alive = new Set<ServiceType>();
  let time: TimeTold | undefined;
  const findings = await Promise.all(
    servicesOf(world.config).map(async ({ service, needed }): Promise<Finding> => {
      const listed = await tried(() => session.requireService(service));
      if ('error' in listed) return missing(examined, listed.error.message, service, needed);
      const url = examined.entry === undefined ? listed.value : `the endpoint of ${service}`;
      const sentMs = Date.now();
      const answer = await tried(() =>
        session.send({ service, method: 'GET', path: '/', attempted: `read the versions of ${service}` }),
      );
      if ('value' in answer && answer.value.status < 500) {
        alive.add(service);
        const { serverTimeMs } = answer.value;
        if (serverTimeMs !== undefined) time = { serverTimeMs, sentMs, answeredMs: Date.now() };
        return { area: 'network', level: 'ok', what: `${service} answers at ${url}` };
      }
      const why = 'error' in answer ? answer.error.message : `HTTP ${answer.value.status}`;
      return {
        area: 'network',
        level: needed ? 'failure' : 'warning',
        what: `${service} does not answer at ${url}: ${why}`,
        remedy: `see whether this machine reaches it; region and interface in [Global] of ${cloudSource(examined)} choose the endpoint:\ncurl -v ${examined.entry === undefined ? shellWord(url) : 'URL'}\nopenstack catalog show ${service}`,
      };
    }),
  );
  return { findings, alive, time };
}

function missing(examined: Examined, message: string, service: ServiceType, needed: boolean): Finding {
  if (!needed)
    return {
      area: 'network',
      level: 'note',
      what: `there is no ${service} in Keystone's catalog; ${WITHOUT[service] ?? ''}`,
    };
  return {
    area: 'network',
    level: 'failure',
    what: message,
    remedy: `name the region and the interface of the endpoint in [Global] of ${cloudSource(examined)}:\nopenstack catalog show ${service}`,
  };
}

const WITHOUT: Partial<Record<ServiceType, string>> = {
  'key-manager': 'only TLS listeners need it',
  compute: 'only the controllers of Nodes and routes need it',
};
