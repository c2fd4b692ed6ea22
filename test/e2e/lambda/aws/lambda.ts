import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { must } from '../../lab/run.ts';
import { ExecutionEnvironment, type Answer } from './execution-environment.ts';
import type { Installed } from './installed.ts';
import type { FunctionSettings } from './template.ts';

/** The concurrent executions of a function that reserves none: what the worker's mapping asks for, of an account's 1,000. */
const ACCOUNT_CONCURRENCY = 100;
const LONGEST_PAYLOAD = 6 * 1024 * 1024;

export interface Invocation extends Answer {
  readonly function: string;
  /** 200, and of Lambda itself 413 and 429. */
  readonly status: number;
  /** True: this invocation was the first of its execution environment. */
  readonly isCold: boolean;
  readonly startedAt: number;
  readonly ms: number;
  /** Of the process at its most so far; undefined when it is gone. */
  readonly peakMb: number | undefined;
  readonly event: string;
}

/** What Lambda's Invoke is to who asks for it. */
export interface Invoker {
  invoke(name: string, event: string): Promise<Pick<Invocation, 'status' | 'functionError' | 'payload'>>;
}

interface Kept {
  readonly environment: ExecutionEnvironment;
  isBusy: boolean;
  isCold: boolean;
}

interface Deployed {
  readonly settings: FunctionSettings;
  readonly code: string;
  environments: Kept[];
  log: string;
}

export interface LambdaOptions {
  readonly installed: Installed;
  readonly functions: readonly FunctionSettings[];
  readonly variables: Readonly<Record<string, string>>;
}

/** Lambda's Invoke: execution environments for each function, made when an invocation finds none that is idle. */
export class Lambda implements Invoker {
  /** All that were invoked, in the order of their ends. */
  readonly invocations: Invocation[] = [];
  readonly #options: LambdaOptions;
  readonly #directory: string;
  readonly #functions: ReadonlyMap<string, Deployed>;

  /** Unpacks the zips. */
  static async deploy(options: LambdaOptions): Promise<Lambda> {
    const directory = await mkdtemp(join(tmpdir(), 'levelset-lambda-'));
    const unpacked = options.functions.map(async (settings): Promise<readonly [string, Deployed]> => {
      const code = join(directory, settings.name);
      await must('python3', ['-m', 'zipfile', '-e', settings.zip, code]);
      return [settings.name, { settings, code, environments: [], log: '' }];
    });
    return new Lambda(options, directory, new Map(await Promise.all(unpacked)));
  }

  private constructor(options: LambdaOptions, directory: string, functions: ReadonlyMap<string, Deployed>) {
    this.#options = options;
    this.#directory = directory;
    this.#functions = functions;
  }

  async invoke(name: string, event: string): Promise<Invocation> {
    const deployed = this.#deployed(name);
    const startedAt = Date.now();
    const refused = {
      function: name,
      functionError: undefined,
      isCold: false,
      startedAt,
      ms: 0,
      peakMb: undefined,
      event,
    };
    if (Buffer.byteLength(event) > LONGEST_PAYLOAD)
      return { ...refused, status: 413, payload: 'RequestTooLargeException' };
    const kept = this.#idle(deployed);
    if (!kept) {
      const throttled = { ...refused, status: 429, payload: 'TooManyRequestsException' };
      this.invocations.push(throttled);
      return throttled;
    }
    kept.isBusy = true;
    const { isCold } = kept;
    kept.isCold = false;
    const answer = await kept.environment
      .invoke(event || '{}')
      .catch(async (error: unknown): Promise<Answer> => {
        await this.#remove(deployed, kept);
        return {
          functionError: 'Unhandled',
          payload: JSON.stringify({ errorType: 'Sandbox.Gone', errorMessage: String(error) }),
        };
      });
    kept.isBusy = false;
    if (answer.functionError) kept.isCold = true; // the emulator makes another process, as Lambda does
    const { peakMb } = kept.environment;
    const done = {
      function: name,
      status: 200,
      ...answer,
      isCold,
      startedAt,
      ms: Date.now() - startedAt,
      peakMb,
      event,
    };
    this.invocations.push(done);
    return done;
  }

  /** Everything that the function wrote, in all its environments. */
  log(name: string): string {
    return this.#deployed(name).log;
  }

  async stop(): Promise<void> {
    const all = [...this.#functions.values()].flatMap(({ environments }) => environments);
    await Promise.all(all.map(({ environment }) => environment.stop()));
    await rm(this.#directory, { recursive: true });
  }

  #deployed(name: string): Deployed {
    const deployed = this.#functions.get(name);
    if (!deployed)
      throw new Error(`no function ${name}; there are ${[...this.#functions.keys()].join(', ')}`);
    return deployed;
  }

  #idle(deployed: Deployed): Kept | undefined {
    const { environments, settings, code } = deployed;
    const idle = environments.find(({ isBusy }) => !isBusy);
    if (idle || environments.length >= (settings.reservedConcurrency ?? ACCOUNT_CONCURRENCY)) return idle;
    const { installed, variables } = this.#options;
    const log = (text: string): void => void (deployed.log += text);
    const environment = new ExecutionEnvironment({ installed, settings, code, variables, log });
    const kept = { environment, isBusy: false, isCold: true };
    environments.push(kept);
    return kept;
  }

  async #remove(deployed: Deployed, kept: Kept): Promise<void> {
    deployed.environments = deployed.environments.filter((one) => one !== kept);
    await kept.environment.stop();
  }
}
