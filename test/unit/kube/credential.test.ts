import { chmodSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { externalCredential } from '../../../shared/kube/connection/external-credential.ts';
import { readKubeconfig } from '../../../shared/kube/connection/kubeconfig.ts';
import { tokenFile } from '../../../shared/kube/connection/token-file.ts';
import { temporaryFolder } from './temporary-folder.ts';

const folder = temporaryFolder();

describe('a token file', () => {
  it('is read again when its mtime changes and after a 401, and outlives its file', async () => {
    const path = join(folder.path, 'token');
    const write = (token: string, mtime: number): void => {
      writeFileSync(path, token);
      utimesSync(path, mtime, mtime);
    };
    const credential = tokenFile(path);
    write('one\n', 1000);
    expect(await credential(false)).toEqual({ authorization: 'Bearer one' });
    write('two', 1000);
    expect(await credential(false)).toEqual({ authorization: 'Bearer one' });
    expect(await credential(true)).toEqual({ authorization: 'Bearer two' });
    write('three', 2000);
    expect(await credential(false)).toEqual({ authorization: 'Bearer three' });
    rmSync(path);
    expect(await credential(true)).toEqual({ authorization: 'Bearer three' });
  });

  it('must be there and hold something at first', async () => {
    const path = join(folder.path, 'empty');
    await expect(tokenFile(path)(false)).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
      message: `no token can be read from ${path}: ENOENT`,
    });
    writeFileSync(path, '\n');
    await expect(tokenFile(path)(false)).rejects.toThrow('it is empty');
  });
});

describe('an exec plugin', () => {
  const execKubeconfig = (command: string): Promise<{ credential: (refused: boolean) => Promise<unknown> }> =>
    readKubeconfig(
      JSON.stringify({
        'current-context': 'a',
        contexts: [{ name: 'a', context: { cluster: 'a', user: 'a' } }],
        clusters: [{ name: 'a', cluster: { server: 'https://a' } }],
        users: [
          {
            name: 'a',
            user: {
              exec: {
                apiVersion: 'client.authentication.k8s.io/v1',
                command,
                args: ['token'],
                env: [{ name: 'PREFIX', value: 'from' }],
              },
            },
          },
        ],
      }),
      join(folder.path, 'kc'),
      externalCredential,
    );

  it('runs once for all, again after a 401, and is told its version', async () => {
    const plugin = join(folder.path, 'plugin');
    writeFileSync(
      plugin,
      `#!/bin/sh
echo run >> "$(dirname "$0")/runs"
echo "$KUBERNETES_EXEC_INFO" > "$(dirname "$0")/info"
echo '{"status":{"token":"'$PREFIX-$1-$(wc -l < "$(dirname "$0")/runs" | tr -d ' ')'"}}'
`,
    );
    chmodSync(plugin, 0o755);
    const { credential } = await execKubeconfig('./plugin');
    const first = { authorization: 'Bearer from-token-1' };
    expect(await Promise.all([credential(false), credential(false)])).toEqual([first, first]);
    expect(await credential(false)).toEqual(first);
    expect(await credential(true)).toEqual({ authorization: 'Bearer from-token-2' });
    expect(JSON.parse(readFileSync(join(folder.path, 'info'), 'utf8'))).toEqual({
      kind: 'ExecCredential',
      apiVersion: 'client.authentication.k8s.io/v1',
      spec: { interactive: false },
    });
  });

  it('that fails, or whose tokens are refused, does not run for every request', async () => {
    const plugin = join(folder.path, 'counts');
    const runs = (): number => readFileSync(join(folder.path, 'counted'), 'utf8').length;
    const write = (last: string): void => {
      writeFileSync(plugin, `#!/bin/sh\nprintf x >> "$(dirname "$0")/counted"\n${last}\n`);
      chmodSync(plugin, 0o755);
    };
    const exec = { apiVersion: 'client.authentication.k8s.io/v1', command: plugin, env: [] };
    const time = { now: 0 };
    const credential = externalCredential({ exec }, 'exec', () => time.now);
    const asked = (refused: boolean): Promise<unknown> =>
      credential(refused).catch((error: unknown) => error);

    write('exit 1');
    for (let request = 0; request < 9; request += 1) await asked(false);
    expect(runs()).toBe(1);
    time.now = 5_000;
    for (let request = 0; request < 9; request += 1) await asked(true);
    expect(runs()).toBe(2);
    write(`echo '{"status":{"token":"one"}}'`);
    time.now = 15_000;
    for (let request = 0; request < 9; request += 1) await asked(true);
    expect(runs()).toBe(3);
    time.now = 65_000;
    for (let request = 0; request < 9; request += 1) await asked(true);
    expect(runs()).toBe(4);
  });

  it.each([
    ['is not there', './missing', '(ENOENT): run it by hand'],
    ['fails, without its output', './fails', '(it failed): run it by hand'],
    ['answers nothing', './empty', 'gave neither a token nor a client certificate'],
  ])('that %s is named', async (_what, command, message) => {
    for (const [name, script] of [
      ['fails', '#!/bin/sh\necho hush >&2\nexit 1\n'],
      ['empty', '#!/bin/sh\necho \'{"status":{}}\'\n'],
    ] as const) {
      writeFileSync(join(folder.path, name), script);
      chmodSync(join(folder.path, name), 0o755);
    }
    const { credential } = await execKubeconfig(command);
    const error = await credential(false).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'CONFIG_INVALID' });
    expect((error as Error).message).toContain(message);
    expect((error as Error).message).not.toContain('hush');
  });
});

describe('OpenID Connect', () => {
  it('shows the id token of the kubeconfig while it lasts', async () => {
    const payload = Buffer.from(JSON.stringify({ exp: 4_000_000_000 })).toString('base64url');
    const idToken = `e30.${payload}.x`;
    const config = { 'id-token': idToken, 'client-id': 'a', 'idp-issuer-url': 'https://idp.invalid' };
    const credential = externalCredential({ authProvider: { name: 'oidc', ...{ config } } }, 'oidc');
    expect(await credential(false)).toEqual({ authorization: `Bearer ${idToken}` });
  });
});
