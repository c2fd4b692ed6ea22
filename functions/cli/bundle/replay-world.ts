import type { Credentials } from '../../../shared/config/config.ts';
import { ERRORS, ReconcileError } from '../../../shared/model/errors.ts';
import { printable } from '../../../shared/model/text/text.ts';
import { newMemory } from '../../../shared/memory/memory.ts';
import type { Cloud, Kube, Log, World } from '../../../shared/ports.ts';
import { fromJson, readOf, type Bundle } from './bundle.ts';
import { keptOf } from './kept.ts';
import { refused } from './record-world.ts';

/** The ports that have ports of their own. */
const PARTS = [
  'kube.state',
  'kube.routes',
  'kube.place',
  'kube.repairs',
  'kube.cidrs',
  'kube.deletions',
  'kube.deletions.nodes',
  'kube.deletions.left',
];

/** A World that answers each read as the bundle has it, on a clock that stands still. It needs no network, and writes nothing. */
export function replayWorld({ config, reads, now }: Bundle, log: Log): World {
  const kept = keptOf(config.nodes.serverMetadata);
  const asked = new Map<string, number>();
  const answer = (read: string): Promise<unknown> => {
    const at = asked.get(read) ?? 0;
    asked.set(read, at + 1);
    const answers = Object.hasOwn(reads, read) ? (reads[read] ?? []) : [];
    const found = answers[Math.min(at, answers.length - 1)];
    if (!found)
      return Promise.reject(new ReconcileError('UNEXPECTED_RESPONSE', `the bundle does not have ${read}`));
    if (!found.error) return Promise.resolve(fromJson(found.value));
    const { code, message, status } = found.error;
    const known = Object.hasOwn(ERRORS, code) ? code : 'UNEXPECTED_RESPONSE';
    const context = status === undefined ? {} : { status };
    return Promise.reject(new ReconcileError(known, printable(message), context));
  };
  const replaying = (path: string, called: string): object =>
    new Proxy(
      {},
      {
        get: (_, name) => {
          const [itsPath, itsCall] = [`${path}.${String(name)}`, `${called}.${String(name)}`];
          if (name === 'during') return () => replaying(path, called);
          if (PARTS.includes(itsPath)) return replaying(itsPath, itsCall);
          return (...args: unknown[]) => {
            if (!Object.hasOwn(kept, itsPath)) throw refused(itsPath);
            return answer(readOf(itsCall, args));
          };
        },
      },
    );
  return {
    kube: replaying('kube', 'kube') as Kube,
    cloud: replaying('cloud', 'cloud') as Cloud,
    calls: { record: async (run) => ({ value: await run(), calls: 0, failedRequestIds: [] }) },
    clock: { now: () => now },
    log,
    config: { ...config, openstack: { ...config.openstack, credentials: nobody(config) } },
    memory: newMemory(),
  };
}

/** A World that is replayed logs in nowhere. */
function nobody({ openstack }: Bundle['config']): Credentials {
  const { type } = openstack.credentials;
  if (type === 'application-credential') return { type, secret: '' };
  return { type, user: { id: '' }, password: '', project: { id: '' } };
}
