import { expect, test } from 'vitest';
import { refuseLocal } from '../../../functions/clusters/connect-entry.ts';
import { connectCloud } from '../../../shared/openstack/connect-cloud.ts';
import { overSockets } from '../../../shared/openstack/openstack-http.ts';
import { aConfig } from '../../support/config.ts';

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
  await expect(projectAt(host)).rejects.toMatchObject({
    code,
    message: expect.stringMatching(message) as string,
  });
});
