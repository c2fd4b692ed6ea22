import { flagsFromEnv } from '../../shared/config/read-flags.ts';
import type { Log } from '../../shared/ports.ts';
import type { SqsQueue } from '../../shared/queue/sqs-queue.ts';
import { connect, type Connected } from '../world.ts';
import { environment, madeFrom } from './environment.ts';
import { log } from './function-log.ts';
import { metrics } from './function-metrics.ts';
import { keyQueue } from './key-queue.ts';

export interface ConnectedFunction extends Connected {
  readonly env: NodeJS.ProcessEnv;
  readonly log: Log;
}

export interface FunctionWorld extends ConnectedFunction {
  readonly queue: SqsQueue;
}

const connections = madeFrom('connections', async (env): Promise<ConnectedFunction> => {
  const connected = await connect({
    flags: flagsFromEnv(env),
    env,
    envNow: () => environment.readAgain(),
    log,
    observeCall: (call) => {
      metrics.observeCall(call);
    },
  });
  return { ...connected, env, log };
});

/** The connections of a function that only reads. The first invocation makes them, later ones find them. */
export async function connectedFunction(): Promise<ConnectedFunction> {
  return connections(await environment.read());
}

/** The same with the queue, for a function that reconciles or sweeps. */
export async function functionWorld(): Promise<FunctionWorld> {
  return withQueue(await connectedFunction());
}

export function withQueue(connected: ConnectedFunction): FunctionWorld {
  return { ...connected, queue: keyQueue(connected.env) };
}
