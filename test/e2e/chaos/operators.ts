/** People who change things in OpenStack by hand, behind levelset's back. */
import { setTimeout as pause } from 'node:timers/promises';
import { settled } from '../lab/load-balancer-waits.ts';
import * as openstack from '../lab/openstack.ts';
import { cloud, type Resource, type ServiceType } from '../lab/openstack.ts';
import { tagsOf, type Foreign } from './foreign.ts';
import { SLOTS, type OperatorEdit } from './script.ts';

const LBAAS = '/v2.0/lbaas';
/** For so long a person tries again while Octavia is at work on the load balancer. */
const PATIENCE_MS = 6_000;

export class Operators {
  readonly #namespace: string;
  readonly #foreign: Foreign;

  constructor(namespace: string, foreign: Foreign) {
    this.#namespace = namespace;
    this.#foreign = foreign;
  }

  /** False: what it is about is not there, or OpenStack refuses. */
  async edit({ slot, does, which }: OperatorEdit): Promise<boolean> {
    const named = `levelset-name=${this.#namespace}/${SLOTS[slot] ?? ''}`;
    const lb = (await openstack.loadBalancers()).find((one) => tagsOf(one).includes(named));
    if (!lb) return false;
    const pick = <T>(all: readonly T[]): T | undefined => all[which % Math.max(1, all.length)];
    const isGuest = this.#foreign.guests.has(lb.id);
    const byHand = this.#on(lb);
    switch (does) {
      case 'switch the load balancer off':
        return !isGuest && byHand.put('loadbalancers', lb.id, { loadbalancer: { admin_state_up: false } });
      case 'delete the load balancer': {
        if (isGuest || !(await byHand.remove(`loadbalancers/${lb.id}?cascade=true`))) return false;
        this.#foreign.forgetOn(lb.id);
        return true;
      }
      case 'add a listener of a person': {
        if (isGuest) return false;
        await settled(lb.id);
        return this.#foreign.addListener(lb.id, 7_000 + which).then(
          () => true,
          () => false,
        );
      }
      case 'detach the floating IP':
      case 'delete the floating IP': {
        const ip = (await openstack.floatingIPs()).find((one) => one['port_id'] === lb['vip_port_id']);
        const path = `/v2.0/floatingips/${ip?.id ?? ''}`;
        if (!ip) return false;
        return does === 'delete the floating IP'
          ? ask('network', 'DELETE', path)
          : ask('network', 'PUT', path, { floatingip: { port_id: null } });
      }
      case 'delete a rule of the security group':
      case 'take the security group off a port':
        return this.#onGroup(slot, does, pick);
      default:
        return this.#onChild(lb, { slot, does, which }, pick);
    }
  }

  async #onGroup(
    slot: number,
    does: OperatorEdit['does'],
    pick: <T>(all: readonly T[]) => T | undefined,
  ): Promise<boolean> {
    const name = `-${this.#namespace}-${SLOTS[slot] ?? ''}`;
    const group = (await openstack.securityGroups()).find((one) => String(one['name']).endsWith(name));
    if (!group) return false;
    if (does === 'delete a rule of the security group') {
      const rule = pick(group['security_group_rules'] as Resource[]);
      return rule !== undefined && ask('network', 'DELETE', `/v2.0/security-group-rules/${rule.id}`);
    }
    const groupsOf = (port: Resource): readonly string[] => port['security_groups'] as string[];
    const port = pick((await openstack.ports()).filter((one) => groupsOf(one).includes(group.id)));
    const others = port && groupsOf(port).filter((id) => id !== group.id);
    return (
      port !== undefined &&
      ask('network', 'PUT', `/v2.0/ports/${port.id}`, { port: { security_groups: others } })
    );
  }

  /** What is levelset's on the load balancer: the person’s own things there stay as they are. */
  async #onChild(
    lb: Resource,
    { does, which }: OperatorEdit,
    pick: <T>(all: readonly T[]) => T | undefined,
  ): Promise<boolean> {
    const isOurs = ({ id }: Resource): boolean => !this.#foreign.has(id);
    const byHand = this.#on(lb);
    const listener = pick((await openstack.listeners(lb.id)).filter(isOurs));
    const pool = pick((await openstack.pools(lb.id)).filter(isOurs));
    const member = pool && pick(await openstack.members(pool.id));
    const monitor = pool?.['healthmonitor_id'] as string | null | undefined;
    const at = pool && member && `pools/${pool.id}/members/${member.id}`;
    switch (does) {
      case 'delete a listener':
        return listener !== undefined && byHand.remove(`listeners/${listener.id}`);
      case 'delete a pool':
        return pool !== undefined && byHand.remove(`pools/${pool.id}`);
      case 'delete a member':
        return at !== undefined && byHand.remove(at);
      case 'delete a monitor':
        return typeof monitor === 'string' && byHand.remove(`healthmonitors/${monitor}`);
      case 'rename a listener':
        return (
          listener !== undefined &&
          byHand.put('listeners', listener.id, { listener: { name: `by-hand-${which}` } })
        );
      case 'change a listener':
        return (
          listener !== undefined && byHand.put('listeners', listener.id, { listener: of(LISTENERS, which) })
        );
      case 'change a pool':
        return pool !== undefined && byHand.put('pools', pool.id, { pool: of(POOLS, which) });
      case 'change a member':
        return at !== undefined && byHand.ask('PUT', at, { member: of(MEMBERS, which) });
      case 'change a monitor':
        return (
          typeof monitor === 'string' &&
          byHand.put('healthmonitors', monitor, { healthmonitor: of(MONITORS, which) })
        );
      default: {
        const stranger = { address: `10.0.0.${240 + which}`, protocol_port: 31_000 };
        return pool !== undefined && byHand.ask('POST', `pools/${pool.id}/members`, { member: stranger });
      }
    }
  }

  #on(lb: Resource) {
    const send = (method: string, path: string, body?: object): Promise<boolean> =>
      ask('load-balancer', method, `${LBAAS}/${path}`, body);
    return {
      ask: send,
      put: (kind: string, id: string, body: object) => send('PUT', `${kind}/${id}`, body),
      remove: (path: string) => send('DELETE', path),
      id: lb.id,
    };
  }
}

const of = <T>(values: readonly T[], which: number): T | undefined => values[which % values.length];
const LISTENERS = [
  { connection_limit: 7 },
  { admin_state_up: false },
  { allowed_cidrs: ['203.0.113.128/25'] },
];
const POOLS = [
  { lb_algorithm: 'LEAST_CONNECTIONS' },
  { admin_state_up: false },
  { session_persistence: { type: 'SOURCE_IP' } },
];
const MEMBERS = [{ admin_state_up: false }, { backup: true }, { monitor_port: 4_321 }];
const MONITORS = [{ delay: 30, timeout: 20 }, { max_retries: 9 }, { admin_state_up: false }];

/** False when OpenStack refuses: it is gone, or somebody else was faster. */
async function ask(service: ServiceType, method: string, path: string, body?: object): Promise<boolean> {
  const end = Date.now() + PATIENCE_MS;
  for (;;) {
    const { status } = await cloud().request(service, method, path, body);
    if (status < 300) return true;
    if (status !== 409 || Date.now() > end) return false;
    await pause(300);
  }
}
