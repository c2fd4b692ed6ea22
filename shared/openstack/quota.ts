import { refusal, unexpected } from './errors.ts';
import { isRecord } from './json.ts';
import type { Session } from './identity/session.ts';

type Limits = Readonly<Record<string, unknown>>;

/**
 * The project's limits. Octavia 11 answers every limit of a project (fixtures octavia_quota_get.json); older ones leave
 * those that were never set null, and then the deployment's defaults count. Octavia's `load_balancer` and
 * `health_monitor` lose their underscore, as the kinds are written elsewhere.
 */
export async function readQuota(session: Session): Promise<Readonly<Record<string, number>>> {
  const path = `/v2.0/lbaas/quotas/${await session.projectId()}`;
  const own = await readLimits(session, path);
  const unset = Object.values(own).some((limit) => limit === null);
  const defaults = unset ? await readLimits(session, `${path}/default`) : {};
  const merged = Object.keys(own).map((name): [string, unknown] => [
    name.replaceAll('_', ''),
    own[name] ?? defaults[name] ?? -1,
  ]);
  return Object.fromEntries(
    merged.filter((entry): entry is [string, number] => typeof entry[1] === 'number'),
  );
}

async function readLimits(session: Session, path: string): Promise<Limits> {
  const attempted = 'read the load balancer quota of the project';
  const answer = await session.send({ service: 'load-balancer', method: 'GET', path, attempted });
  if (answer.status !== 200) throw refusal(attempted, answer);
  const quota = isRecord(answer.body) ? answer.body['quota'] : undefined;
  if (!isRecord(quota)) throw unexpected(attempted, answer, 'quota');
  return quota;
}
