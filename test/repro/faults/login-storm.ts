/** The password was changed. 300 Services try to log in again and again, which locks the account where Keystone locks accounts. */
import { Work } from '../../../functions/serve/work.ts';
import { aConfig } from '../../support/config.ts';
import { pause, startSandboxWorld } from '../../support/sandbox-world.ts';
import { aService } from '../../support/service.ts';
import { connectedTo, show } from '../show.ts';

const it = await startSandboxWorld();
const { sandbox } = it;
const names = Array.from({ length: 300 }, (_, at) => `s${at}`);
for (const name of names) sandbox.kube.apply(aService({ name }));
const config = aConfig(sandbox.authUrl);
const { credentials } = config.openstack;
const wrong = { ...credentials, password: 'old' } as typeof credentials;
let runs = 0;
const work = new Work({
  connected: connectedTo(
    await it.another({ ...config, openstack: { ...config.openstack, credentials: wrong } }),
  ),
  reported: () => {
    runs += 1;
  },
  swept: () => undefined,
});
const before = sandbox.requests.length;
const logins = (): number =>
  sandbox.requests
    .slice(before)
    .filter(({ method, path }) => method === 'POST' && path.includes('auth/tokens')).length;
work.enqueue(names.map((name) => ({ key: `service/default/${name}`, trigger: 'audit' }) as const));
for (const seconds of [10, 20, 30]) {
  await pause(10_000);
  show(`after ${seconds} s`, `${logins()} logins, ${runs} runs`);
}
await work.stop();
await it.close();
