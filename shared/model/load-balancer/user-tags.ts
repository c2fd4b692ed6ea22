/** Tags that a Service asks for, each with the record `levelset-tag=<hash of the Service>/<tag>`: a tag of before stays when the annotation goes. */
import { createHash } from 'node:crypto';
import type { ServiceKey } from '../request.ts';

const RECORD = 'levelset-tag=';

/** Longest tag in bytes. Its record has to fit into the 255 characters that Octavia takes. */
export const LONGEST_USER_TAG = 128;

export function isReserved(tag: string): boolean {
  return tag.startsWith('levelset-') || tag.startsWith('kube_service_');
}

export function userTags(key: ServiceKey, tags: readonly string[] = []): readonly string[] {
  return tags.flatMap((tag) => [tag, `${RECORD}${shortOf(key)}/${tag}`]);
}

function shortOf({ namespace, name }: ServiceKey): string {
  return createHash('sha256').update(`${namespace}/${name}`).digest('hex').slice(0, 8);
}

function recordedTag(record: string): string | undefined {
  return record.startsWith(RECORD) ? record.slice(record.indexOf('/') + 1) : undefined;
}

/** Whether a tag is a record, or these tags have a record for it. */
export function isUserTag(tag: string, tags: readonly string[]): boolean {
  return recordedTag(tag) !== undefined || tags.some((one) => recordedTag(one) === tag);
}

/** The observed tags that stay, and the desired ones. A desired tag that was there without a record is somebody else's, and gets none. */
export function mergeUserTags(
  observed: readonly string[],
  desired: readonly string[],
): { readonly observed: readonly string[]; readonly desired: readonly string[] } {
  const owners = ownersIn(desired);
  const records = observed.filter((tag) => recordedTag(tag) !== undefined);
  const over = records.filter(
    (record) => !desired.includes(record) && (!owners || owners.includes(ownerOf(record))),
  );
  const kept = records.filter((record) => !over.includes(record)).map(recordedTag);
  const gone = over.map(recordedTag).filter((tag) => !kept.includes(tag));
  const isForeign = (tag: string): boolean =>
    observed.includes(tag) && !records.some((record) => recordedTag(record) === tag);
  return {
    observed: observed.filter((tag) => !over.includes(tag) && !gone.includes(tag)),
    desired: desired.filter((tag) => !isForeign(recordedTag(tag) ?? '')),
  };
}

function ownerOf(record: string): string {
  return record.slice(RECORD.length, record.indexOf('/'));
}

const NAME = 'levelset-name=';

/** Hashes of the Services that the desired tags name; undefined for a resource of one Service. */
function ownersIn(desired: readonly string[]): readonly string[] | undefined {
  const names = desired.flatMap((tag) => (tag.startsWith(NAME) ? [tag.slice(NAME.length)] : []));
  if (names.length === 0) return undefined;
  return names.map((text) => {
    const [namespace = '', name = ''] = text.split('/');
    return shortOf({ namespace, name });
  });
}
