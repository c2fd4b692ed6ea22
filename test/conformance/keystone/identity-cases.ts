import { expect } from 'vitest';
import type { CloudCases } from '../cloud-case.ts';
import { authenticate, endpointsIn, passwordAuth, request } from '../cloud-session.ts';
import { at, listAt, textAt } from '../json-path.ts';

const nobody = '00000000-0000-0000-0000-000000000000';

export const identityCases: CloudCases = {
  'a password buys a project token with a catalog for every interface': async ({ target }) => {
    const reply = await authenticate(target, passwordAuth(target.credentials));
    expect(reply.status).toBe(201);
    expect(reply.headers.get('x-subject-token')).toBeTruthy();
    expect(Date.parse(textAt(reply.body, 'token.expires_at'))).toBeGreaterThan(
      Date.parse(textAt(reply.body, 'token.issued_at')),
    );
    for (const type of ['load-balancer', 'network', 'compute', 'identity']) {
      const service = listAt(reply.body, 'token.catalog').find((one) => at(one, 'type') === type);
      const endpoints = endpointsIn(service, target);
      expect(endpoints.map((one) => at(one, 'interface')).sort()).toEqual(['admin', 'internal', 'public']);
      expect(new Set(endpoints.map((one) => at(one, 'region')))).toEqual(
        new Set([target.region ?? 'RegionOne']),
      );
    }
  },
  'a wrong password is 401 in Keystone’s own words': async ({ target }) => {
    const reply = await authenticate(target, passwordAuth({ ...target.credentials, password: 'wrong' }));
    expect(reply.status).toBe(401);
    expect(reply.headers.get('www-authenticate')).toMatch(/^Keystone uri="http/);
    const message = 'The request you have made requires authentication.';
    expect(reply.body).toEqual({ error: { code: 401, title: 'Unauthorized', message } });
  },
  'an application credential that nobody knows is 404, unlike a wrong password': async ({ target }) => {
    const application_credential = { id: nobody.replaceAll('-', ''), secret: 'wrong' };
    const identity = { methods: ['application_credential'], application_credential };
    const reply = await authenticate(target, { auth: { identity } });
    expect([reply.status, at(reply.body, 'error.title')]).toEqual([404, 'Not Found']);
  },
  'a service without a token, or with a bad one, is 401 of keystonemiddleware': async (cloud) => {
    for (const service of ['load-balancer', 'network'] as const) {
      const path = service === 'network' ? '/v2.0/ports' : '/v2.0/lbaas/loadbalancers';
      for (const headers of [{}, { 'X-Auth-Token': 'nonsense' }]) {
        const reply = await request(
          'GET',
          cloud.endpoint(service) + path,
          undefined,
          headers,
          cloud.target.fetch,
        );
        expect(reply.status).toBe(401);
        expect(reply.headers.get('www-authenticate')).toMatch(/^Keystone uri="http/);
        expect(at(reply.body, 'error.title')).toBe('Unauthorized');
      }
    }
  },
  'Octavia lists its versions to anybody, v2.26 among them': async (cloud) => {
    const reply = await request(
      'GET',
      `${cloud.endpoint('load-balancer')}/`,
      undefined,
      {},
      cloud.target.fetch,
    );
    expect(reply.status).toBe(200);
    expect(listAt(reply.body, 'versions').map((one) => at(one, 'id'))).toContain('v2.26');
  },
  'every answer but 401 carries x-openstack-request-id': async (cloud) => {
    for (const path of ['loadbalancers', `loadbalancers/${nobody}`]) {
      const reply = await cloud.octavia('GET', path);
      expect(reply.headers.get('x-openstack-request-id')).toMatch(/^req-/);
    }
    expect((await cloud.neutron('GET', 'ports')).headers.get('x-openstack-request-id')).toMatch(/^req-/);
  },
  'an unknown server is 404 itemNotFound and the detail list is there': async (cloud) => {
    const missing = await cloud.call('compute', 'GET', `/servers/${nobody}`);
    expect(missing.status).toBe(404);
    expect(at(missing.body, 'itemNotFound.message')).toBe(`Instance ${nobody} could not be found.`);
    const list = await cloud.call('compute', 'GET', '/servers/detail?limit=1');
    expect(list.status).toBe(200);
    expect(listAt(list.body, 'servers').length).toBeLessThanOrEqual(1);
  },
};
