import type { Answer } from './exchange.ts';

/** What goes wrong, and with which requests: the n-th match and `times - 1` more (default: the first one only). */
export interface FaultRule {
  readonly match: {
    readonly side?: 'kube' | 'openstack';
    readonly method?: string;
    readonly path?: Pick<RegExp, 'test'>;
    readonly write?: boolean;
    readonly nth?: number;
  };
  readonly times?: number;
  /** `truncate` sends the first half of the true answer as a whole one; `drip` sends it too slowly for any client. */
  readonly kind:
    | 'fail-before'
    | 'fail-after'
    | 'hang'
    | 'reset-before'
    | 'reset-after'
    | 'truncate'
    | 'drip'
    | 'call';
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  /** Of a `call`: the body that has the effect, as a mutating webhook makes it of the one that was sent. */
  readonly mutate?: (body: unknown) => unknown;
  readonly before?: () => void | Promise<void>;
  readonly after?: () => void | Promise<void>;
}

export interface FaultTarget {
  readonly side: 'kube' | 'openstack';
  readonly method: string;
  readonly path: string;
  readonly write: boolean;
}

/** The rules in force. A request is counted by every rule it matches; the first rule that is due decides. */
export class FaultRules {
  private readonly active = new Map<FaultRule, number>();

  add(rule: FaultRule): () => void {
    this.active.set(rule, 0);
    return () => this.active.delete(rule);
  }

  next(target: FaultTarget): FaultRule | undefined {
    let due: FaultRule | undefined;
    for (const [rule, seen] of this.active) {
      if (!matches(rule.match, target)) continue;
      this.active.set(rule, seen + 1);
      const first = (rule.match.nth ?? 1) - 1;
      if (seen >= first && seen < first + (rule.times ?? 1)) due ??= rule;
    }
    return due;
  }
}

/** The answer of a failing server: 503 in the apiserver's or Octavia's error shape unless the rule says otherwise. */
export function faultAnswer(rule: FaultRule, side: FaultTarget['side']): Answer {
  const status = rule.status ?? 503;
  const message = 'The server is currently unable to handle the request';
  const kube = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', message, code: status };
  const openstack = { faultcode: 'Server', faultstring: message, debuginfo: null };
  return {
    status,
    ...(rule.headers && { headers: rule.headers }),
    body: rule.body ?? (side === 'kube' ? kube : openstack),
  };
}

function matches(match: FaultRule['match'], target: FaultTarget): boolean {
  return (
    (match.side === undefined || match.side === target.side) &&
    (match.method === undefined || match.method.toUpperCase() === target.method) &&
    (match.path === undefined || match.path.test(target.path)) &&
    (match.write === undefined || match.write === target.write)
  );
}
