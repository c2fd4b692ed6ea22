import { createHash } from 'node:crypto';
import type { ShareLogin } from '../../shared/openstack/connect-cloud.ts';
import type { Keystone } from '../../shared/openstack/keystone.ts';
import type { Observer } from '../../shared/openstack/openstack-http.ts';
import type { Entry } from '../../shared/clusters/entry.ts';
import { goBoolean } from '../../shared/config/read-value.ts';
import { inTime } from '../../shared/deadline.ts';
import { errorText, ReconcileError } from '../../shared/model/errors.ts';
import type { Log } from '../../shared/ports.ts';
import { logThrough } from '../log.ts';
import { connect, type Connected, type WorldOptions } from '../world.ts';
import { BlockList, isIPv6 } from 'node:net';
import type { RefuseAddress } from '../../shared/http.ts';

interface Login {
  readonly keystone: WeakRef<Keystone>;
  /** Of the clusters that have it, by name. The first one sees its calls. */
  readonly observers: Map<string, Observer>;
}

/** The logins to OpenStack of one process. Clusters with the same configuration share one, as long as any of them has it. */
export class CloudLogins {
  readonly #logins = new Map<string, Login>();

  of(cluster: string): ShareLogin {
    return (config, observe, make) => {
      const name = createHash('sha256').update(JSON.stringify(config)).digest('hex');
      const known = this.#logins.get(name);
      const shared = known?.keystone.deref();
      if (known && shared) {
        known.observers.set(cluster, observe);
        return shared;
      }
      for (const [old, { keystone }] of this.#logins) if (!keystone.deref()) this.#logins.delete(old);
      const observers = new Map([[cluster, observe]]);
      const made = make((call) => {
        const [first] = observers.values();
        first?.(call);
      });
      this.#logins.set(name, { keystone: new WeakRef(made), observers });
      return made;
    };
  }

  leave(cluster: string): void {
    for (const { observers } of this.#logins.values()) observers.delete(cluster);
  }
}

const ANSWER_MS = 5_000;

interface ConnectEntryOptions extends Pick<WorldOptions, 'log' | 'leading' | 'observeCall' | 'envNow'> {
  readonly logins: CloudLogins;
}

/** The connections of one entry. Sends nothing. Throws CONFIG_INVALID. */
export function connectEntry(
  { name, settings }: Entry,
  { log, leading, logins, observeCall, envNow }: ConnectEntryOptions,
): Promise<Connected> {
  return connect({
    ...settings,
    cluster: name,
    refuse: goBoolean(settings.flags.allowLocalServers ?? 'false') === true ? undefined : refuseLocal(name),
    log: ofCluster(log, name),
    shareLogin: logins.of(name),
    ...(leading && { leading }),
    ...(observeCall && { observeCall }),
    ...(envNow && { envNow }),
  });
}

/** The UID of a connected cluster. Throws when it takes longer than five seconds, and when its entry says that it has another one. */
export async function uidOf(
  { cluster }: Pick<Connected, 'cluster'>,
  { uid }: Pick<Entry['settings'], 'uid'>,
): Promise<string> {
  const { id } = await inTime(cluster(), 'read namespace kube-system', ANSWER_MS);
  if (uid !== undefined && id !== uid)
    throw new Error(`its namespace kube-system has the UID ${id}, and uid of the entry is another one`);
  return id;
}

export function unidentified(error: unknown): string {
  return `the kube-apiserver has not said which cluster it is: ${errorText(error)}`;
}

export function ofCluster(log: Log, cluster: string): Log {
  return logThrough((level, message, fields) => {
    log[level](message, { cluster, ...fields });
  });
}

/** Where this machine and its cloud's metadata service answer, and no server of a cluster. IPv4 in IPv6 counts as IPv4. */
const RANGES = [
  ['0.0.0.0', 8],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['::', 127],
  ['fe80::', 10],
  ['fd00:ec2::', 32],
] as const;

/** Keeps an entry from leading levelset to what only the machine where it runs should reach. */
export function refuseLocal(entry: string): RefuseAddress {
  const local = new BlockList();
  for (const [range, bits] of RANGES) local.addSubnet(range, bits, isIPv6(range) ? 'ipv6' : 'ipv4');
  return (host, address) => {
    if (!local.check(address, isIPv6(address) ? 'ipv6' : 'ipv4')) return undefined;
    const where = host === address ? host : `${host}, which is at ${address}`;
    const text = `the entry ${entry} leads to ${where}: that is an address of the machine where levelset runs, or of its link; --allow-local-servers allows it`;
    return new ReconcileError('CONFIG_INVALID', text);
  };
}

export const isThatOf = (name: string, other: string): string =>
  `${name}: its kube-apiserver says that it is the cluster of the entry ${other}: remove one of the two entries, or give each its uid`;
