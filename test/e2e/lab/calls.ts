import { open, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { lab } from './environment.ts';

export interface ApiCall {
  readonly service: keyof typeof LOGS;
  readonly method: string;
  /** With its query. */
  readonly path: string;
  readonly status: number;
}

const LOGS = {
  octavia: 'octavia-api.out',
  neutron: 'neutron-server.out',
  nova: 'nova-api.out',
  keystone: 'keystone-api.out',
};
const SERVICES = Object.keys(LOGS) as (keyof typeof LOGS)[];

/** uWSGI: 127.0.0.1 [time] "GET /v2.0/..." 200 3755B 130ms "levelset" 127.0.0.2:9876 */
const UWSGI =
  /^\S+ \[[^\]]+\] "(?<method>[A-Z]+) (?<path>\S+)" (?<status>\d+) \S+ \S+ "(?<agent>[^"]*)" (?<host>[^:]+)/;
/** Neutron: ... neutron.wsgi [None req-... USER PROJECT ...] 127.0.0.1 "GET /v2.0/... HTTP/1.1" status: 200 */
const NEUTRON =
  /neutron\.wsgi \[\S+ req-\S+ (?<user>\S+) [^\]]*\] \S+ "(?<method>[A-Z]+) (?<path>\S+) [^"]*" +status: (?<status>\d+)/;
const LEVELSET = /^levelset(\/|$)/;

/**
 * Counts levelset's calls from now on where they arrive: in the access logs of the cloud's APIs. Whose a call is, uWSGI's
 * log knows by its User-Agent and by the address that was asked, which is the region's; Neutron's by its user, which is
 * levelset's alone.
 */
export async function countCalls(): Promise<{ stop(): Promise<readonly ApiCall[]> }> {
  const from = await sizes();
  return {
    async stop() {
      await sleep(300); // a line is written after its answer was sent
      const calls = SERVICES.map(async (service) =>
        (await linesFrom(LOGS[service], from[service])).flatMap((line) => parse(service, line)),
      );
      return (await Promise.all(calls)).flat();
    },
  };
}

/** Those that change something; a token is not a change. */
export function writes(calls: readonly ApiCall[]): readonly ApiCall[] {
  return calls.filter(({ service, method }) => method !== 'GET' && service !== 'keystone');
}

function parse(service: ApiCall['service'], line: string): ApiCall[] {
  const found = (service === 'neutron' ? NEUTRON : UWSGI).exec(line)?.groups;
  const { method, path, status, agent, host, user } = found ?? {};
  if (method === undefined || path === undefined) return [];
  const { levelsetUser, levelsetCloud } = lab();
  const region = new URL(levelsetCloud.auth['auth_url'] ?? '').hostname;
  const own = service === 'neutron' ? user === levelsetUser : LEVELSET.test(agent ?? '') && host === region;
  return own ? [{ service, method, path, status: Number(status) }] : [];
}

const logFile = (name: string) => join(lab().labState, 'log', name);

async function sizes(): Promise<Readonly<Record<ApiCall['service'], number>>> {
  const entries = SERVICES.map(
    async (service) => [service, (await stat(logFile(LOGS[service]))).size] as const,
  );
  return Object.fromEntries(await Promise.all(entries)) as Record<ApiCall['service'], number>;
}

async function linesFrom(name: string, start: number): Promise<readonly string[]> {
  const file = await open(logFile(name));
  try {
    const size = (await file.stat()).size - start;
    const { buffer, bytesRead } = await file.read(Buffer.alloc(size), 0, size, start);
    return buffer.toString('utf8', 0, bytesRead).split('\n');
  } finally {
    await file.close();
  }
}
