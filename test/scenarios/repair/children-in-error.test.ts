/** Children in ERROR, or left in PENDING, below an ACTIVE load balancer: Octavia shows what they should be, and they serve as before. */
import { beforeEach, describe, expect, test } from 'vitest';
import { sweep } from '../../../shared/sweep.ts';
import { aService } from '../../support/service.ts';
import { inEachTest, pause, startSandboxWorld } from '../../support/sandbox-world.ts';
import { cloudWrites, readyOf, addressOf } from '../../support/told.ts';
import { aWorld } from '../../support/for-one-test.ts';

const OWN = 'levelset.openstack.org/';

const it = inEachTest(() => startSandboxWorld());
beforeEach(async () => {
  // everything was made long ago
  it.advanceClock(-600_000);
  const annotations = { [`${OWN}redirect-http.80`]: 'true', [`${OWN}redirect-host`]: 'app.example.org' };
  const http = { name: 'http', port: 80, nodePort: 30080, appProtocol: 'http' };
  const ports = [http, { name: 'tcp', port: 443, nodePort: 30443 }];
  it.kube.apply(aService({ annotations, spec: { ports } }));
  await it.sweepUntilSettled();
});

const KINDS = ['listeners', 'pools', 'healthmonitors', 'members', 'l7policies', 'l7rules'] as const;
type Kind = (typeof KINDS)[number];

/** Octavia says that the first of these is in ERROR, or all. */
function fail(kind: Kind, most = 1): void {
  const children = it.cloud[kind].slice(0, most);
  if (children.length === 0) throw new Error(`there are no ${kind}`);
  it.advanceClock(2_000);
  for (const child of children) child.provisioning_status = 'ERROR';
  for (const lb of it.cloud.loadbalancers) lb.updated_at = it.cloud.octaviaTime();
}
const statesOf = (kind: Kind) => new Set(it.cloud[kind].map(({ provisioning_status: status }) => status));

describe('a child in ERROR', () => {
  test.each(KINDS)('of the %s is written once, and serves', async (kind) => {
    fail(kind);
    const before = cloudWrites(it).length;

    expect((await it.settle('web', { trigger: 'sweep' })).outcome).toEqual({ status: 'settled' });
    expect(statesOf(kind)).toEqual(new Set(['ACTIVE']));
    expect(cloudWrites(it).slice(before)).toHaveLength(1);
    expect(readyOf(it)?.status).toBe('True');
  });

  test('that fails again is reported, and written once a minute, however many runs there are', async () => {
    fail('pools');
    const before = cloudWrites(it).length;
    await it.once({ trigger: 'sweep' });
    for (let runs = 0; runs < 5; runs += 1) {
      await pause(5);
      fail('pools');
      await it.once({ trigger: 'sweep' });
    }

    expect(cloudWrites(it).slice(before)).toHaveLength(1);
    expect(readyOf(it)).toMatchObject({ status: 'False' });
    expect(it.told()).toContain('is in ERROR: Octavia could not configure it');
    expect((await sweep(it.world)).requests).toMatchObject([{ key: 'service/default/web' }]);

    const later = it.later(61_000);
    await it.once({ trigger: 'sweep' }, later);
    await pause(5);
    expect(cloudWrites(it).slice(before)).toHaveLength(2);
    await it.settle('web');
    expect(readyOf(it)?.status).toBe('True');
  });
});

test('all of them in ERROR are written, each before what is below it, and serve', async () => {
  for (const kind of KINDS) fail(kind, 3);

  expect((await it.settle('web', { trigger: 'sweep' })).outcome).toEqual({ status: 'settled' });
  for (const kind of KINDS) expect(statesOf(kind), kind).toEqual(new Set(['ACTIVE']));
});

test('#2165, #1751: children that ovn leaves in PENDING_CREATE are told of, the address is published, and the other port follows the Nodes', async () => {
  const config = { lbProvider: 'ovn', lbMethod: 'SOURCE_IP_PORT' } as const;
  const it = await aWorld({ octavia: { provider: 'ovn' } }, config);
  const { cloud, kube } = it;
  const ports = [80, 443].map((port) => ({ name: `p-${port}`, port, nodePort: 30_000 + port }));
  kube.apply(aService({ spec: { ports } }));
  await it.settle('web');
  const [stuck] = cloud.pools;
  if (!stuck) throw new Error('there is no pool');
  const members = cloud.members.filter(({ pool_id: id }) => id === stuck.id);
  const left = { provisioning_status: 'PENDING_CREATE', created_at: '2026-01-01T00:00:00', updated_at: null };
  for (const child of [stuck, ...members]) Object.assign(child, left);
  it.advanceClock(2_000);
  for (const lb of cloud.loadbalancers) lb.updated_at = cloud.octaviaTime();
  kube.addNode('node-9');

  const { outcome } = await it.settle('web', { trigger: 'sweep' });

  expect(outcome).toMatchObject({ status: 'failed', code: 'LOAD_BALANCER_STUCK' });
  expect(addressOf(it)).toBeDefined();
  expect(it.told()).toContain(`WHERE id = '${stuck.id}'`);
  const joined = cloud.members.filter(({ name }) => name.includes('node-9'));
  expect(joined.map(({ pool_id: id }) => id)).toEqual([cloud.pools[1]?.id]);

  for (const child of [stuck, ...members]) child.provisioning_status = 'ACTIVE';
  await it.sweepUntilSettled();
  expect(cloud.members.filter(({ name }) => name.includes('node-9'))).toHaveLength(2);
  expect(readyOf(it)?.status).toBe('True');
});
