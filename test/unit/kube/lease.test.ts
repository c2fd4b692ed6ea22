import { afterEach, describe, expect, it, onTestFinished, vi, beforeEach, test } from 'vitest';
import { createHttp } from '../../../shared/kube/kube-http.ts';
import { KubeLease } from '../../../shared/kube/lease.ts';
import { failure, fakeApiserver, keptLog } from './fake-apiserver.ts';
import { NAME, twoRuns, type TwoRuns } from './two-runs.ts';
import { sandboxKube, type SandboxKube } from './sandbox-kube.ts';

/** Moves the monotonic clock of this process only. */
function passLocally(ms: number): void {
  const now = performance.now.bind(performance);
  vi.spyOn(performance, 'now').mockImplementation(() => now() + ms);
}
afterEach(() => {
  vi.restoreAllMocks();
});

describe('acquire', () => {
  it('makes the Lease, with six digits and our label', async () => {
    const { a, asked, sandbox, spec } = await twoRuns();
    expect(await a.acquire()).toEqual({ fresh: true });
    expect(asked()).toEqual(['GET 404', 'POST 201']);
    expect(spec()).toMatchObject({ holderIdentity: 'a', leaseDurationSeconds: 15 });
    expect(spec()['renewTime']).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/);
    const { labels } = sandbox.kube.get('Lease', 'levelset', NAME)?.metadata ?? {};
    expect(labels).toEqual({ 'levelset.openstack.org/lease': 'unit' });
  });

  it('says how to make the namespace that is not there', async () => {
    const fake = await fakeApiserver(({ method }) =>
      failure(
        404,
        method === 'GET' ? `leases "${NAME}" not found` : 'namespaces "gone" not found',
        'NotFound',
      ),
    );
    onTestFinished(() => fake.close());
    const options = { namespace: 'gone', name: NAME, identity: 'a', log: keptLog() };
    await expect(new KubeLease(createHttp(fake.connection), options).acquire()).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
      message: expect.stringContaining('kubectl create namespace gone') as string,
    });
  });

  it('is refused while another holder lives, and says when to come back', async () => {
    const { a, b, asked, spec } = await twoRuns();
    await a.acquire();
    asked();
    const error = await b.acquire().catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'LEASE_HELD' });
    const { retryAfterMs } = (error as { context: { retryAfterMs: number } }).context;
    expect(retryAfterMs).toBeGreaterThan(15_000);
    expect(retryAfterMs).toBeLessThanOrEqual(18_000);
    expect(asked()).toEqual(['GET 200']);
    expect(spec()['holderIdentity']).toBe('a');
  });

  it('takes over from a holder that died, by the clock of the apiserver alone', async () => {
    const { a, b, sandbox, spec } = await twoRuns();
    await a.acquire();
    passLocally(60_000);
    await expect(b.acquire()).rejects.toMatchObject({ code: 'LEASE_HELD' });
    sandbox.advanceClock(16_000);
    await expect(b.acquire()).rejects.toMatchObject({ code: 'LEASE_HELD' });
    sandbox.advanceClock(3_000);
    expect(await b.acquire()).toEqual({ fresh: false });
    expect(spec()).toMatchObject({ holderIdentity: 'b', leaseTransitions: 1 });
  });

  it('knows after each release who held it in between', async () => {
    const { a, b, asked } = await twoRuns();
    const fresh: boolean[] = [];
    for (const lease of [a, a, b, b, a]) {
      fresh.push((await lease.acquire()).fresh);
      await lease.release();
    }
    expect(fresh).toEqual([true, true, false, true, false]);
    expect(asked().slice(-3)).toEqual(['GET 200', 'PUT 200', 'PUT 200']);
  });

  it.each([
    ['makes', false],
    ['takes', true],
  ])('lets one of two win that find it free and %s it', async (_what, exists) => {
    const { a, b, spec } = await twoRuns();
    if (exists) await a.acquire().then(() => a.release());
    const results = await Promise.allSettled([a.acquire(), b.acquire()]);
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(results.find(({ status }) => status === 'rejected')).toMatchObject({
      reason: { code: 'LEASE_HELD' },
    });
    expect(['a', 'b']).toContain(spec()['holderIdentity']);
  });

  it('takes back what it holds by an answer that was lost', async () => {
    const { a, sandbox } = await twoRuns();
    sandbox.fault({ match: { method: 'POST', path: /leases/ }, kind: 'reset-after' });
    await expect(a.acquire()).rejects.toMatchObject({ code: 'KUBE_UNAVAILABLE' });
    expect(await a.acquire()).toEqual({ fresh: true });
  });
});

