/** Keystone and Neutron. */
import { expect } from 'vitest';
import type { CloudCases } from './cloud-case.ts';
import { authenticate, endpointsIn, passwordAuth, request } from './cloud-session.ts';
import { cloudSuite } from './cloud-suite.ts';
import { at, listAt, textAt } from './json-path.ts';
import { floatingIpCases } from './neutron/floating-ip-cases.ts';
import { addressPairCases, portCases, securityGroupCases } from './neutron/port-cases.ts';
import { routeCases, routerCases } from './neutron/router-cases.ts';

const nobody = '00000000-0000-0000-0000-000000000000';

const identityCases: CloudCases = {
  'a password buys a project token with a catalog for every interface': async ({ target }) => {
    const { status, headers, body } = await authenticate(target, passwordAuth(target.credentials));
    expect(status).toBe(201);
    expect(headers.get('x-subject-token')).toBeTruthy();
    const [issued, expires] = ['issued_at', 'expires_at'].map((name) =>
      Date.parse(textAt(body, `token.${name}`)),
    );
    expect(expires).toBeGreaterThan(issued ?? Infinity);
    for (const type of ['load-balancer', 'network', 'compute', 'identity']) {
      const service = listAt(body, 'token.catalog').find((one) => at(one, 'type') === type);
      const endpoints = endpointsIn(service, target);
      expect(endpoints.map((one) => at(one, 'interface')).sort()).toEqual(['admin', 'internal', 'public']);
      const regions = new Set(endpoints.map((one) => at(one, 'region')));
      expect(regions).toEqual(new Set([target.region ?? 'RegionOne']));
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
    for (const [service, path] of [
      ['load-balancer', '/v2.0/lbaas/loadbalancers'],
      ['network', '/v2.0/ports'],
      ['compute', '/servers'],
    ] as const)
      for (const token of [{}, { 'X-Auth-Token': 'nonsense' }]) {
        const url = cloud.endpoint(service) + path;
        const reply = await request('GET', url, undefined, token, cloud.target.fetch);
        expect([reply.status, at(reply.body, 'error.title')]).toEqual([401, 'Unauthorized']);
        expect(reply.headers.get('www-authenticate')).toMatch(/^Keystone uri="http/);
      }
  },
  'Octavia lists its versions to anybody, v2.26 among them': async (cloud) => {
    const url = `${cloud.endpoint('load-balancer')}/`;
    const { status, body } = await request('GET', url, undefined, {}, cloud.target.fetch);
    expect(status).toBe(200);
    expect(listAt(body, 'versions').map((one) => at(one, 'id'))).toContain('v2.26');
  },
  'every answer but 401 carries x-openstack-request-id': async (cloud) => {
    for (const { headers } of [
      await cloud.octavia('GET', 'loadbalancers'),
      await cloud.octavia('GET', `loadbalancers/${nobody}`),
      await cloud.neutron('GET', 'ports'),
    ])
      expect(headers.get('x-openstack-request-id')).toMatch(/^req-/);
  },
};

cloudSuite({
  identity: identityCases,
  'security groups': securityGroupCases,
  'ports and their groups': portCases,
  'floating IPs and ports': floatingIpCases,
  routers: routerCases,
  'routes of routers': routeCases,
  'addresses that a port may use': addressPairCases,
});
