/** What of a shared load balancer is all its Services' matter: it changes where they agree, and else stays. */
import { describe, expect, test } from 'vitest';
import { LOAD_BALANCER_NAME, startSharedWorld } from '../../support/shared-world.ts';
import { addressOf, readyOf } from '../../support/told.ts';
import { inEachTest } from '../../support/sandbox-world.ts';

const INTERNAL = 'service.beta.kubernetes.io/openstack-internal-load-balancer';

const it = inEachTest(() => startSharedWorld());

describe('those who share a load balancer', () => {
  const ask = async (of: Readonly<Record<string, boolean>>): Promise<void> => {
    for (const [at, [name, internal]] of Object.entries(of).entries())
      it.apply(name, 80 + at, { [LOAD_BALANCER_NAME]: 'edge', [INTERNAL]: String(internal) });
    for (const name of Object.keys(of)) await it.settle(name);
    await it.sweepUntilSettled();
  };
  const open = (): number => it.sandbox.cloud.floatingips.length;
  const told = (name: string): string => readyOf(it.sandbox, name)?.message ?? '';

  test('are open to the outside when all ask for it, and until all are internal', async () => {
    await ask({ web: true, db: true });
    expect(open()).toBe(0);

    await ask({ web: false, db: true });
    expect(open()).toBe(0);
    expect(told('web')).toContain('has no floating IP, and gets none, since default/db is on it');
    expect(addressOf(it.sandbox)).toBe(it.lb().vip_address);

    await ask({ web: false, db: false });
    expect(open()).toBe(1);
    expect(it.sandbox.cloud.floatingips[0]?.description).toContain('default/web');
    expect(addressOf(it.sandbox)).toBe(it.sandbox.cloud.floatingips[0]?.floating_ip_address);
    expect(addressOf(it.sandbox, 'db')).toBe(addressOf(it.sandbox));

    await ask({ web: true, db: false });
    expect(open()).toBe(1);
    expect(told('web')).toContain('which goes when all who share it are internal');

    await ask({ web: true, db: true });
    expect(open()).toBe(0);
    expect(addressOf(it.sandbox, 'db')).toBe(it.lb().vip_address);
  });

  test('are not open for one that cannot be read, and are without one that is gone', async () => {
    await ask({ web: true, db: true });
    it.lb().tags = [...it.lb().tags, 'levelset-name=default/gone'];
    const clear = it.sandbox.fault({
      match: { path: /services\/db$/, method: 'GET' },
      kind: 'fail-before',
      status: 500,
      times: Infinity,
    });
    it.apply('web', 80, { [LOAD_BALANCER_NAME]: 'edge', [INTERNAL]: 'false' });
    await it.settle('web');
    expect(open()).toBe(0);

    clear();
    await ask({ web: false, db: false });
    expect(open()).toBe(1);
  });

  test('have a floating IP again that somebody deleted', async () => {
    await ask({ web: false, db: false });
    it.sandbox.cloud.floatingips.splice(0);

    await it.sweepUntilSettled();

    expect(open()).toBe(1);
    expect(addressOf(it.sandbox, 'db')).toBe(it.sandbox.cloud.floatingips[0]?.floating_ip_address);
  });

  test('keep the whole as it is made, whoever asks', async () => {
    await ask({ web: false, db: false });
    const flavor = '5b4f0d8e-1d1a-4f4a-9a51-0d7a2a3b4c5d';
    const annotations = { [LOAD_BALANCER_NAME]: 'edge', 'loadbalancer.openstack.org/flavor-id': flavor };
    it.apply('web', 80, annotations);

    const { plan } = await it.settle('web');

    expect(plan?.refused).toEqual([]);
    expect(told('web')).toContain('flavor-id');
    await it.remove('db');
    await it.sweepUntilSettled();
    expect((await it.settle('web')).plan?.refused[0]?.changes[0]?.attribute).toBe('flavor_id');
  });
});
