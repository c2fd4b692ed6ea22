import type { Report } from '../../shared/model/outcome.ts';
import type { Key, ReconcileRequest } from '../../shared/model/request.ts';
import type { Clock } from '../../shared/ports.ts';
import { Ready, turnOf, type Wanted } from '../../shared/queue/ready.ts';
import { HttpError } from '../http/http-error.ts';
import { ENDED } from './local-queue.ts';

interface DryRunsOptions {
  readonly run: (request: ReconcileRequest) => Promise<Report>;
  /** How many dry runs there are at once. */
  readonly concurrency: number;
  readonly clock: Clock;
}

/** A key that people wait for. */
interface Asked extends Wanted {
  readonly request: ReconcileRequest;
  readonly tells: ((report: Promise<Report>) => void)[];
}

/** Two requests of as many objects as one may name. */
export const MOST_WAITING = 200;
/** Of one namespace; Nodes and routes together are as one. */
const MOST_OF_ONE = MOST_WAITING / 2;

const RETRY_AFTER_S = 10;

/**
 * The dry runs that people asked for, which have places of their own, so they hold up no other run, and no
 * other run them. Namespaces take turns. Everybody who asks for a key that waits gets the report of one run,
 * which reads everything after they asked.
 */
export class DryRuns {
  readonly #options: DryRunsOptions;
  readonly #ready = new Ready<Asked>();
  readonly #asked = new Map<Key, Asked>();
  readonly #running = new Set<Key>();
  #isStopped = false;

  constructor(options: DryRunsOptions) {
    this.#options = options;
  }

  /** Returns the reports in the order of the requests. Throws 429, and runs none, if too many would wait, and 503 at the end. */
  async runAll(requests: readonly ReconcileRequest[]): Promise<readonly Report[]> {
    if (this.#isStopped) throw ended();
    const waiting = new Set([...this.#asked.keys(), ...requests.map(({ key }) => key)]);
    if (waiting.size > MOST_WAITING) throw tooMany(`${this.#asked.size} dry runs wait`, MOST_WAITING);
    const turns = new Set(requests.map(({ key }) => turnOf(key)));
    for (const turn of turns) {
      const ofTurn = (keys: Iterable<Key>): number => [...keys].filter((key) => turnOf(key) === turn).length;
      if (ofTurn(waiting) <= MOST_OF_ONE) continue;
      const whose = turn === '' ? 'Nodes and routes' : `namespace ${turn}`;
      throw tooMany(`${ofTurn(this.#asked.keys())} dry runs of ${whose} wait`, MOST_OF_ONE);
    }
    const reports = requests.map((request) => this.#add(request));
    this.#start();
    return await Promise.all(reports);
  }

  /** Starts no more runs. */
  stop(): void {
    this.#isStopped = true;
    for (const { tells } of this.#asked.values()) for (const tell of tells) tell(Promise.reject(ended()));
    this.#asked.clear();
  }

  #add(request: ReconcileRequest): Promise<Report> {
    const { key } = request;
    const known = this.#asked.get(key);
    const sinceMs = this.#options.clock.now();
    const asked: Asked = known ?? { ...{ key, request, sinceMs }, priority: 'soon', tells: [] };
    this.#asked.set(key, asked);
    if (!known && !this.#running.has(key)) this.#ready.put(asked);
    return new Promise((resolve) => {
      asked.tells.push(resolve);
    });
  }

  #start(): void {
    while (!this.#isStopped && this.#running.size < this.#options.concurrency) {
      const next = this.#ready.take();
      if (!next) return;
      this.#run(next);
    }
  }

  #run({ key, request, tells }: Asked): void {
    this.#asked.delete(key);
    this.#running.add(key);
    const report = this.#options.run(request);
    for (const tell of tells) tell(report);
    const ended = (): void => {
      this.#running.delete(key);
      const again = this.#asked.get(key);
      if (again) this.#ready.put(again);
      this.#start();
    };
    report.then(ended, ended);
  }
}

function ended(): HttpError {
  return new HttpError(503, ENDED, { headers: { 'Retry-After': String(RETRY_AFTER_S) } });
}

function tooMany(wait: string, most: number): HttpError {
  const message = `${wait}, and at most ${most} may: ask again later, or for fewer objects`;
  return new HttpError(429, message, { headers: { 'Retry-After': String(RETRY_AFTER_S) } });
}
