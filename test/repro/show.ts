import type { Report } from '../../shared/model/outcome.ts';
import { serviceKey } from '../../shared/model/request.ts';
import type { Trigger } from '../../shared/model/request.ts';
import type { Log, World } from '../../shared/ports.ts';
import type { Connected } from '../../functions/world.ts';
import { pause, run } from '../support/sandbox-world.ts';

export const SILENT: Log = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
};

export const HTTP_PORT = { name: 'http', port: 80, targetPort: 8080, nodePort: 30080 };

/** One line on the terminal. */
export function show(what: string, seen: unknown): void {
  console.log(`${what}: ${typeof seen === 'string' ? seen : JSON.stringify(seen)}`);
}

export function stepsOf({ applied }: Report): readonly string[] {
  return applied.map(({ verb, address }) => `${verb} ${address}`);
}

/** Runs `default/NAME` in one process, until it is settled, blocked or failed. */
export async function settleBy(
  world: World,
  name = 'web',
  trigger: Trigger = 'audit',
  everyMs = 5,
): Promise<Report> {
  for (let runs = 0; runs < 200; runs += 1) {
    const report = await run({ key: serviceKey('default', name), trigger }, world);
    if (report.outcome.status !== 'progressing') return report;
    await pause(everyMs);
  }
  throw new Error(`${name} did not settle`);
}

/** A world as the parts of `serve` take it. */
export function connectedTo(world: World): Connected {
  return {
    world,
    cluster: async () => ({ id: await world.kube.clusterId(), name: world.config.clusterName }),
    ready: () => Promise.resolve([]),
  };
}
