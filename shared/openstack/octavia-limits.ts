import { Answers } from '../memory/answers.ts';
import { ReconcileError } from '../model/errors.ts';
import type { OctaviaVersion } from '../model/load-balancer/octavia.ts';
import type { RunContext } from '../deadline.ts';
import { refusal, unexpected } from './refusal.ts';
import { isRecord, stringAt } from '../model/json.ts';
import type { Session } from './session.ts';

/** Minor version that brought tags (docs/sources/openstack.md, "Octavia API versions"). */
const LEAST = 5;
const ASSUMED_MS = 60_000;

function tooOld({ major, minor }: OctaviaVersion): ReconcileError {
  const why = 'has no tags, by which levelset finds what it made';
  return new ReconcileError('CONFIG_INVALID', `Octavia API ${major}.${minor} ${why}: it needs 2.${LEAST}`);
}

/** Asked for once. What is assumed is asked for again after a minute: the 404 of a proxy may pass. */
export function octaviaVersionOf(
  session: Session,
  clock: { now(): number },
): (run: RunContext) => Promise<OctaviaVersion> {
  const answers = new Answers(1);
  let keepMs = Infinity;
  return (run) =>
    answers.during(run).read('', { keepMs, clock }, async () => {
      const version = await readOctaviaVersion(session);
      keepMs = version.isAssumed ? ASSUMED_MS : Infinity;
      return version;
    });
}

/**
 * The newest version that the root lists (docs/sources/openstack.md, "Versions and quotas"). A front may serve no
 * root: then the oldest that works is assumed.
 */
async function readOctaviaVersion(session: Session): Promise<OctaviaVersion> {
  const attempted = 'read the versions of the load balancer service';
  const answer = await session.send({ service: 'load-balancer', method: 'GET', path: '/', attempted });
  if (![200, 300, 404].includes(answer.status)) throw refusal(attempted, answer);
  const listed = isRecord(answer.body) ? answer.body['versions'] : undefined;
  const versions = Array.isArray(listed) ? listed.flatMap(readVersion) : [];
  const newest = versions.sort((a, b) => b.major - a.major || b.minor - a.minor)[0];
  if (newest === undefined && answer.status !== 200) return { major: 2, minor: LEAST, isAssumed: true };
  if (newest === undefined) throw unexpected(attempted, answer, 'version');
  if (newest.major === 2 && newest.minor < LEAST) throw tooOld(newest);
  return newest;
}

function readVersion(entry: unknown): OctaviaVersion[] {
  const match = /^v(\d+)\.(\d+)$/.exec(stringAt(entry, 'id') ?? '');
  return match === null ? [] : [{ major: Number(match[1]), minor: Number(match[2]) }];
}

type Limits = Readonly<Record<string, unknown>>;

/**
 * The project's limits (docs/sources/openstack.md, "Versions and quotas"); older Octavias answer null where the
 * default counts. Names lose their underscore, as the kinds have none.
 */
export async function readQuota(session: Session): Promise<Readonly<Record<string, number>>> {
  const path = `/v2.0/lbaas/quotas/${encodeURIComponent(await session.projectId())}`;
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
