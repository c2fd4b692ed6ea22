import { expect, test } from 'vitest';
import { CONTROLLER_NAMES } from '../../shared/config/config.ts';
import { sweep } from '../../shared/sweep.ts';
import { run, startSandboxWorld } from '../support/sandbox-world.ts';

test('the Nodes of npm start are settled: a sweep finds nothing to do on them, and a run changes nothing', async () => {
  const it = await startSandboxWorld();
  const world = { ...it.world, config: { ...it.world.config, controllers: CONTROLLER_NAMES } };
  const writes = (): number => it.sandbox.requests.filter(({ write }) => write).length;
  expect((await sweep(world)).requests).toEqual([]);
  const before = writes();
  const report = await run({ key: 'node/node-1', trigger: 'command' }, world);
  expect(report.outcome.status).toBe('settled');
  expect(writes()).toBe(before);
  await it.close();
});
