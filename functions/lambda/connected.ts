import { flagsFromEnv } from '../../shared/config/read-flags.ts';
import type { Log } from '../../shared/ports.ts';
import type { SqsQueue } from '../../shared/queue/sqs-queue.ts';
import { createLog } from '../log.ts';
import { connect, type Connected } from '../world.ts';
import { withParameters } from './parameters.ts';
import { backgroundQueue, triggerQueue } from './queues.ts';
import { once } from '../../shared/memory/answers.ts';

export interface ConnectedFunction extends Connected {
  readonly env: NodeJS.ProcessEnv;
  readonly log: Log;
}

export interface FunctionWorld extends ConnectedFunction {
  readonly triggers: SqsQueue;
  readonly background: SqsQueue;
}

/** The connections of a function that only reads. The first invocation makes them, later ones find them. */
export const connectedFunction = once(async (): Promise<ConnectedFunction> => {
  const env = await withParameters(process.env);
  const log = createLog();
  const connected = await connect({ flags: flagsFromEnv(env), env, log });
  return { ...connected, env, log };
});

/** The same with the queues, for a function that reconciles or sweeps. */
export const functionWorld = once(async (): Promise<FunctionWorld> => {
  const connected = await connectedFunction();
  const { env } = connected;
  return { ...connected, triggers: triggerQueue(env), background: backgroundQueue(env) };
});
