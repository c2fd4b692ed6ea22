import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { Json } from '../json.ts';
import type { SandboxClock } from '../sandbox-clock.ts';
import { nodeControllerUser, type Attempt, type KubeUser } from './kube-access.ts';

export interface AuditedRequest {
  readonly attempt: Attempt;
  readonly user: KubeUser;
  readonly uri: string;
  readonly userAgent: string;
  readonly receivedAt: string;
  readonly code: number;
}

const writes = ['create', 'update', 'patch', 'delete', 'deletecollection'];
const retryAfterMs = [50, 100, 200];

/**
 * The audit webhook backend in batch mode at level Metadata, for writes to `services` and `nodes`, and those of the
 * node controller to `nodes/status` (docs/sources/kubernetes.md, "Audit webhook", with the retries shortened): collect
 * for a while, POST an EventList, retry, then drop.
 */
export class AuditTrail {
  /** Also send writes to services/status, which the shipped policy leaves out. */
  includeServiceStatus = false;
  private sink: { url: string; token: string | undefined } | undefined;
  private batch: Json[] = [];
  private timer: NodeJS.Timeout | undefined;
  private closed = false;
  private readonly clock: SandboxClock;
  private readonly maxWaitMs: number;

  constructor(clock: SandboxClock, maxWaitMs: number) {
    this.clock = clock;
    this.maxWaitMs = maxWaitMs;
  }

  setSink(url: string | undefined, token: string | undefined): void {
    this.sink = url === undefined ? undefined : { url, token };
  }

  add(request: AuditedRequest): void {
    const { attempt, user } = request;
    const { verb, type, subresource } = attempt;
    const main = subresource === undefined && ['services', 'nodes'].includes(type.plural);
    const isIncluded =
      type.plural === 'services' ? this.includeServiceStatus : user.username === nodeControllerUser.username;
    const status = ['services', 'nodes'].includes(type.plural) && subresource === 'status' && isIncluded;
    if (this.sink === undefined || this.closed || !writes.includes(verb) || !(main || status)) return;
    this.batch.push(auditEvent(request, this.clock.micros()));
    this.timer ??= setTimeout(() => {
      this.flush();
    }, this.maxWaitMs);
  }

  close(): void {
    this.closed = true;
    clearTimeout(this.timer);
  }

  private flush(): void {
    this.timer = undefined;
    const items = this.batch;
    this.batch = [];
    const { sink } = this;
    if (!sink || items.length === 0) return;
    const list = { kind: 'EventList', apiVersion: 'audit.k8s.io/v1', metadata: {}, items };
    this.send(sink, list).catch((error: unknown) => {
      console.error('audit events are lost:', error);
    });
  }

  private async send(sink: { url: string; token: string | undefined }, list: Json): Promise<void> {
    const headers: Record<string, string> = {
      'Content-Type': 'application/json',
      Accept: 'application/json, */*',
    };
    if (sink.token !== undefined) headers['Authorization'] = `Bearer ${sink.token}`;
    for (const wait of [...retryAfterMs, 0]) {
      const signal = AbortSignal.timeout(5000);
      const answer = await fetch(sink.url, {
        method: 'POST',
        headers,
        body: JSON.stringify(list),
        signal,
      }).catch(() => undefined);
      if (answer?.ok === true || this.closed || wait === 0) return;
      await pause(wait);
    }
  }
}

function auditEvent({ attempt, user, uri, userAgent, receivedAt, code }: AuditedRequest, at: string): Json {
  const { type, verb, namespace, name, subresource } = attempt;
  return {
    level: 'Metadata',
    auditID: randomUUID(),
    stage: 'ResponseComplete',
    requestURI: uri,
    verb,
    user,
    sourceIPs: ['127.0.0.1'],
    userAgent,
    objectRef: {
      resource: type.plural,
      ...(namespace === undefined ? {} : { namespace }),
      ...(name === undefined ? {} : { name }),
      ...(type.group === '' ? {} : { apiGroup: type.group }),
      apiVersion: type.version,
      ...(subresource === undefined ? {} : { subresource }),
    },
    responseStatus: { metadata: {}, code },
    requestReceivedTimestamp: receivedAt,
    stageTimestamp: at,
    annotations: {
      'authorization.k8s.io/decision': code === 403 ? 'forbid' : 'allow',
      'authorization.k8s.io/reason': '',
    },
  };
}
