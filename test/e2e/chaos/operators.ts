/** People who change things in OpenStack by hand, behind levelset's back. */
import { setTimeout as pause } from 'node:timers/promises';
import { settled } from '../lab/load-balancer-waits.ts';
import * as openstack from '../lab/openstack.ts';
import { cloud, type Resource, type ServiceType } from '../lab/openstack.ts';
import type { Foreign } from './foreign.ts';
import { tagsOf } from './project.ts';
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
    const path = openstack.loadBalancerPath(lb.id);
    switch (does) {
      case 'switch the load balancer off':
        return !isGuest && ask('load-balancer', 'PUT', path, { loadbalancer: { admin_state_up: false } });
      case 'delete the load balancer': {
        if (isGuest || !(await ask('load-balancer', 'DELETE', `${path}?cascade=true`))) return false;
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
        if (!ip) return false;
        return does === 'delete the floating IP'
          ? ask('network', 'DELETE', `/v2.0/floatingips/${ip.id}`)
          : ask('network', 'PUT', `/v2.0/floatingips/${ip.id}`, { floatingip: { port_id: null } });
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
    const listener = pick((await openstack.listeners(lb.id)).filter(isOurs));
    const pool = pick((await openstack.pools(lb.id)).filter(isOurs));
    const member = pool && pick(await openstack.members(pool.id));
    const monitor = pool?.['healthmonitor_id'] as string | null | undefined;
    const at = {
      listener: listener && `listeners/${listener.id}`,
      pool: pool && `pools/${pool.id}`,
      member: pool && member && `pools/${pool.id}/members/${member.id}`,
      monitor: monitor ? `healthmonitors/${monitor}` : undefined,
      members: pool && `pools/${pool.id}/members`,
    };
    const stranger = { address: `10.0.0.${240 + which}`, protocol_port: 31_000 };
    const edits: Readonly<Partial<Record<OperatorEdit['does'], ByHand>>> = {
      'delete a listener': ['DELETE', at.listener],
      'delete a pool': ['DELETE', at.pool],
      'delete a member': ['DELETE', at.member],
      'delete a monitor': ['DELETE', at.monitor],
      'rename a listener': ['PUT', at.listener, { listener: { name: `by-hand-${which}` } }],
      'change a listener': ['PUT', at.listener, { listener: of(LISTENERS, which) }],
      'change a pool': ['PUT', at.pool, { pool: of(POOLS, which) }],
      'change a member': ['PUT', at.member, { member: of(MEMBERS, which) }],
      'change a monitor': ['PUT', at.monitor, { healthmonitor: of(MONITORS, which) }],
      'add a member': ['POST', at.members, { member: stranger }],
    };
    const [method = '', path, body] = edits[does] ?? [];
    return path !== undefined && ask('load-balancer', method, `${LBAAS}/${path}`, body);
  }
}

/** The path is below LBAAS; undefined where there is no such thing. */
type ByHand = readonly [method: string, path: string | undefined, body?: object];

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
