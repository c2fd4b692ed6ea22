import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { connectCloud } from '../../../shared/openstack/connect-cloud.ts';
import { overSockets } from '../../../shared/openstack/openstack-http.ts';
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

  it.each([
    [404, undefined],
    [404, { code: 404, title: 'Not Found' }],
    [300, undefined],
    [300, { versions: [] }],
  ])('is the oldest that has tags where the root answers %i with %j', async (status, body) => {
    answer = always(status, body);
    expect(await cloud.octaviaVersion()).toEqual({ major: 2, minor: 5, isAssumed: true });
    expect(await cloud.octaviaVersion()).toMatchObject({ isAssumed: true });
    expect(fake.seen).toHaveLength(1);
  });

  it('is read from the choices of a 300, too', async () => {
    answer = always(300, { versions: [{ id: 'v2.0' }, { id: 'v2.27' }] });
    expect(await cloud.octaviaVersion()).toEqual({ major: 2, minor: 27 });
  });

  it.each([403, 500, 503])('is not assumed after a %i', async (status) => {
    answer = always(status, {});
    await expect(cloud.octaviaVersion()).rejects.toMatchObject({ name: 'ReconcileError' });
  });

  it('that was assumed is asked for again after a minute', async () => {
    answer = always(404);
    const transport = overSockets(fake.config);
    let later = 0;
    const own = connectCloud(fake.config, {
      transport: { ...transport, now: () => transport.now() + later },
    });
    expect(await own.cloud.octaviaVersion()).toMatchObject({ isAssumed: true });
    later = 60_000;
    answer = always(200, { versions: [{ id: 'v2.26' }] });
    expect(await own.cloud.octaviaVersion()).toEqual({ major: 2, minor: 26 });
  });

  it('is asked for again after a failure', async () => {
    answer = always(400, {});
    await expect(cloud.octaviaVersion()).rejects.toMatchObject({ code: 'REJECTED' });
    answer = always(200, { versions: [{ id: 'v2.5' }] });
    expect(await cloud.octaviaVersion()).toEqual({ major: 2, minor: 5 });
  });
});
