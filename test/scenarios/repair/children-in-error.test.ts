/** A child in ERROR below an ACTIVE load balancer: Octavia shows what it should be, and it serves as it was before. */
import { beforeEach, describe, expect, test } from 'vitest';
import { sweep } from '../../../shared/sweep.ts';
import { aService } from '../../support/service.ts';
import { inEachTest, pause, run, startSandboxWorld } from '../../support/sandbox-world.ts';
import { cloudWrites, readyOf } from '../../support/told.ts';

const it = inEachTest(() => startSandboxWorld());
beforeEach(async () => {
  // everything was made long ago
  it.sandbox.advanceClock(-600_000);
  it.sandbox.kube.apply(
    aService({
      annotations: {
        'levelset.openstack.org/redirect-http.80': 'true',
        'levelset.openstack.org/redirect-host': 'app.example.org',
      },
      spec: {
        ports: [
          { name: 'http', port: 80, nodePort: 30080, appProtocol: 'http' },
          { name: 'tcp', port: 443, nodePort: 30443 },
        ],
      },
    }),
  );
  await it.sweepUntilSettled();
});

const request = { key: 'service/default/web', trigger: 'audit' } as const;
const KINDS = ['listeners', 'pools', 'healthmonitors', 'members', 'l7policies', 'l7rules'] as const;
type Kind = (typeof KINDS)[number];

/** Octavia says that the first of these is in ERROR, or all. */
function fail(kind: Kind, most = 1): void {
  const children = it.sandbox.cloud[kind].slice(0, most);
  if (children.length === 0) throw new Error(`there are no ${kind}`);
  it.sandbox.advanceClock(2_000);
  for (const child of children) child.provisioning_status = 'ERROR';
  for (const lb of it.sandbox.cloud.loadbalancers) lb.updated_at = it.sandbox.cloud.octaviaTime();
}
const statesOf = (kind: Kind): ReadonlySet<unknown> =>
  new Set(it.sandbox.cloud[kind].map(({ provisioning_status: status }) => status));

describe('a child in ERROR', () => {
  test.each(KINDS)('of the %s is written once, and serves', async (kind) => {
    fail(kind);
    const before = cloudWrites(it.sandbox).length;

    const { outcome } = await it.settle('web', { trigger: 'sweep' });

    expect(outcome).toEqual({ status: 'settled' });
    expect(statesOf(kind)).toEqual(new Set(['ACTIVE']));
    expect(cloudWrites(it.sandbox).slice(before)).toHaveLength(1);
    expect(readyOf(it.sandbox)?.status).toBe('True');
  });

  test('that fails again is reported, and written once a minute, however many runs there are', async () => {
    fail('pools');
    const before = cloudWrites(it.sandbox).length;
    await run({ ...request, trigger: 'sweep' }, it.world);
    for (let runs = 0; runs < 5; runs += 1) {
      await pause(5);
      fail('pools');
      await run({ ...request, trigger: 'sweep' }, it.world);
    }

    expect(cloudWrites(it.sandbox).slice(before)).toHaveLength(1);
    expect(readyOf(it.sandbox)).toMatchObject({ status: 'False' });
    expect(readyOf(it.sandbox)?.message).toContain('is in ERROR: Octavia could not configure it');
    expect((await sweep(it.world)).requests).toMatchObject([{ key: request.key }]);

    const later = { ...it.world, clock: { now: () => Date.now() + 61_000 } };
    await run({ ...request, trigger: 'sweep' }, later);
    await pause(5);
    expect(cloudWrites(it.sandbox).slice(before)).toHaveLength(2);
    await it.settle('web');
    expect(readyOf(it.sandbox)?.status).toBe('True');
  });
});

test('all of them in ERROR are written, each before what is below it, and serve', async () => {
  for (const kind of KINDS) fail(kind, 3);

  const { outcome } = await it.settle('web', { trigger: 'sweep' });

  expect(outcome).toEqual({ status: 'settled' });
  for (const kind of KINDS) expect(statesOf(kind), kind).toEqual(new Set(['ACTIVE']));
});
