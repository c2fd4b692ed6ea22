import { expect, onTestFinished, test } from 'vitest';
import { startSandbox } from '../../../infra/sandbox/sandbox.ts';
import { connectCloud } from '../../../shared/openstack/connect-cloud.ts';
import { configFor } from './fake-openstack.ts';

const DOMAIN = { name: 'Default' };
const DEMO = { name: 'demo', domain: DOMAIN };

test.each([
  ['ready', {}, 'demo', undefined],
  ['not ready with a region that is none', { region: 'Nowhere' }, 'demo', 'CONFIG_INVALID'],
  ['not ready with a wrong password', {}, 'wrong', 'UNAUTHORIZED'],
])('is %s', async (_what, change, password, code) => {
  const sandbox = await startSandbox();
  onTestFinished(() => sandbox.close());
  const credentials = { type: 'password' as const, user: DEMO, password, project: DEMO };
  const { ready } = connectCloud({ ...configFor(sandbox.authUrl), credentials, ...change });
  const refused = await ready().then(
    () => undefined,
    (error: unknown) => (error as { readonly code: string }).code,
  );
  expect(refused).toBe(code);
});