describe('renew', () => {
  it('asks nobody in the first half, and writes once after it', async () => {
    const { a, asked, spec } = await twoRuns();
    await a.acquire();
    const before = spec()['renewTime'];
    asked();
    await a.renew();
    expect(asked()).toEqual([]);
    passLocally(9_000);
    await Promise.all([a.renew(), a.renew()]);
    await a.renew();
    expect(asked()).toEqual(['PUT 200']);
    expect(Date.parse(String(spec()['renewTime'])) - Date.parse(String(before))).toBeGreaterThanOrEqual(
      9_000,
    );
  });

  it('is kept past its time by one write when nobody took it meanwhile', async () => {
    const { a, asked } = await twoRuns();
    await a.acquire();
    asked();
    passLocally(25_000);
    await a.renew();
    expect(asked()).toHaveLength(1);
  });

  it.each([
    [
      'was taken',
      async ({ b, sandbox }: TwoRuns) => {
        sandbox.advanceClock(20_000);
        await b.acquire();
      },
    ],
    [
      // What kube-apiserver 1.36 answers to a PUT with the uid of what is gone.
      'was deleted',
      ({ sandbox }: TwoRuns): Promise<void> => {
        sandbox.fault({ match: { method: 'PUT', path: /leases/ }, kind: 'fail-before', status: 409 });
        return Promise.resolve();
      },
    ],
  ])('is lost when it %s', async (_what, happen) => {
    const runs = await twoRuns();
    await runs.a.acquire();
    await happen(runs);
    passLocally(9_000);
    await expect(runs.a.renew()).rejects.toMatchObject({ code: 'LEASE_LOST' });
    await expect(runs.a.renew()).rejects.toMatchObject({ code: 'LEASE_LOST' });
  });

  it('is lost when it was never taken or was released', async () => {
    const { a } = await twoRuns();
    await expect(a.renew()).rejects.toMatchObject({ code: 'LEASE_LOST' });
    await a.acquire();
    await a.release();
    await expect(a.renew()).rejects.toMatchObject({ code: 'LEASE_LOST' });
  });
});

describe('release and remove', () => {
  it('release takes one call, and none when there is nothing to give back', async () => {
    const { a, asked, spec } = await twoRuns();
    await a.acquire();
    asked();
    await a.release();
    await a.release();
    expect(asked()).toEqual(['PUT 200']);
    expect(spec()['holderIdentity']).toBe('');
  });

  it('release leaves it to whoever took it', async () => {
    const { a, b, sandbox, spec, log } = await twoRuns();
    await a.acquire();
    sandbox.advanceClock(20_000);
    await b.acquire();
    await a.release();
    expect(spec()['holderIdentity']).toBe('b');
    expect(log.warnings).toEqual([]);
  });

  it('remove finds it deleted already', async () => {
    const { a, sandbox, asked, log } = await twoRuns();
    await a.acquire();
    sandbox.kube.delete('Lease', 'levelset', NAME);
    await a.remove();
    expect(asked().at(-1)).toBe('DELETE 404');
    expect(log.warnings).toEqual([]);
  });

  it('remove deletes what we hold, what is free and what is not there, and no other', async () => {
    const { a, b, spec, asked } = await twoRuns();
    await a.acquire();
    await b.remove();
    expect(spec()['holderIdentity']).toBe('a');
    asked();
    await a.remove();
    await a.remove();
    expect(asked()).toEqual(['DELETE 200', 'GET 404']);
    await b.acquire();
    await b.release();
    await a.remove();
    expect(spec()).toBeUndefined();
  });

  it.each(['release', 'remove'] as const)('%s tells the log when the apiserver fails', async (verb) => {
    const { a, sandbox, log } = await twoRuns();
    await a.acquire();
    sandbox.fault({ match: { side: 'kube', write: true }, kind: 'fail-before' });
    await a[verb]();
    expect(log.warnings).toMatchObject([{ fields: { lease: `levelset/${NAME}` } }]);
  });
});

it('lists the Leases of ours and no others', async () => {
  const { a, sandbox, connect } = await twoRuns();
  await a.acquire();
  sandbox.kube.apply({ kind: 'Lease', metadata: { name: 'other', namespace: 'levelset' } });
  expect(await (await connect('c')).listLeases()).toEqual([NAME]);
});

let world: SandboxKube;
beforeEach(async () => {
  world = await sandboxKube();
});
afterEach(() => world.sandbox.close());

test('two Services of one process that want the same Lease keep each other out', async () => {
  const kube = await world.connect('a');
  const [web, api] = [kube.lease('levelset-lb-1', 'web'), kube.lease('levelset-lb-1', 'api')];

  await web.acquire();
  await expect(api.acquire()).rejects.toMatchObject({ code: 'LEASE_HELD' });

  await web.release();
  expect(await api.acquire()).toEqual({ fresh: false });
});

test('its owner learns that another Service of the same process had its Lease', async () => {
  const kube = await world.connect('a');
  const owner = kube.lease('levelset-1');
  await owner.acquire();
  await owner.release();
  expect(await owner.acquire()).toEqual({ fresh: true });
  await owner.release();

  const other = kube.lease('levelset-1', 'api');
  await other.acquire();
  await other.release();

  expect(await owner.acquire()).toEqual({ fresh: false });
});
