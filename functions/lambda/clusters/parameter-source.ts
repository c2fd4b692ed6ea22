import { setTimeout as sleep } from 'node:timers/promises';
import { TEXTS, type EntrySource, type TextName, type Texts } from '../../../shared/clusters/entry.ts';
import { clustersFrom, NotAllowed, refusalOf } from '../../../shared/config/read-value.ts';
import { countdown } from '../../../shared/deadline.ts';
import { BoundedMap } from '../../../shared/memory/bounded-map.ts';
import { errorText, ReconcileError } from '../../../shared/model/errors.ts';
import type { Log } from '../../../shared/ports.ts';
import { Backoff } from '../../../shared/connection-backoff.ts';
import { log } from '../function-log.ts';
import { AFTER_REFUSAL_MS, LIFE_MS, OF_FAILURE } from '../environment.ts';
import { callParameterStore, LONGEST_MS, readStoreAnswer, type StoreAnswer } from '../parameters.ts';

/** That there is no such entry counts for so long, for so many names. */
const ABSENT_MS = 60_000;
const MOST_ABSENT = 1_000;
/** After so many reads for strangers that found nothing, within so long, no other name is read for them. */
const MOST_IN_VAIN = 8;
const IN_VAIN_MS = 10_000;
/** An entry that changed so recently is still being written: parameters are written one by one. */
const QUIET_MS = 5_000;
/** The most parameters of one answer. */
const PAGE = 10;
const FIRST_DELAY_MS = 200;
const LONGEST_DELAY_MS = 2_000;

interface Kept {
  readonly texts: Texts;
  readonly readAtMs: number;
}

type Parameter = StoreAnswer['Parameters'][number];

/**
 * The registry in Parameter Store: the parameters below PATH/clusters/NAME are an entry's texts, read again after five minutes, or if doubted
 * after five seconds. While they cannot be read the last ones stay. Ages go by the time of day: a frozen environment's other clocks may stand.
 */
export class ParameterSource implements EntrySource {
  readonly #root: string;
  readonly #only: readonly TextName[] | undefined;
  readonly #env: NodeJS.ProcessEnv;
  readonly #log: Log;
  readonly #now: () => number;
  readonly #backoff: Backoff;
  readonly #kept = new Map<string, Kept>();
  readonly #absent = new BoundedMap<string, number>(MOST_ABSENT);
  readonly #doubted = new Set<string>();
  readonly #reads = new Map<string, Promise<Texts | undefined>>();
  #inVain: readonly number[] = [];

  /** @param path without a slash at its end; @param only the texts that may be read, otherwise all */
  constructor(
    path: string,
    env: NodeJS.ProcessEnv,
    log: Log,
    only?: readonly TextName[],
    now: () => number = () => Date.now(),
  ) {
    this.#root = `${path}/clusters/`;
    this.#only = only;
    this.#env = env;
    this.#log = log;
    this.#now = now;
    this.#backoff = new Backoff(now);
  }

