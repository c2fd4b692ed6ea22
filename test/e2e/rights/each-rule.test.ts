/** The real services, asked once for each access rule: with all of them, and with all but this one. */
import { beforeAll, expect, it } from 'vitest';
import type { AccessRule } from '../../../infra/sandbox/openstack/keystone/access-rules.ts';
import { allRules, makeCredential } from '../lab/credential.ts';
import { lab } from '../lab/environment.ts';
import { OpenStack, type ServiceType } from '../lab/openstack.ts';

const NOBODY = '00000000-0000-4000-8000-000000000000';
const rules = allRules();

let levelset: OpenStack;
beforeAll(() => {
  levelset = new OpenStack(lab().levelsetCloud);
});

/** The status of the call that the rule is about: of no object, with a body that asks for nothing. */
async function ask(user: OpenStack, { service, method, path }: AccessRule): Promise<number> {
  const asked = path.replace(/^\/v2\.1/, '').replaceAll('*', NOBODY);
  const { status } = await user.request(
    service as ServiceType,
    method,
    asked,
    method === 'POST' || method === 'PUT' ? {} : undefined,
  );
  return status;
}

it.concurrent.each(rules.map((rule) => [`${rule.service} ${rule.method} ${rule.path}`, rule] as const))(
  '%s is allowed by its rule alone',
  async (_, rule) => {
    const { cloud, remove } = await makeCredential(
      lab().levelsetPassword,
      rules.filter((one) => one !== rule),
    );
    try {
      expect(await ask(levelset, rule)).not.toBe(401);
      expect(await ask(new OpenStack(cloud), rule)).toBe(401);
    } finally {
      await remove();
    }
  },
);

it('what no rule names is refused', async () => {
  const others = [
    { service: 'compute', method: 'GET', path: '/v2.1/servers' },
    { service: 'network', method: 'POST', path: '/v2.0/networks' },
    { service: 'network', method: 'GET', path: '/v2.0/routers' },
  ];
  for (const other of others) expect(await ask(levelset, other)).toBe(401);
});
