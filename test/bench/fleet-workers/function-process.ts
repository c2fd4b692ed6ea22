/** A function of AWS in a process of its own, as an execution environment of Lambda: one invocation at a time. */
import type { Context } from 'aws-lambda';
import { answerParent } from '../scale/own-process.ts';
import type { Worked } from './workers.ts';

export interface ToDeploy {
  readonly name: string;
  readonly variables: Readonly<Record<string, string>>;
}

type Handler = (event: unknown, context: Context) => Promise<unknown>;

/** That of the worker in serverless.yml. */
const TIMEOUT_MS = 60_000;

let handler: Handler;
let [runs, sweeps, busyMs] = [0, 0, 0];

const handlers = {
  async start({ name, variables }: ToDeploy) {
    Object.assign(process.env, variables);
    process.stdout.write = (line: unknown): boolean => {
      if (String(line).includes('"message":"reconciled"')) runs += 1;
      if (String(line).includes('"message":"swept"')) sweeps += 1;
      return true;
    };
    ({ handler } = (await import(`../../../functions/lambda/${name}.ts`)) as { readonly handler: Handler });
    return process.pid;
  },
  async invoke(event: string) {
    const began = performance.now();
    const context = { getRemainingTimeInMillis: () => began + TIMEOUT_MS - performance.now() } as Context;
    try {
      return JSON.stringify((await handler(JSON.parse(event), context)) ?? null);
    } finally {
      busyMs += performance.now() - began;
    }
  },
  worked(): Worked {
    const worked = { runs, sweeps, busyMs };
    [runs, sweeps, busyMs] = [0, 0, 0];
    return worked;
  },
};

export type FunctionHandlers = typeof handlers;

answerParent(handlers);
