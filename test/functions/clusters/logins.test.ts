import { expect, test } from 'vitest';
import { Logins } from '../../../functions/clusters/logins.ts';
import type { Keystone } from '../../../shared/openstack/identity/keystone.ts';
import type { Observer } from '../../../shared/openstack/openstack-http.ts';
import { aConfig } from '../../support/config.ts';

test('what a shared login calls counts for one of the clusters that have it, and for none that is gone', () => {
  const logins = new Logins();
  const { openstack } = aConfig('http://127.0.0.1:1');
  const seen: string[] = [];
  const calls: Observer[] = [];
  const share = (cluster: string): Keystone =>
    logins.of(cluster)(
      openstack,
      () => void seen.push(cluster),
      (observe) => {
        calls.push(observe);
        return {} as Keystone;
      },
    );
  const call = { service: 'identity', method: 'POST', status: 201 } as unknown as Parameters<Observer>[0];
  const [ofA, ofB] = [share('a'), share('b')];
  expect(ofA).toBe(ofB);
  expect(calls).toHaveLength(1);

  calls[0]?.(call);
  logins.leave('a');
  calls[0]?.(call);
  logins.leave('b');
  calls[0]?.(call);

  expect(seen).toEqual(['a', 'b']);
});
