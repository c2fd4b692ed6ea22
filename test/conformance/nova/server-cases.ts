import { expect } from 'vitest';
import type { CloudCases } from '../cloud-case.ts';
import { CloudSession, request, type Reply } from '../cloud-session.ts';
import { at, textAt } from '../json-path.ts';
import { aServer, getServer, nova, serverIs } from './servers.ts';

const nobody = '00000000-0000-0000-0000-000000000000';

/** A refusal of Nova: the name of its body says the kind. */
export function expectNova(reply: Reply, status: number, kind: string, message: string | RegExp): void {
  const { code, message: said } = (at(reply.body, kind) ?? {}) as Record<string, unknown>;
  expect({ status: reply.status, code }, JSON.stringify(reply.body)).toEqual({ status, code: status });
  if (typeof message === 'string') expect(said).toBe(message);
  else expect(said).toMatch(message);
}

const act = (cloud: CloudSession, id: string, action: string): Promise<Reply> =>
  nova(cloud, 'POST', `/servers/${id}/action`, { [action]: null });

export const serverCases: CloudCases = {
  'a microversion is what was asked for, or 406, or 400; another service’s is not Nova’s': async (cloud) => {
    const version = async (headers: Record<string, string>): Promise<string | null> =>
      (await cloud.call('compute', 'GET', '/flavors', undefined, headers)).headers.get(
        'openstack-api-version',
      );
    expect(await version({})).toBe('compute 2.1');
    expect(await version({ 'OpenStack-API-Version': 'compute 2.47' })).toBe('compute 2.47');
    expect(await version({ 'OpenStack-API-Version': 'compute latest' })).toMatch(/^compute 2\.\d+$/);
    expect(await version({ 'OpenStack-API-Version': 'network 2.47' })).toBe('compute 2.1');
    expect(await version({ 'X-OpenStack-Nova-API-Version': '2.47' })).toBe('compute 2.47');
    const over = await nova(cloud, 'GET', '/flavors', undefined, '9.99');
    expectNova(over, 406, 'computeFault', /^Version 9\.99 is not supported by the API\. Minimum is 2\.1 and/);
    const none = await nova(cloud, 'GET', '/flavors', undefined, 'x');
    expectNova(none, 400, 'badRequest', /^API Version String x is of invalid format\./);
  },
  'a server that is not there, or somebody else’s, is 404; a path that is none is another 404': async (
    cloud,
  ) => {
    const { id } = await aServer(cloud);
    const gone = `Instance ${nobody} could not be found.`;
    expectNova(await nova(cloud, 'GET', `/servers/${nobody}`), 404, 'itemNotFound', gone);
    expectNova(await nova(cloud, 'DELETE', `/servers/${nobody}`), 404, 'itemNotFound', gone);
    const stranger = await CloudSession.open(cloud.target, cloud.target.stranger);
    const hidden = `Instance ${id} could not be found.`;
    expectNova(await nova(stranger, 'GET', `/servers/${id}`), 404, 'itemNotFound', hidden);
    for (const path of ['/servers/', '/servers/detail/', '/nothing', '/flavors/']) {
      const reply = await nova(cloud, 'GET', path);
      expect([reply.status, at(reply.body, 'title')], path).toEqual([404, 'Not Found']);
    }
    const token = { 'X-Auth-Token': 'nonsense' };
    const url = `${cloud.endpoint('compute')}/servers/${id}`;
    const refused = await request('GET', url, undefined, token, cloud.target.fetch);
    expect([refused.status, at(refused.body, 'error.title')]).toEqual([401, 'Unauthorized']);
  },
  'the flavor is a link until 2.46 and embedded, without its id, from 2.47 on': async (cloud) => {
    const { id } = await aServer(cloud);
    const flavor = textAt(await getServer(cloud, id, '2.46'), 'flavor.id');
    const own = await nova(cloud, 'GET', `/flavors/${flavor}`);
    expect(own.status).toBe(200);
    const embedded = at(await getServer(cloud, id, '2.47'), 'flavor');
    const [ram, vcpus, disk] = ['ram', 'vcpus', 'disk'].map((one) => at(own.body, `flavor.${one}`));
    const original_name = at(own.body, 'flavor.name');
    expect(embedded).toEqual({ ram, vcpus, disk, original_name, ephemeral: 0, swap: 0, extra_specs: {} });
    const missing = await nova(cloud, 'GET', '/flavors/nope');
    expectNova(missing, 404, 'itemNotFound', 'Flavor nope could not be found.');
  },
  'a server is stopped, shelved without a zone, and started; twice the same is 409': async (cloud) => {
    const { id } = await aServer(cloud);
    const state = async (): Promise<unknown> => {
      const server = await getServer(cloud, id);
      return [at(server, 'OS-EXT-STS:vm_state'), at(server, 'OS-EXT-STS:power_state')];
    };
    expect(await state()).toEqual(['active', 1]);
    expect((await act(cloud, id, 'os-stop')).status).toBe(202);
    await serverIs(cloud, id, 'SHUTOFF');
    expect(await state()).toEqual(['stopped', 4]);
    const text = `Cannot 'stop' instance ${id} while it is in vm_state stopped`;
    expectNova(await act(cloud, id, 'os-stop'), 409, 'conflictingRequest', text);
    expectNova(await act(cloud, id, 'nonsense'), 400, 'badRequest', 'There is no such action: nonsense');
    expect((await act(cloud, id, 'os-start')).status).toBe(202);
    await serverIs(cloud, id, 'ACTIVE');
    expect(at(await getServer(cloud, id), 'OS-EXT-AZ:availability_zone')).toMatch(/./);
    expect((await act(cloud, id, 'shelve')).status).toBe(202);
    await serverIs(cloud, id, 'SHELVED_OFFLOADED');
    expect(at(await getServer(cloud, id), 'OS-EXT-AZ:availability_zone')).toBe('');
  },
  'access addresses and metadata are what was set': async (cloud) => {
    const { id } = await aServer(cloud, { accessIPv4: '192.0.2.9', metadata: { hostname: 'x' } });
    const server = { accessIPv6: '2001:db8::1' };
    expect((await nova(cloud, 'PUT', `/servers/${id}`, { server })).status).toBe(200);
    await nova(cloud, 'POST', `/servers/${id}/metadata`, { metadata: { role: 'worker' } });
    expect(await getServer(cloud, id)).toMatchObject({
      ...{
        accessIPv4: '192.0.2.9',
        accessIPv6: '2001:db8::1',
        metadata: { hostname: 'x', role: 'worker' },
      },
    });
  },
};
