import { ReconcileError } from '../model/errors.ts';
import { refusal, unexpected } from './errors.ts';
import { isRecord, stringAt } from './json.ts';
import type { Session } from './identity/session.ts';

export interface ApiVersion {
  readonly major: number;
  readonly minor: number;
}

/** It brought the tags by which levelset finds what it made (Octavia API version history). */
const LEAST = 5;

function tooOld({ major, minor }: ApiVersion): ReconcileError {
  const why = 'has no tags, by which levelset finds what it made';
  return new ReconcileError('CONFIG_INVALID', `Octavia API ${major}.${minor} ${why}: it needs 2.${LEAST}`);
}

/** The newest version that the root of the load balancer service lists (fixtures octavia_versions.json). */
export async function readOctaviaVersion(session: Session): Promise<ApiVersion> {
  const attempted = 'read the versions of the load balancer service';
  const answer = await session.send({ service: 'load-balancer', method: 'GET', path: '/', attempted });
  if (answer.status !== 200) throw refusal(attempted, answer);
  const listed = isRecord(answer.body) ? answer.body['versions'] : undefined;
  const versions = Array.isArray(listed) ? listed.flatMap(readVersion) : [];
  const newest = versions.sort((a, b) => b.major - a.major || b.minor - a.minor)[0];
  if (newest === undefined) throw unexpected(attempted, answer, 'version');
  if (newest.major === 2 && newest.minor < LEAST) throw tooOld(newest);
  return newest;
}

function readVersion(entry: unknown): ApiVersion[] {
  const match = /^v(\d+)\.(\d+)$/.exec(stringAt(entry, 'id') ?? '');
  return match === null ? [] : [{ major: Number(match[1]), minor: Number(match[2]) }];
}
