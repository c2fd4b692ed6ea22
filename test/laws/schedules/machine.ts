/** Where a process runs: the clocks of the machine, what its requests wait for, and when it stands still, is cut off, or has no process. */
import type { VirtualClock } from '../../../infra/sandbox/sandbox-clock.ts';
import type { SandboxInside } from '../../../infra/sandbox/sandbox.ts';
import type { Config } from '../../../shared/config/config.ts';
import { startProcess, type Process } from './process.ts';
import type { MachinePlan, Moment, Name, Place, Side, Trouble } from './schedule.ts';
import type { Watch } from './watch.ts';

export interface Surroundings {
  readonly inside: SandboxInside & { readonly clock: VirtualClock };
  readonly config: Config;
  readonly watch: Watch;
  readonly tell: (line: string) => void;
}

/** That of one process. What belongs to it stops for good where it is over. */
export interface Life {
  isOver: boolean;
}

export class Machine {
  readonly name: Name;
  readonly its: Surroundings;
  process: Process | undefined;
  readonly #plan: MachinePlan;
  readonly #bornMs: number;
  readonly #seen = new Map<Place, number>();
  readonly #naps: (readonly [fromMs: number, toMs: number])[] = [];
  readonly #cutUntilMs: Record<Side, number> = { Kubernetes: -Infinity, OpenStack: -Infinity };
  #frozenUntilMs = -Infinity;
  #isPaced = false;
  #drawn: number;
  #micros = 0;
  #started = 0;
  /** Processes that end, or are about to start. */
  #changing = 0;

  constructor(name: Name, plan: MachinePlan, its: Surroundings) {
    this.name = name;
    this.its = its;
    this.#plan = plan;
    this.#drawn = plan.lots;
    this.#bornMs = its.inside.clock.millis();
  }

  start(): void {
    this.#started += 1;
    this.process = startProcess(`${this.name}${this.#started}`, this);
  }

  /** From now on requests take time, and stall, and troubles come. */
  begin(): void {
    this.#isPaced = true;
    for (const trouble of this.#plan.troubles)
      if (typeof trouble.at === 'number')
        void this.#clock.pause(trouble.at).then(() => {
          this.#happens(trouble);
        });
  }

  /** No trouble begins any more. */
  calm(): void {
    this.#isPaced = false;
  }

  /** Whether all troubles are over. */
  get isCalm(): boolean {
    const { Kubernetes, OpenStack } = this.#cutUntilMs;
    return this.#changing === 0 && Math.max(this.#frozenUntilMs, Kubernetes, OpenStack) <= this.#now;
  }

  wall(): number {
    const { skewMs, isSet } = this.#plan;
    const isChanged = isSet !== undefined && this.#now - this.#bornMs >= isSet.atMs;
    return this.#now + skewMs + (isChanged ? isSet.byMs : 0);
  }

  monotonic(): number {
    const stoodMs = this.#naps.map(([fromMs, toMs]) => Math.max(0, Math.min(toMs, this.#now) - fromMs));
    return this.#now - this.#bornMs + this.#plan.lots - stoodMs.reduce((sum, ms) => sum + ms, 0);
  }

  /** Three digits, each time others. */
  nextMicros(): string {
    this.#micros = (this.#micros + 1) % 1_000;
    return String(this.#micros).padStart(3, '0');
  }

  /** A pause of a process. */
  async pause(ms: number, life: Life, signal?: AbortSignal): Promise<void> {
    await this.#clock.pause(ms, signal);
    await this.thaws(life);
  }

  /** Stands before whatever comes to a process from outside. */
  async thaws(life: Life): Promise<void> {
    while (this.#frozenUntilMs > this.#now) await this.#clock.pause(this.#frozenUntilMs - this.#now);
    if (life.isOver) await new Promise(() => undefined);
  }

  /** On the way; nothing of that is the process's. */
  travels(ms: number): Promise<void> {
    return ms > 0 ? this.#clock.pause(ms) : Promise.resolve();
  }

  isCutFrom(side: Side): boolean {
    return this.#cutUntilMs[side] > this.#now;
  }

  /** A request has been sent: how long it and its answer take, and what is to be done when the answer is there. */
  sent(place: Place): Readonly<Record<Moment['what'], number>> & { readonly arrives: () => void } {
    if (!this.#isPaced) return { request: 0, answer: 0, arrives: () => undefined };
    const nth = this.#seen.get(place) ?? 0;
    this.#seen.set(place, nth + 1);
    const isHere = (one: Moment, what: Moment['what']): boolean =>
      one.place === place && one.nth === nth && one.what === what;
    const of = (what: Moment['what']): number => {
      const stalls = this.#plan.stalls.filter((one) => isHere(one, what));
      const stalledMs = Math.max(0, ...stalls.map(({ ms }) => ms));
      if (stalledMs > 0) this.its.tell(`${this.name} stalls ${stalledMs} ms: ${what}, ${place} ${nth}`);
      return this.#plan.paceMs * this.#draw() + stalledMs;
    };
    const troubled = (what: Moment['what']): void => {
      for (const trouble of this.#plan.troubles)
        if (typeof trouble.at === 'object' && isHere(trouble.at, what)) this.#happens(trouble);
    };
    troubled('request');
    const arrives = (): void => {
      troubled('answer');
    };
    return { request: of('request'), answer: of('answer'), arrives };
  }

  #happens(trouble: Trouble): void {
    if (!this.#isPaced) return;
    if (trouble.do === 'cut off') this.#cutUntilMs[trouble.from] = this.#now + trouble.ms;
    else if ('ms' in trouble) this.#freeze(trouble.ms, trouble.do === 'sleep');
    else if (this.process) void this.#ends(this.process, trouble.do === 'kill', trouble.backMs);
    this.its.tell(`${this.name}: ${JSON.stringify({ ...trouble, at: undefined })}`);
  }

  /**
   * A clock that stands while somebody sets the other one back tells a process nothing: LeaderLease promises nothing then. So
   * the monotonic clock goes on here where the time of day is set back.
   */
  #freeze(ms: number, sleeps: boolean): void {
    const fromMs = Math.max(this.#now, this.#frozenUntilMs);
    const toMs = Math.max(fromMs, this.#now + ms);
    this.#frozenUntilMs = toMs;
    if (sleeps && (this.#plan.isSet?.byMs ?? 0) >= 0) this.#naps.push([fromMs, toMs]);
  }

  async #ends(process: Process, isKilled: boolean, backMs: number | undefined): Promise<void> {
    this.#changing += 1;
    this.process = undefined;
    if (isKilled) process.kill();
    else await process.end();
    if (backMs !== undefined) {
      await this.#clock.pause(backMs);
      this.start();
    }
    this.#changing -= 1;
  }

  get #clock(): VirtualClock {
    return this.its.inside.clock;
  }

  get #now(): number {
    return this.#clock.millis();
  }

  /** From one to eight. */
  #draw(): number {
    this.#drawn = (Math.imul(this.#drawn, 1_664_525) + 1_013_904_223) >>> 0;
    return this.#plan.lots === 0 ? 1 : 1 + (this.#drawn >>> 29);
  }
}
