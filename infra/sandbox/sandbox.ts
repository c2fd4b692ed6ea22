import { randomBytes } from 'node:crypto';
import { FaultRules, type FaultRule } from './fault-rules.ts';
import type { Front, RecordedRequest } from './front.ts';
import { openFront, type Loopback } from './http-front.ts';
import { AuditTrail } from './kube/audit-trail.ts';
import { adminUser, levelsetUser, type Grant, type KubeUser } from './kube/kube-access.ts';
import { KubeApi } from './kube/kube-api.ts';
import { kubeAnswer } from './kube/kube-front.ts';
import { KubeWorld } from './kube/kube-world.ts';
import { ObjectStore } from './kube/object-store.ts';
import { cloudAnswer, serviceOfPath } from './openstack/cloud-api.ts';
import { CloudWorld } from './openstack/cloud-world.ts';
import { Keystone } from './openstack/keystone/keystone.ts';
import type { OctaviaOptions } from './openstack/octavia/traits.ts';
import { randomLots, type Lots } from './lots.ts';
import { SandboxClock } from './sandbox-clock.ts';
import { loopbackCertificate } from './tls/loopback-certificate.ts';

export type { FaultRule } from './fault-rules.ts';
export type { RecordedRequest } from './front.ts';
export type { KubeObject } from './kube/kube-objects.ts';

export interface SandboxOptions {
  /** How long Octavia stays PENDING_* after a write, in ms (default 300). With 0 it ends at the next read. */
  readonly pendingMs?: number;
  readonly auditUrl?: string;
  readonly auditToken?: string;
  /** How long audit events are collected into one batch, in milliseconds (default 50). */
  readonly auditMaxWaitMs?: number;
  /** The address that both listen on, 127.0.0.1 when not said. */
  readonly host?: Loopback;
  /** The kube-apiserver listens with TLS: kubectl sends a token nowhere else. */
  readonly kubeTls?: true;
  readonly ports?: { readonly kube?: number; readonly openstack?: number };
  /** Ready Nodes at start, each with its Nova server and port (default 3). */
  readonly nodes?: number;
  /** IPv4 ranges of the networks, for worlds with thousands of Services (default: the lab's /24 networks). */
  readonly cidrs?: { readonly public: string; readonly private: string };
  /** An older API, another provider (default: the lab's Octavia 11, v2.26, amphora). */
  readonly octavia?: OctaviaOptions;
  /** Life of a Keystone token in milliseconds (default one hour). */
  readonly tokenTtlMs?: number;
}

/** A whole world: an OpenStack and a kube-apiserver with what they know, and what was asked of them. */
export interface SandboxInside {
  /** Bearer token of the ServiceAccount `levelset` in the namespace levelset, with its RBAC. */
  readonly kubeToken: string;
  readonly adminToken: string;
  /** Somebody who may do this and no more; returns their token. */
  addUser(username: string, grants: readonly Grant[]): string;
  readonly kube: KubeWorld;
  readonly cloud: CloudWorld;
  readonly keystone: Keystone;
  readonly clock: SandboxClock;
  /** Where requests come in: over sockets (`startSandbox`), or without (`ask` of in-process.ts). */
  readonly fronts: { readonly kube: Front; readonly openstack: Front };
  readonly requests: readonly RecordedRequest[];
  /** The ServiceAccount has another token from now on; the old one is refused. Returns the new one. */
  readonly changeKubeToken: () => string;
  readonly setAuditSink: (url: string | undefined, token?: string) => void;
  /** Adds a fault; the returned function clears it. */
  readonly fault: (rule: FaultRule) => () => void;
  /** Moves both simulators' idea of now: Date header, tokens, leases, timestamps, ends of PENDING_*. */
  readonly advanceClock: (ms: number) => void;
  readonly close: () => Promise<void>;
}

export interface Sandbox extends SandboxInside {
  readonly kubeUrl: string;
  /** Who vouches for the kube-apiserver's certificate, as PEM; undefined without `kubeTls`. */
  readonly kubeAuthority: string | undefined;
  readonly authUrl: string;
}

/** Both simulators without a socket. Every sandbox is a world of its own. */
export function createSandbox(
  options: SandboxOptions = {},
  clock: SandboxClock = new SandboxClock(),
  lots: Lots = randomLots,
): SandboxInside {
  const faults = new FaultRules();
  const requests: RecordedRequest[] = [];
  const record = (entry: RecordedRequest): void => {
    requests.push(entry);
  };
  const cloud = new CloudWorld(clock, options.pendingMs ?? 300, options.cidrs, options.octavia, lots);
  const keystone = new Keystone(cloud, options.tokenTtlMs ?? 3_600_000);
  const audit = new AuditTrail(clock, options.auditMaxWaitMs ?? 50);
  audit.setSink(options.auditUrl, options.auditToken);
  const api = new KubeApi(new ObjectStore(clock, lots), audit, clock);
  const kube = new KubeWorld(api, audit, cloud.serverMaker());
  for (const name of ['default', 'kube-system', 'levelset'])
    kube.apply({ kind: 'Namespace', metadata: { name } });
  for (let node = 1; node <= (options.nodes ?? 3); node += 1) kube.addNode(`node-${node}`);
  const kubeToken = randomBytes(24).toString('base64url');
  const adminToken = randomBytes(24).toString('base64url');
  const users = new Map<string, KubeUser>([
    [kubeToken, levelsetUser],
    [adminToken, adminUser],
  ]);
  const shared = { clock, faults, record };
  return {
    fronts: {
      kube: {
        ...{ ...shared, side: 'kube', serviceOf: () => 'kube' },
        handle: (call) => kubeAnswer(api, users, call),
      },
      openstack: {
        ...{ ...shared, side: 'openstack', serviceOf: serviceOfPath },
        handle: (call) => cloudAnswer(cloud, keystone, call),
      },
    },
    kubeToken,
    adminToken,
    kube,
    cloud,
    keystone,
    clock,
    requests,
    addUser: (username, grants) => {
      const token = randomBytes(24).toString('base64url');
      users.set(token, { username, groups: ['system:authenticated'], grants });
      return token;
    },
    changeKubeToken: () => {
      for (const [token, user] of users) if (user === levelsetUser) users.delete(token);
      const token = randomBytes(24).toString('base64url');
      users.set(token, levelsetUser);
      return token;
    },
    setAuditSink: (url, token) => {
      audit.setSink(url, token);
    },
    fault: (rule) => faults.add(rule),
    advanceClock: (ms) => {
      clock.advance(ms);
    },
    close: () => {
      audit.close();
      return Promise.resolve();
    },
  };
}

/** Opens both simulators on loopback. */
export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const inside = createSandbox(options);
  const { host, ports } = options;
  const tls = options.kubeTls === true ? loopbackCertificate() : undefined;
  const kube = await openFront(inside.fronts.kube, { port: ports?.kube, host, tls });
  const openstack = await openFront(inside.fronts.openstack, { port: ports?.openstack, host });
  return {
    ...inside,
    kubeUrl: kube.url,
    kubeAuthority: tls?.cert,
    authUrl: `${openstack.url}/identity/v3`,
    close: async () => {
      await inside.close();
      await Promise.all([kube.close(), openstack.close()]);
    },
  };
}
