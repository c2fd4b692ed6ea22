/** How an entry reaches its OpenStack: by a login that others may share, and not at addresses of the machine. */
import { expect, test } from 'vitest';
import { CloudLogins, refuseLocal } from '../../../functions/clusters/connect-entry.ts';
import { connectCloud } from '../../../shared/openstack/connect-cloud.ts';
import type { Keystone } from '../../../shared/openstack/keystone.ts';
import { overSockets, REAL_TIME } from '../../../shared/openstack/openstack-http.ts';
import type { Observer, Transport } from '../../../shared/openstack/openstack-http.ts';
import { aConfig } from '../../support/config.ts';

test('what a shared login calls counts for one of the clusters that have it, and for none that is gone', () => {
  const logins = new CloudLogins();
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

test('credentials that came into one entry are the login of that cluster alone', async () => {
  const logins = new CloudLogins();
  const { openstack } = aConfig('http://127.0.0.1:1');
  const withPassword = (password: string) =>
    ({ ...openstack.credentials, password }) as typeof openstack.credentials;
  const config = { ...openstack, credentials: withPassword('old') };
  const asked: string[] = [];
  const transport: Transport = {
    ...REAL_TIME,
    send: ({ body }) => {
      const password = /"password":"(\w+)"/.exec(JSON.stringify(body))?.[1] ?? '';
      asked.push(password);
      const times = { expires_at: '2026-01-01T01:00:00Z', issued_at: '2026-01-01T00:00:00Z' };
      const token = { ...times, project: { id: `that of ${password}` }, catalog: [] };
      return Promise.resolve(
        password === 'old'
          ? { status: 401, headers: {}, text: '{}' }
          : { status: 201, headers: { 'x-subject-token': password }, text: JSON.stringify({ token }) },
      );
    },
  };
  const connected = (cluster: string, now: string): Promise<string> =>
    connectCloud(config, {
      ...{ transport, shareLogin: logins.of(cluster) },
      readCredentials: () => Promise.resolve(withPassword(now)),
    }).session.projectId();

  expect(await connected('a', 'new')).toBe('that of new');
  await expect(connected('b', 'old')).rejects.toMatchObject({ code: 'UNAUTHORIZED' });
  expect(await connected('c', 'new')).toBe('that of new');
  expect(asked).toEqual(['old', 'new']);
});

const LOCAL = ['0.0.0.0', '127.0.0.1', '127.9.9.9', '169.254.169.254', '::', '::1', '::ffff:127.0.0.1'];
test.each([
  ...[...LOCAL, '::ffff:a9fe:a9fe', 'fe80::1', 'fd00:ec2::254'].map((address) => [address, true] as const),
  ...['10.0.0.1', '192.168.1.1', '203.0.113.1', 'fd00::1', '2001:db8::1'].map((one) => [one, false] as const),
])('an entry that leads to %s is refused: %s', (address, isRefused) => {
  expect(refuseLocal('a')('api.example', address) !== undefined).toBe(isRefused);
});

const projectAt = (host: string): Promise<string> => {
  const { openstack } = aConfig(`http://${host}:1/v3`);
  const transport = overSockets(openstack, undefined, refuseLocal('prod-a'));
  return connectCloud(openstack, { transport }).session.projectId();
};

const LOOPBACK =
  /^the entry prod-a leads to (localhost, which is at )?[\d.:]+: .*--allow-local-servers allows it$/;

test.each([
  ['localhost', 'CONFIG_INVALID', LOOPBACK],
  ['127.0.0.1', 'CONFIG_INVALID', LOOPBACK],
  ['[::1]', 'CONFIG_INVALID', LOOPBACK],
  ['nowhere.invalid', 'CLOUD_UNAVAILABLE', /nowhere\.invalid/],
])('Keystone at %s is asked for nothing: %s', async (host, code, message) => {
  const told = expect.stringMatching(message) as string;
  await expect(projectAt(host)).rejects.toMatchObject({ code, message: told });
});
