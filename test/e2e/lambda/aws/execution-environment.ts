import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import http from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import type { Installed } from './installed.ts';
import { REGION } from './intrinsics.ts';
import type { FunctionSettings } from './template.ts';

export interface Answer {
  /** `Unhandled`: X-Amz-Function-Error. The payload then is the error. */
  readonly functionError: 'Unhandled' | undefined;
  readonly payload: string;
}

export interface EnvironmentOptions {
  readonly installed: Installed;
  readonly settings: FunctionSettings;
  /** The unpacked zip. */
  readonly code: string;
  /** Variables that Lambda gives beside the template's. */
  readonly variables: Readonly<Record<string, string>>;
  readonly log: (text: string) => void;
}

let count = 0;

/**
 * One execution environment: AWS's Runtime Interface Emulator with the function in a process of its own. It takes one
 * invocation at a time, and ends the process after the function's timeout as Lambda does; the next invocation has a new one.
 *
 * The emulator answers every error with 200 and no header; what an invocation of Lambda says is made of its words here. It
 * counts the start of the process to the timeout, which Lambda does not, and has no limit of memory or processor.
 */
export class ExecutionEnvironment {
  readonly #child: ChildProcess;
  readonly #host: string;
  readonly #agent = new http.Agent({ keepAlive: true });
  #listening = false;

  constructor({ installed, settings, code, variables, log }: EnvironmentOptions) {
    // an address of its own: ports that are free now need not be when the emulator has started
    const { pid } = process;
    this.#host = `127.${64 + (count++ % 190)}.${(pid >> 8) & 255}.${pid & 255}`;
    const addresses = ['--runtime-interface-emulator-address', `${this.#host}:${PORT}`];
    addresses.push('--runtime-api-address', `${this.#host}:${PORT + 1}`);
    const program = [process.execPath, installed.ric, settings.handler];
    this.#child = spawn(
      'setpriv',
      [...WITH_ITS_PARENT, installed.rie, ...addresses, '--log-level', 'error', ...program],
      {
        cwd: code,
        env: {
          PATH: process.env['PATH'],
          LANG: 'en_US.UTF-8',
          TZ: ':UTC',
          LAMBDA_TASK_ROOT: code,
          AWS_EXECUTION_ENV: `AWS_Lambda_nodejs${process.versions.node.split('.')[0] ?? ''}.x`,
          AWS_REGION: REGION,
          AWS_DEFAULT_REGION: REGION,
          AWS_ACCESS_KEY_ID: 'lab',
          AWS_SECRET_ACCESS_KEY: 'lab',
          AWS_SESSION_TOKEN: 'lab',
          AWS_LAMBDA_FUNCTION_NAME: settings.name,
          AWS_LAMBDA_FUNCTION_TIMEOUT: String(settings.timeoutSeconds),
          AWS_LAMBDA_FUNCTION_MEMORY_SIZE: String(settings.memoryMb),
          ...variables,
          LEVELSET_ALLOW_LOCAL_SERVERS: 'true', // the lab's servers are on this machine
          ...settings.environment,
        },
        stdio: ['ignore', 'pipe', 'pipe'],
      },
    );
    for (const stream of [this.#child.stdout, this.#child.stderr])
      stream?.setEncoding('utf8').on('data', log);
  }

  async invoke(payload: string): Promise<Answer> {
    await this.#listens();
    const { status, text } = await this.#post(payload);
    if (text.startsWith('Task timed out after ')) {
      return failed(JSON.stringify({ errorType: 'Sandbox.Timedout', errorMessage: text }));
    }
    if (status !== 200 || text.startsWith('{"errorType":"')) return failed(text);
    return { functionError: undefined, payload: text };
  }

  /** The process that the function runs in; undefined before the first invocation, and after a timeout. */
  get #runtimePid(): number | undefined {
    try {
      const threads = `/proc/${this.#child.pid}/task`;
      const children = readdirSync(threads).map((thread) =>
        readFileSync(`${threads}/${thread}/children`, 'utf8'),
      );
      const [pid] = children.flatMap((list) => list.split(' ').filter(Boolean));
      return pid === undefined ? undefined : Number(pid);
    } catch {
      return undefined; // it has just ended
    }
  }

  /** Resident memory of the function's process at its most, in MB; undefined when it is gone. */
  get peakMb(): number | undefined {
    try {
      const [, kilobytes] =
        /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${this.#runtimePid}/status`, 'utf8')) ?? [];
      return kilobytes === undefined ? undefined : Math.round(Number(kilobytes) / 1024);
    } catch {
      return undefined;
    }
  }

  async stop(): Promise<void> {
    this.#agent.destroy();
    const child = this.#child;
    if (child.exitCode !== null || child.signalCode !== null) return;
    const pid = this.#runtimePid;
    if (pid !== undefined) process.kill(pid, 'SIGKILL');
    child.kill('SIGKILL');
    await once(child, 'exit');
  }

  /** Resolves when the emulator takes invocations; the function's process begins with the first one. */
  async #listens(): Promise<void> {
    if (this.#listening) return;
    for (let tries = 0; tries < 1_000 && this.#child.exitCode === null; tries += 1) {
      const isUp = await new Promise((resolve) => {
        http
          .get({ host: this.#host, port: PORT, path: '/' }, (response) => {
            response.resume();
            resolve(true);
          })
          .on('error', () => {
            resolve(false);
          });
      });
      if (isUp) {
        this.#listening = true;
        return;
      }
      await pause(3);
    }
    throw new Error(`the Runtime Interface Emulator does not listen on ${this.#host}:${PORT}`);
  }

  #post(payload: string): Promise<{ readonly status: number; readonly text: string }> {
    const { promise, resolve, reject } = Promise.withResolvers<{ status: number; text: string }>();
    http
      .request(
        {
          ...{ agent: this.#agent, host: this.#host, port: PORT, method: 'POST' },
          path: '/2015-03-31/functions/function/invocations',
        },
        (response) => {
          let text = '';
          response
            .setEncoding('utf8')
            .on('data', (part: string) => (text += part))
            .on('end', () => {
              resolve({ status: response.statusCode ?? 0, text });
            })
            .on('error', reject);
        },
      )
      .on('error', reject)
      .end(payload);
    return promise;
  }
}

const PORT = 9_000;
/** What the tests start ends with them, however they end. */
export const WITH_ITS_PARENT = ['--pdeathsig', 'KILL'] as const;

function failed(payload: string): Answer {
  return { functionError: 'Unhandled', payload };
}
