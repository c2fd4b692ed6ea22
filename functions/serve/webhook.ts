import type { Key } from '../../shared/model/request.ts';
import type { Clock, Log } from '../../shared/ports.ts';
import type { WebhookView } from '../../shared/report/page.ts';
import type { RefusalReason } from '../http/refusals.ts';

/** For so long before and after a sweep a batch may be under way. An apiserver waits 30 s for more events. */
const PATIENCE_MS = 60_000;

/** @param cluster the name of its entry, where there is a registry */
function remedyFor(reason: RefusalReason, cluster: string | undefined): string {
  const tokens =
    cluster === undefined ? 'LEVELSET_AUDIT_TOKENS' : 'audit-tokens of its entry and LEVELSET_AUDIT_TOKENS';
  const path =
    cluster === undefined
      ? '/audit/ and the --cluster-name, or the UID of the namespace kube-system'
      : `/audit/${cluster}`;
  const remedies: Readonly<Record<RefusalReason, string>> = {
    token: `its token is none of ${tokens}, or its address is http: a kube-apiserver sends the token of a kubeconfig over HTTPS only`,
    path: `the path must be ${path}`,
    body: 'what it sends is no batch of events that levelset can read',
    aborted:
      'its batches break off before they are whole, or take longer than 10 s: look at the network and the proxies in between',
    queue: 'the queue does not take its events',
  };
  return remedies[reason];
}

export interface WebhookOptions {
  /** The name of the cluster's entry, where there is a registry. */
  readonly cluster?: string;
  readonly clock: Clock;
  readonly log: Log;
  /** Whether this process has worked on the key as it is now. */
  readonly isKnown: (key: Key) => boolean;
}

/**
 * Whether the events of the kube-apiserver come. A webhook that is refused, or not set up, breaks nothing: everything
 * moves at the pace of the sweep, and nobody sees why.
 */
export class Webhook {
  readonly #options: WebhookOptions;
  readonly #refused: Partial<Record<RefusalReason, number>> = {};
  #acceptedAt: number | undefined;
  #trouble: string | undefined;
  #sweeps = 0;
  #check: NodeJS.Timeout | undefined;

  constructor(options: WebhookOptions) {
    this.#options = options;
  }

  accepted(): void {
    this.#acceptedAt = this.#options.clock.now();
    if (this.#trouble !== undefined) this.#options.log.info('the webhook delivers again');
    this.#trouble = undefined;
  }

  /** A stranger's request beside a webhook that delivers is no trouble. */
  refused(reason: RefusalReason): void {
    this.#refused[reason] = (this.#refused[reason] ?? 0) + 1;
    if (!this.#hasAcceptedSince(this.#options.clock.now() - PATIENCE_MS))
      this.#warn(`the webhook is refused: ${remedyFor(reason, this.#options.cluster)}`);
  }

  /**
   * Notes what a sweep found that events should have told, and looks a minute later whether one has come. The first
   * sweep finds what changed before this process began.
   */
  swept(news: readonly Key[]): void {
    this.#sweeps += 1;
    const untold = news.filter((key) => !this.#options.isKnown(key));
    if (this.#sweeps === 1 || untold.length === 0 || this.#check) return;
    const sweptAt = this.#options.clock.now();
    this.#check = setTimeout(() => {
      this.#check = undefined;
      if (this.#hasAcceptedSince(sweptAt - PATIENCE_MS)) return;
      const since =
        this.#acceptedAt === undefined ? 'since levelset began' : `since ${timeOf(this.#acceptedAt)}`;
      this.#warn(`no event came ${since}, and a sweep found changes: ${untold.slice(0, 3).join(', ')}`);
    }, PATIENCE_MS).unref();
  }

  stop(): void {
    clearTimeout(this.#check);
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

  /** One line for each trouble, until a batch is accepted. */
  #warn(trouble: string): void {
    if (this.#trouble !== undefined) return;
    this.#trouble = trouble;
    this.#options.log.warn(`${trouble}; until events come, changes wait for the sweep`);
  }
}

function timeOf(ms: number): string {
  return new Date(ms).toISOString();
}
