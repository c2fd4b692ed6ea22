import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { connectCloud } from '../../../shared/openstack/connect-cloud.ts';
import type { Cloud } from '../../../shared/ports.ts';
import { always, json, PROJECT, startFake, type Answer, type Fake } from './fake-openstack.ts';

let fake: Fake;
let cloud: Cloud;
let answer: Answer;
beforeEach(async () => {
  fake = await startFake((...all) => {
    answer(...all);
  });
  ({ cloud } = connectCloud(fake.config));
});
afterEach(() => fake.close());

describe('quota', () => {
  it('is the project’s, by the names of the kinds', async () => {
    answer = always(200, { quota: { load_balancer: 5, listener: -1, health_monitor: 7 } });
    expect(await cloud.quota()).toEqual({ loadbalancer: 5, listener: -1, healthmonitor: 7 });
    expect(fake.seen.map(({ path }) => path)).toEqual([`/load-balancer/v2.0/lbaas/quotas/${PROJECT}`]);
  });

  it('falls back to the defaults where nothing was set', async () => {
    answer = ({ path }, response) => {
      const pool = path.endsWith('/default') ? 9 : null;
      json(response, 200, { quota: { pool, member: path.endsWith('/default') ? 1 : 2 } });
    };
    expect(await cloud.quota()).toEqual({ pool: 9, member: 2 });
  });
});

describe('octaviaVersion', () => {
  it('is the newest there is, asked for once', async () => {
    answer = always(200, { versions: [{ id: 'v2.9' }, { id: 'v2.26', status: 'CURRENT' }, { id: 'v1' }] });
    expect(await cloud.octaviaVersion()).toEqual({ major: 2, minor: 26 });
    expect(await cloud.octaviaVersion()).toEqual({ major: 2, minor: 26 });
    expect(fake.seen.map(({ path }) => path)).toEqual(['/load-balancer/']);
  });

  it('is asked for again after a failure', async () => {
    answer = always(400, {});
    await expect(cloud.octaviaVersion()).rejects.toMatchObject({ code: 'REJECTED' });
    answer = always(200, { versions: [{ id: 'v2.5' }] });
    expect(await cloud.octaviaVersion()).toEqual({ major: 2, minor: 5 });
  });
});