  async names(leftMs: () => number = () => Infinity): Promise<readonly string[]> {
    const names = new Set<string>();
    for await (const { Name } of this.#below(this.#root, { Recursive: true }, leftMs)) {
      const [name = '', text = '', ...rest] = Name.slice(this.#root.length).split('/');
      if (isText(text) && rest.length === 0) names.add(name);
    }
    return [...names];
  }

  async missing(): Promise<readonly string[]> {
    try {
      await this.#page(this.#root, { Path: this.#root, MaxResults: 1 }, countdown(LONGEST_MS));
      return [];
    } catch (error) {
      return [`clusters: ${errorText(error)}`];
    }
  }

  async read(name: string): Promise<Texts | undefined> {
    const kept = this.#kept.get(name);
    const isYoung =
      kept && this.#isYounger(kept.readAtMs, this.#doubted.has(name) ? AFTER_REFUSAL_MS : LIFE_MS);
    if (kept && (isYoung || !this.#backoff.isOver)) return kept.texts;
    if (this.#isYounger(this.#absent.get(name), ABSENT_MS)) return undefined;
    const running = this.#reads.get(name) ?? this.#read(name, kept).finally(() => this.#reads.delete(name));
    this.#reads.set(name, running);
    return running;
  }

  /** Whether no name that is not known is read for strangers at the moment. */
  get isSpent(): boolean {
    this.#inVain = this.#inVain.filter((atMs) => this.#isYounger(atMs, IN_VAIN_MS));
    return this.#inVain.length >= MOST_IN_VAIN;
  }

  /** `read` for a stranger; `spent`: not now. What is found costs nothing, so a fleet starts without waiting; what fails counts. */
  async readForStranger(name: string): Promise<Texts | 'spent' | undefined> {
    const isKnown = this.#kept.has(name) || this.#isYounger(this.#absent.get(name), ABSENT_MS);
    if (isKnown) return this.read(name);
    if (this.isSpent) return 'spent';
    let texts: Texts | undefined;
    try {
      return (texts = await this.read(name));
    } finally {
      if (!texts) this.#inVain = [...this.#inVain, this.#now()];
    }
  }

  /** What was read of an entry cannot be used, or was refused, so that it is soon read again. */
  doubt(name: string): void {
    if (this.#kept.has(name)) this.#doubted.add(name);
  }

  async #read(name: string, kept: Kept | undefined): Promise<Texts | undefined> {
    const readAtMs = this.#now();
    const found: Parameter[] = [];
    try {
      const path = `${this.#root}${name}/`;
      for await (const parameter of this.#of(path, countdown(LONGEST_MS)))
        if (isText(parameter.Name.slice(path.length)))
          found.push({ ...parameter, Name: parameter.Name.slice(path.length) });
    } catch (error) {
      if (!kept || !(error instanceof ReconcileError)) throw error;
      const delayMs = this.#backoff.begin(OF_FAILURE);
      this.#log.warn('Parameter Store cannot be read: the texts that were read before stay', {
        cluster: name,
        read_s_ago: Math.round((readAtMs - kept.readAtMs) / 1_000),
        next_try_in_s: Math.round(delayMs / 1_000),
        error: errorText(error),
      });
      return kept.texts;
    }
    this.#backoff.end();
    const changedAtMs = Math.max(...found.map(({ LastModifiedDate }) => LastModifiedDate * 1_000));
    if (this.#isYounger(changedAtMs, QUIET_MS)) {
      if (kept) return kept.texts;
      throw new ReconcileError(
        'CONFIG_INVALID',
        `it is just being written: it is read when nothing of it has changed for ${QUIET_MS / 1_000} s`,
      );
    }
    this.#doubted.delete(name);
    this.#kept.delete(name);
    if (found.length === 0) {
      this.#absent.set(name, readAtMs);
      return undefined;
    }
    const texts: Texts = Object.fromEntries(found.map(({ Name, Value }) => [Name, Value]));
    this.#kept.set(name, { texts, readAtMs });
    return texts;
  }

  #isYounger(atMs: number | undefined, ageMs: number): boolean {
    return atMs !== undefined && Math.abs(this.#now() - atMs) < ageMs;
  }

  async *#of(path: string, leftMs: () => number): AsyncGenerator<Parameter> {
    if (!this.#only) yield* this.#below(path, { WithDecryption: true }, leftMs);
    else {
      const asked = { Names: this.#only.map((text) => path + text), WithDecryption: true };
      yield* (await this.#page(path, asked, leftMs)).Parameters;
    }
  }

  /** All parameters below a path. Whoever may ask for `PATH/*` may ask for it with its slash (docs/sources/tools.md, "Parameters by path"). */
  async *#below(path: string, how: object, leftMs: () => number): AsyncGenerator<Parameter> {
    let token: string | undefined;
    do {
      const asked = {
        Path: path,
        ...how,
        MaxResults: PAGE,
        ...(token !== undefined && { NextToken: token }),
      };
      const { Parameters, NextToken } = await this.#page(path, asked, leftMs);
      yield* Parameters;
      token = NextToken;
    } while (token !== undefined);
  }

  /** One call; more of them while Parameter Store says that there were too many. Throws CONFIG_INVALID. */
  async #page(path: string, fields: object, leftMs: () => number): Promise<StoreAnswer> {
    const action = 'Names' in fields ? 'GetParameters' : 'GetParametersByPath';
    for (let delayMs = FIRST_DELAY_MS; ; delayMs = Math.min(LONGEST_DELAY_MS, 2 * delayMs)) {
      const limitMs = Math.min(LONGEST_MS, leftMs());
      const { status, text } = await callParameterStore(
        action,
        fields,
        this.#env,
        Math.max(1, limitMs),
      ).catch((cause: unknown) => {
        throw unreadable(path, errorText(cause));
      });
      if (status === 200) {
        const answer = readStoreAnswer(text);
        if (!answer) throw unreadable(path, 'another program than Parameter Store answered');
        return answer;
      }
      const isBusy = text.includes('ThrottlingException') && leftMs() > delayMs;
      if (!isBusy) throw unreadable(path, `Parameter Store answered ${status}: ${text.slice(0, 300)}`);
      await sleep(delayMs * (0.5 + Math.random() / 2));
    }
  }
}

function isText(name: string): name is TextName {
  return TEXTS.some((text) => text === name);
}

function unreadable(path: string, why: string): ReconcileError {
  return new ReconcileError('CONFIG_INVALID', `${path} cannot be read: ${why}`);
}

let source: ParameterSource | undefined;

/** The registry of this process, in which all that a function has of it shares what was read. `only`: see ParameterSource. Throws CONFIG_INVALID. */
export function sourceOfFunction(env: NodeJS.ProcessEnv, only?: readonly TextName[]): ParameterSource {
  const from = env['LEVELSET_CLUSTERS'];
  const where = clustersFrom(from);
  if (where instanceof NotAllowed || !('parameters' in where)) {
    const allowed = new NotAllowed('parameters:PATH, such as parameters:/levelset/prod');
    throw new ReconcileError('CONFIG_INVALID', refusalOf('--clusters', from, allowed));
  }
  source ??= new ParameterSource(where.parameters, env, log, only);
  return source;
}
