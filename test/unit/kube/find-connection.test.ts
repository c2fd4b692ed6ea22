import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import { findConnection, inCluster } from '../../../shared/kube/connection/find-connection.ts';
import { kubeconfigOf } from '../../support/sandbox-world.ts';
import { aFolder } from '../../support/for-one-test.ts';

let folder: string;
beforeEach(() => void (folder = aFolder()));

function write(name: string): string {
  const path = join(folder, name);
  mkdirSync(join(path, '..'), { recursive: true });
  writeFileSync(path, kubeconfigOf({ server: `https://${name.replaceAll(/\W/g, '')}` }));
  return path;
}

it('takes the flag, the text, KUBECONFIG and the home folder in this order', async () => {
  const kubeconfigFlag = write('flag');
  const env = {
    LEVELSET_KUBECONFIG_TEXT: kubeconfigOf({ server: 'https://text' }),
    KUBECONFIG: [join(folder, 'missing'), write('first'), write('second')].join(':'),
    HOME: folder,
  };
  write('.kube/config');
  const servers = [
    await findConnection({ kubeconfig: kubeconfigFlag, env }),
    await findConnection({ env }),
    await findConnection({ env: { ...env, LEVELSET_KUBECONFIG_TEXT: '' } }),
    await findConnection({ env: { HOME: folder } }),
  ].map(({ server }) => server);
  expect(servers).toEqual(['https://flag', 'https://text', 'https://first', 'https://kubeconfig']);
});

// prettier-ignore
it.each([
  ['a flag without its file', { kubeconfig: '/no/kc', env: {} }, '--kubeconfig: there is no such file (ENOENT)'],
  ['KUBECONFIG without a file', { env: { KUBECONFIG: '/no/a:/no/b' } }, 'KUBECONFIG must name a file that exists; the text'],
  ['nothing', { env: {} }, 'no kube-apiserver is configured: give --kubeconfig'],
])('refuses %s', async (_what, where, words) => {
  const message = expect.stringContaining(words) as string;
  await expect(findConnection(where)).rejects.toMatchObject({ code: 'CONFIG_INVALID', message });
});

it.each<readonly [server: string | undefined, host?: string, port?: string]>([
  ['https://10.96.0.1:443', '10.96.0.1', '443'],
  ['https://[fd00:96::1]:6443', 'fd00:96::1', '6443'],
  [undefined],
])('finds %s by the variables of a Pod, with the token of its ServiceAccount', async (server, host, port) => {
  writeFileSync(join(folder, 'token'), 'sa-token');
  writeFileSync(join(folder, 'ca.crt'), 'the CA');
  const env = { KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port };
  const connection = await inCluster(env, folder);
  expect(connection?.server).toBe(server);
  expect(await connection?.credential(false)).toEqual(
    server && { authorization: 'Bearer sa-token', certificateAuthority: 'the CA' },
  );
  expect(await inCluster(env, '/no')).toBeUndefined();
});
