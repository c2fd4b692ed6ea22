import { chmodSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { externalCredential } from '../../../shared/kube/connection/external-credential.ts';
import { readKubeconfig } from '../../../shared/kube/connection/kubeconfig.ts';
import { kubeconfigOf } from '../../support/sandbox-world.ts';
import { aFolder } from '../../support/for-one-test.ts';

let folder: string;
beforeEach(() => void (folder = aFolder()));
function script(name: string, ...lines: readonly string[]): string {
  const path = join(folder, name);
  writeFileSync(path, `#!/bin/sh\n${lines.join('\n')}\n`);
  chmodSync(path, 0o755);
  return path;
}
afterEach(() => vi.unstubAllEnvs());

/** The credential of a kubeconfig with this user. */
const credentialOf = async (user: object, cluster: object = {}) => {
  const text = kubeconfigOf({ server: 'https://a', ...cluster }, user);
  return (await readKubeconfig(text, { source: join(folder, 'kc') }, externalCredential)).credential;
};

describe('a token file', () => {
  it('is read again when its mtime changes and after a 401, and outlives its file', async () => {
    const path = join(folder, 'token');
    const write = (token: string, mtime: number): void => {
      writeFileSync(path, token);
      utimesSync(path, mtime, mtime);
    };
    write('one\n', 1000);
    const credential = await credentialOf({ tokenFile: 'token' });
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
    const ask = async (): Promise<unknown> => (await credentialOf({ tokenFile: 'empty' }))(false);
    await expect(ask()).rejects.toThrow(
      /kc: users\[0\]\.user\.tokenFile: there is no such file in .* \(ENOENT\)/,
    );
    writeFileSync(join(folder, 'empty'), '\n');
    await expect(ask()).rejects.toThrow(/kc: users\[0\]\.user\.tokenFile: .*empty is empty/);
  });
});

describe('an exec plugin', () => {
  const apiVersion = 'client.authentication.k8s.io/v1';
  const EXEC = { apiVersion, args: ['token'], env: [{ name: 'PREFIX', value: 'from' }] };
  const execCredential = (command: string, more: object = {}, cluster: object = {}) =>
    credentialOf({ exec: { ...EXEC, command, ...more } }, cluster);

  it('runs once for all, again after a 401, and is told its version', async () => {
    script(
      'plugin',
      'echo run >> "$(dirname "$0")/runs"',
      'echo "$KUBERNETES_EXEC_INFO" > "$(dirname "$0")/info"',
      `echo '{"status":{"token":"'$PREFIX-$1-$(wc -l < "$(dirname "$0")/runs" | tr -d ' ')'"}}'`,
    );
    const credential = await execCredential('./plugin');
    const first = { authorization: 'Bearer from-token-1' };
    expect(await Promise.all([credential(false), credential(false)])).toEqual([first, first]);
    expect(await credential(false)).toEqual(first);
    expect(await credential(true)).toEqual({ authorization: 'Bearer from-token-2' });
    expect(JSON.parse(readFileSync(join(folder, 'info'), 'utf8'))).toEqual({
      kind: 'ExecCredential',
      apiVersion: 'client.authentication.k8s.io/v1',
      spec: { interactive: false },
    });
  });

  it('that fails, or whose tokens are refused, does not run for every request', async () => {
    const runs = (): number => readFileSync(join(folder, 'counted'), 'utf8').length;
    const plugin = (last: string): string => script('counts', 'printf x >> "$(dirname "$0")/counted"', last);
    const time = { now: 0 };
    const exec = { apiVersion: 'client.authentication.k8s.io/v1', command: plugin('exit 1'), env: [] };
    const credential = externalCredential({ exec }, 'exec', () => time.now);
    for (const [atMs, refused, count, last] of [
      [0, false, 1, 'exit 1'],
      [5_000, true, 2, 'exit 1'],
      [15_000, true, 3, `echo '{"status":{"token":"one"}}'`],
      [65_000, true, 4, `echo '{"status":{"token":"one"}}'`],
    ] as const) {
      plugin(last);
      time.now = atMs;
      for (let request = 0; request < 9; request += 1)
        await credential(refused).catch((error: unknown) => error);
      expect(runs()).toBe(count);
    }
  });

  // prettier-ignore
  it.each([
    ['is not there', './missing', '(ENOENT): install it by: apt install plugin'],
    ['says why it fails', './fails', '(it failed): cannot log in as REDACTED with REDACTED Ask the network team'],
    ['prints what is no JSON', './chatty', '(it failed): run it by hand to see why'],
    ['asks a person', './asks-a-person', '(it failed): nobody gave a code'],
    ['answers nothing', './empty', 'gave neither a token nor a client certificate'],
  ])('that %s is told, without what it was given and without tokens', async (_what, command, message) => {
    const complain = `printf 'cannot log in as %s\\nwith %s\\n  Ask the network team\\n' "$PREFIX" eyJhbGciOiJIUzI1NiJ9.hush.x >&2`;
    script('fails', complain, 'exit 1');
    script('chatty', 'echo hush');
    script('empty', 'echo \'{"status":{}}\'');
    script('asks-a-person', 'read code || { echo nobody gave a code >&2; exit 3; }');
    const given = {
      env: [{ name: 'PREFIX', value: 'hush-of-kubeconfig' }],
      installHint: 'install it by: apt install plugin',
    };
    const credential = await execCredential(command, given);
    const error = await credential(false).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'CONFIG_INVALID' });
    expect((error as Error).message).toContain(
      `kc: users[0].user.exec gave ${message.startsWith('(') ? 'no credential ' : ''}${message.replace(/^gave /, '')}`,
    );
    expect((error as Error).message).not.toContain('hush');
  });

  it.each([
    ['in several lines', '-----BEGIN PRIVATE KEY-----\nMIIEhush\nhush\n-----END PRIVATE KEY-----', '%s'],
    ['that is short', 'hush7', 'cannot log in with %s'],
    ['of which it repeats one line', 'first-hush\nsecond-hush', 'second-hush'],
  ])('repeats a secret %s, and it is not told', async (_, value, says) => {
    vi.stubEnv('HUSH_TOKEN', 'hush-of-the-process');
    const told = [`printf '${says}\\n' "$SECRET" >&2`, 'echo "$1 $2 $HUSH_TOKEN" >&2'];
    script('repeats', ...told, `echo gAAAAABhush${'x'.repeat(20)} >&2`, 'exit 1');
    const args = ['--issuer=https://dex.example.org', '--client-secret=hush-of-flag'];
    const credential = await execCredential('./repeats', { args, env: [{ name: 'SECRET', value }] });
    const error = (await credential(false).catch((thrown: unknown) => thrown)) as Error;
    expect(error.message).not.toContain('hush');
    expect(error.message).toContain(
      '--issuer=https://dex.example.org --client-secret=REDACTED REDACTED REDACTED',
    );
  });

  it('that asks for the cluster is told of it, as kubectl does', async () => {
    script('asks', `echo '{"status":{"token":"'$(echo "$KUBERNETES_EXEC_INFO" | base64 | tr -d '\\n')'"}}'`);
    writeFileSync(join(folder, 'ca.crt'), '-----BEGIN CERTIFICATE-----\nx');
    const cluster = {
      ...{ 'certificate-authority': 'ca.crt', 'tls-server-name': 'api', 'proxy-url': null },
      extensions: [{ name: 'client.authentication.k8s.io/exec', extension: { audience: 'a' } }],
    };
    const credential = await execCredential('./asks', { provideClusterInfo: true }, cluster);
    const { authorization = '' } = await credential(false);
    const info = JSON.parse(Buffer.from(authorization.replace('Bearer ', ''), 'base64').toString()) as object;
    expect(info).toMatchObject({
      spec: {
        cluster: {
          server: 'https://a',
          'tls-server-name': 'api',
          'certificate-authority-data': Buffer.from('-----BEGIN CERTIFICATE-----\nx').toString('base64'),
          config: { audience: 'a' },
        },
        interactive: false,
      },
    });
    expect(info).not.toHaveProperty('spec.cluster.certificate-authority');
  });
});
