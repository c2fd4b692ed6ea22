import { BoundedMap } from '../../shared/memory/bounded-map.ts';
import type { Key } from '../../shared/model/request.ts';
import type { Clock, Log } from '../../shared/ports.ts';
import type { WebhookView } from '../../shared/report/page.ts';
import type { RefusalReason } from '../http/admit.ts';

/** For so long before and after a sweep a batch may be under way. An apiserver waits 30 s for more events. */
const PATIENCE_MS = 60_000;
/** For so long a key that events named may wait for its run, and refusals that do not go on are a trouble. */
const LATE_MS = 10 * 60_000;
/** So long after the last change that events left out one may think that none is left out any more. */
const HEALED_MS = 60 * 60_000;
const MOST_TOLD = 10_000;

/** @param cluster the name of its entry, where there is a registry */
function remedyFor(reason: RefusalReason, cluster: string | undefined): string {
  const [tokens, path] =
    cluster === undefined
      ? [
          'LEVELSET_AUDIT_TOKENS or --audit-tokens-file',
          '/audit/ and the --cluster-name, or the UID of the namespace kube-system',
        ]
      : ['audit-tokens of its entry and LEVELSET_AUDIT_TOKENS', `/audit/${cluster}`];
  const remedies: Readonly<Record<RefusalReason, string>> = {
    token: `their token is none of ${tokens}, or the address in the webhook's kubeconfig is http: a kube-apiserver sends the token of a kubeconfig over HTTPS only`,
    path: `the path of the webhook's address must be ${path}`,
    body: 'levelset cannot read what comes as a batch of events',
    aborted:
      'batches break off before they are whole, or take longer than 10 s: look at the network and the proxies in between',
    queue: 'the queue does not take them',
  };
  return remedies[reason];
}

interface WebhookOptions {
  /** The name of the cluster's entry, where there is a registry. */
  readonly cluster?: string;
  readonly clock: Clock;
  readonly log: Log;
  readonly isKnown: (key: Key) => boolean;
}

/** Whether the kube-apiserver's events come. Without them everything moves at the pace of the sweep, and nobody sees why. */
export class Webhook {
  readonly #options: WebhookOptions;
  readonly #refused: Partial<Record<RefusalReason, number>> = {};
  #acceptedAt: number | undefined;
  #trouble: string | undefined;
  #sweeps = 0;
  #check: NodeJS.Timeout | undefined;
  #calm: NodeJS.Timeout | undefined;
  /** Any event ends the trouble; else time alone does. */
  #isQuiet = true;
  readonly #told = new BoundedMap<string, number>(MOST_TOLD);

  constructor(options: WebhookOptions) {
    this.#options = options;
  }

  accepted(keys: readonly Key[]): void {
    this.#acceptedAt = this.#options.clock.now();
    for (const key of keys) this.#told.set(key, this.#acceptedAt);
    if (this.#trouble === undefined || !this.#isQuiet) return;
    this.#options.log.info('events come again');
    this.#trouble = undefined;
  }

  /** A stranger's request is no trouble beside a webhook that delivers, or watches, and else none that lasts. */
  refused(reason: RefusalReason, watches = false): void {
    this.#refused[reason] = (this.#refused[reason] ?? 0) + 1;
    if (watches || this.#hasAcceptedSince(this.#options.clock.now() - PATIENCE_MS)) return;
    this.#warn(`levelset refuses events: ${remedyFor(reason, this.#options.cluster)}`);
    this.#calmAfter(LATE_MS);
  }

  /** Notes what events should have told a sweep, and looks a minute later. The first sweep finds what changed before this process began. */
  swept(changed: readonly Key[]): void {
    this.#sweeps += 1;
    const unknown = changed.filter((key) => !this.#options.isKnown(key));
    if (this.#sweeps === 1 || unknown.length === 0 || this.#check) return;
    const sweptAt = this.#options.clock.now();
    this.#check = setTimeout(() => {
      this.#check = undefined;
      // an event may name a Service, or its namespace alone
      const names = (key: Key): string[] => [key, key.replace(/^service\/(.*)\/.*$/, 'namespace/$1')];
      const isTold = (name: string): boolean => (this.#told.get(name) ?? -Infinity) >= sweptAt - LATE_MS;
      const untold = unknown.filter((key) => !names(key).some(isTold));
      if (untold.length === 0) return;
      const named = untold.slice(0, 3).join(', ');
      const since =
        this.#acceptedAt === undefined ? 'since levelset began' : `since ${timeOf(this.#acceptedAt)}`;
      if (!this.#hasAcceptedSince(sweptAt - PATIENCE_MS)) {
        this.#warn(`no event came ${since}, and a sweep found changes: ${named}`);
        return;
      }
      const remedy =
        'check that each kube-apiserver sends to the webhook, and that the audit policy has writes of Services';
      this.#warn(`events come, but none told of changes that a sweep found: ${named}; ${remedy}`, false);
      this.#calmAfter(HEALED_MS);
    }, PATIENCE_MS).unref();
  }

  stop(): void {
    clearTimeout(this.#check);
    clearTimeout(this.#calm);
  }

  view(): WebhookView {
    return {
      ...(this.#acceptedAt === undefined ? {} : { lastAccepted: timeOf(this.#acceptedAt) }),
      refused: { ...this.#refused },
      ...(this.#trouble === undefined ? {} : { trouble: this.#trouble }),
    };
  }

  #hasAcceptedSince(ms: number): boolean {
    return this.#acceptedAt !== undefined && this.#acceptedAt >= ms;
  }

  #calmAfter(ms: number): void {
    clearTimeout(this.#calm);
    this.#calm = setTimeout(() => (this.#trouble = undefined), ms).unref();
  }

  /** One line for each trouble, until it ends. */
  #warn(trouble: string, isQuiet = true): void {
    if (this.#trouble !== undefined) return;
    this.#trouble = trouble;
    this.#isQuiet = isQuiet;
    this.#options.log.warn(
      `${trouble}; until ${isQuiet ? 'events come' : 'then'}, changes wait for the sweep`,
    );
  }
}

function timeOf(ms: number): string {
  return new Date(ms).toISOString();
}
