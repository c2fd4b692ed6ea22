import { expect, onTestFinished, vi } from 'vitest';
import { Work } from '../../../functions/serve/work.ts';
import { createSandbox, type SandboxOptions } from '../../../infra/sandbox/sandbox.ts';
import { serviceKey } from '../../../shared/model/request.ts';
import { FakedClock, quiet } from '../../support/clusters/serving-clusters.ts';
import { aConfig } from '../../support/config.ts';
import { AUTH_URL, inProcessWorld } from '../../support/in-process.ts';
import { SILENT } from '../../support/sandbox-world.ts';
import { aService } from '../../support/service.ts';
import { runOf } from './settled-world.ts';

const STEP_MS = 200;
const LONGEST_MS = 600_000;

type Services = readonly NonNullable<Parameters<typeof aService>[0]>[];

/** `serve` with its queue, sweeps and poller, beside Services that are settled, in a world without sockets whose time is that of vi's timers. */
export async function servingWorld(services: Services, { pendingMs = 0, ...options }: SandboxOptions) {
  const inside = createSandbox({ ...options, pendingMs: 0 }, new FakedClock());
  Object.assign(inside.cloud.quotas, { port: -1, floatingip: -1 });
  const world = inProcessWorld(inside, aConfig(AUTH_URL), SILENT);
  const work = new Work({
    connected: { world, cluster: async () => ({ id: await world.kube.clusterId(), name: 'kubernetes' }) },
    reported: () => undefined,
    swept: () => undefined,
  });
  onTestFinished(() => work.stop());
  const pass = async (ms: number, each: () => void = () => undefined): Promise<void> => {
    for (let passed = 0; passed < ms; passed += STEP_MS) {
      await vi.advanceTimersByTimeAsync(STEP_MS);
      await quiet([{ inside }]);
      each();
    }
  };
  /** Returns how long that took. */
  const untilIdle = async (): Promise<number> => {
    let passedMs = 0;
    for (; passedMs === 0 || !work.idle; passedMs += STEP_MS) {
      expect(passedMs).toBeLessThan(LONGEST_MS);
      await pass(STEP_MS);
    }
    return passedMs;
  };
  const settle = async (service: Services[number]): Promise<void> => {
    const { name = 'web' } = service;
    inside.kube.apply(aService(service));
    while ((await runOf(serviceKey('default', name), world)) === 'progressing');
  };
  const unsettled = new Set(services);
  const settled = Promise.all(
    services.map((service) => settle(service).finally(() => unsettled.delete(service))),
  );
  while (unsettled.size > 0) await pass(STEP_MS);
  await settled;
  Object.assign(inside.cloud, { pendingMs });
  return { inside, work, pass, untilIdle };
}
