import { randomBytes } from 'node:crypto';
import { FaultRules, type FaultRule } from './fault-rules.ts';
import { openFront, type RecordedRequest } from './http-front.ts';
import { AuditTrail } from './kube/audit-trail.ts';
import { adminUser, levelsetUser } from './kube/kube-access.ts';
import { KubeApi } from './kube/kube-api.ts';
import { kubeAnswer } from './kube/kube-front.ts';
import { KubeWorld } from './kube/kube-world.ts';
import { ObjectStore } from './kube/object-store.ts';
import { cloudAnswer, serviceOfPath } from './openstack/cloud-api.ts';
import { CloudWorld } from './openstack/cloud-world.ts';
import { Keystone } from './openstack/keystone/keystone.ts';
import type { OctaviaOptions } from './openstack/octavia/traits.ts';
import { SandboxClock } from './sandbox-clock.ts';

export type { FaultRule } from './fault-rules.ts';
export type { RecordedRequest } from './http-front.ts';
export type { KubeObject } from './kube/kube-objects.ts';

export interface SandboxOptions {
  /** How long Octavia stays PENDING_* after a write (default 300); 0 ends it with the next look. */
  readonly pendingMs?: number;
  readonly auditUrl?: string;
  readonly auditToken?: string;
  /** How long audit events are collected into one batch (default 50). */
  readonly auditMaxWaitMs?: number;
  readonly ports?: { readonly kube?: number; readonly openstack?: number };
  /** Ready Nodes at start, each with its Nova server and port (default 3). */
  readonly nodes?: number;
  /** IPv4 ranges of the networks, for worlds with thousands of Services (default: the lab's /24 networks). */
  readonly cidrs?: { readonly public: string; readonly private: string };
  /** An older API, another provider (default: the lab's Octavia 11, v2.26, amphora). */
  readonly octavia?: OctaviaOptions;
  /** Life of a Keystone token (default one hour). */
  readonly tokenTtlMs?: number;
}

/** A whole world on loopback: an OpenStack and a kube-apiserver with what they know, and what was asked of them. */
export interface Sandbox {
  readonly kubeUrl: string;
  readonly authUrl: string;
  /** Bearer token of the ServiceAccount `levelset` in kube-system, with its RBAC. */
  readonly kubeToken: string;
  readonly adminToken: string;
  readonly kube: KubeWorld;
  readonly cloud: CloudWorld;
  readonly keystone: Keystone;
  readonly requests: readonly RecordedRequest[];
  readonly setAuditSink: (url: string | undefined, token?: string) => void;
  /** Adds a fault; the returned function clears it. */
  readonly fault: (rule: FaultRule) => () => void;
  /** Moves both simulators' idea of now: Date header, tokens, leases, timestamps, ends of PENDING_*. */
  readonly advanceClock: (ms: number) => void;
  readonly close: () => Promise<void>;
}

/** Opens both simulators on 127.0.0.1. Every sandbox is a world of its own. */
export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const clock = new SandboxClock();
  const faults = new FaultRules();
  const requests: RecordedRequest[] = [];
  const record = (entry: RecordedRequest): void => {
    requests.push(entry);
  };
  const cloud = new CloudWorld(clock, options.pendingMs ?? 300, options.cidrs, options.octavia);
  const keystone = new Keystone(cloud, options.tokenTtlMs ?? 3_600_000);
  const audit = new AuditTrail(clock, options.auditMaxWaitMs ?? 50);
  audit.setSink(options.auditUrl, options.auditToken);
  const api = new KubeApi(new ObjectStore(clock), audit, clock);
  const kube = new KubeWorld(api, audit, cloud.serverMaker());
  for (const name of ['default', 'kube-system']) kube.apply({ kind: 'Namespace', metadata: { name } });
  for (let node = 1; node <= (options.nodes ?? 3); node += 1) kube.addNode(`node-${node}`);

  const kubeToken = randomBytes(24).toString('base64url');
  const adminToken = randomBytes(24).toString('base64url');
  const users = new Map([
    [kubeToken, levelsetUser],
    [adminToken, adminUser],
  ]);
  const kubeFront = await openFront({
    side: 'kube',
    port: options.ports?.kube,
    clock,
    faults,
    record,
    serviceOf: () => 'kube',
    handle: (call) => kubeAnswer(api, users, call),
  });
  const cloudFront = await openFront({
    side: 'openstack',
    port: options.ports?.openstack,
    clock,
    faults,
    record,
    serviceOf: serviceOfPath,
    handle: (call) => cloudAnswer(cloud, keystone, call),
  });
  return {
    kubeUrl: kubeFront.url,
    authUrl: `${cloudFront.url}/identity/v3`,
    kubeToken,
    adminToken,
    kube,
    cloud,
    keystone,
    requests,
    setAuditSink: (url, token) => {
      audit.setSink(url, token);
    },
    fault: (rule) => faults.add(rule),
    advanceClock: (ms) => {
      clock.advance(ms);
    },
    close: async () => {
      audit.close();
      await Promise.all([kubeFront.close(), cloudFront.close()]);
    },
  };
}
