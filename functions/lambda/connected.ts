import { flagsFromEnv } from '../../shared/config/read-flags.ts';
import type { Leading } from '../../shared/kube/leader-lease.ts';
import type { Log } from '../../shared/ports.ts';
import { connect, type Connected } from '../world.ts';
import { required } from './parameters.ts';
import { environment, madeFrom } from './environment.ts';
import { log } from './function-log.ts';
import { metrics } from './function-metrics.ts';

export interface ConnectedFunction extends Connected {
  readonly env: NodeJS.ProcessEnv;
  readonly log: Log;
}

/** SQS gives a key to one worker at a time, whose time is its guard. */
export function ofStack(env: NodeJS.ProcessEnv): Leading {
  return { guard: () => undefined, deployment: `the stack ${required(env, 'LEVELSET_STACK')}` };
}

const connections = madeFrom('connections', async (env): Promise<ConnectedFunction> => {
  const connected = await connect({
    flags: flagsFromEnv(env),
    env,
    leading: ofStack(env),
    envNow: () => environment.readAgain(),
    log,
    observeCall: (call) => {
      metrics.observeCall(call);
    },
  });
  return { ...connected, env, log };
});

export async function connectedFunction(): Promise<ConnectedFunction> {
  return connections(await environment.read());
}
