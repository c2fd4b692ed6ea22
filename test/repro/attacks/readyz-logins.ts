/**
 * /readyz asks for no token. With a wrong password in cloud.conf each call is a login at Keystone: anybody on the network can
 * lock the account.
 */
import { writeFileSync } from 'node:fs';
import { serve } from '../../../functions/serve.ts';
import { pause, startSandboxWorld } from '../../support/sandbox-world.ts';
import { show, SILENT } from '../show.ts';

const it = await startSandboxWorld();
const { requests, authUrl } = it.sandbox;
writeFileSync(
  it.cloudConfig,
  `[Global]\nauth-url = ${authUrl}\nusername = demo\npassword = wrong\ntenant-name = demo\ndomain-name = Default\n`,
);
const serving = await serve({
  flags: { kubeconfig: it.kubeconfig, cloudConfig: it.cloudConfig, listen: '127.0.0.1:0' },
  env: { LEVELSET_AUDIT_TOKENS: 'audit-token' },
  log: SILENT,
});
await pause(800);
const before = requests.length;
for (let calls = 0; calls < 40; calls += 1) await (await fetch(`${serving.url}/readyz`)).text();
const logins = requests.slice(before).filter(({ path }) => path.includes('auth/tokens'));
show('40 calls of /readyz without a token', `${logins.length} logins`);
await serving.stop();
await it.close();
