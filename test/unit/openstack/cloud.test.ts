import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { connectCloud } from '../../../shared/openstack/connect-cloud.ts';
import type { Cloud } from '../../../shared/ports.ts';
import { always, issueToken, json, startFake, type Answer, type Fake } from './fake-openstack.ts';

const ID = 'b89fa3b5-ffe8-407d-8ab9-810787de175f';
const ROUTE = { destination: '10.244.0.0/24', nexthop: '10.0.0.138' };
const POOL = 'a1cbc26b-e1d4-4879-b5e4-4d373bfc74c3';

let fake: Fake;
let cloud: Cloud;
let answer: Answer;
beforeEach(async () => {
  fake = await startFake((...all) => {
    answer(...all);
  });
  ({ cloud } = connectCloud(fake.config));
});
afterEach(() => fake.close());

describe('requests', () => {
  const lb = { loadbalancer: { id: ID, provisioning_status: 'ACTIVE' } };
  // prettier-ignore
  const rows: readonly [string, (port: Cloud) => Promise<unknown>, unknown, readonly unknown[]][] = [
    ['get', (port) => port.get('loadbalancer', ID), lb, [['GET', `/load-balancer/v2.0/lbaas/loadbalancers/${ID}`]]],
    ['create', (port) => port.create('loadbalancer', { name: 'a' }), lb, [['POST', '/load-balancer/v2.0/lbaas/loadbalancers', { loadbalancer: { name: 'a' } }]]],
    ['create below a pool', (port) => port.create('member', { address: '10.0.0.1' }, POOL), { member: { id: ID } }, [['POST', `/load-balancer/v2.0/lbaas/pools/${POOL}/members`, { member: { address: '10.0.0.1' } }]]],
    ['update', (port) => port.update('listener', ID, { tags: ['a'] }), {}, [['PUT', `/load-balancer/v2.0/lbaas/listeners/${ID}`, { listener: { tags: ['a'] } }]]],
    ['update of a floating IP and its tags', (port) => port.update('floatingip', ID, { port_id: null, tags: ['a'] }), {},
      [['PUT', `/network/v2.0/floatingips/${ID}`, { floatingip: { port_id: null } }], ['PUT', `/network/v2.0/floatingips/${ID}/tags`, { tags: ['a'] }]]],
    ['update of the tags alone', (port) => port.update('floatingip', ID, { tags: [] }), {}, [['PUT', `/network/v2.0/floatingips/${ID}/tags`, { tags: [] }]]],
    ['remove with all below', (port) => port.remove('loadbalancer', ID, { cascade: true }), {}, [['DELETE', `/load-balancer/v2.0/lbaas/loadbalancers/${ID}?cascade=true`]]],
    ['remove below a pool', (port) => port.remove('member', ID, { parent: POOL }), {}, [['DELETE', `/load-balancer/v2.0/lbaas/pools/${POOL}/members/${ID}`]]],
    ['all members', (port) => port.putMembers(POOL, [{ address: '10.0.0.1' }], false), {}, [['PUT', `/load-balancer/v2.0/lbaas/pools/${POOL}/members`, { members: [{ address: '10.0.0.1' }] }]]],
    ['more members', (port) => port.putMembers(POOL, [], true), {}, [['PUT', `/load-balancer/v2.0/lbaas/pools/${POOL}/members?additive_only=true`, { members: [] }]]],
    ['what others write to a port, too', (port) => port.updateAt('port', ID, { security_groups: ['a'] }, 7), { port: { id: ID } }, [['PUT', `/network/v2.0/ports/${ID}`, { port: { security_groups: ['a'] } }]]],
    ['routes that come to a router', (port) => port.addRoutes(ID, [ROUTE]), { router: { id: ID } }, [['PUT', `/network/v2.0/routers/${ID}/add_extraroutes`, { router: { routes: [ROUTE] } }]]],
    ['routes that leave a router', (port) => port.removeRoutes(ID, [ROUTE]), { router: { id: ID } }, [['PUT', `/network/v2.0/routers/${ID}/remove_extraroutes`, { router: { routes: [ROUTE] } }]]],
    ['update of the tags of a security group', (port) => port.update('securitygroup', ID, { tags: ['a'] }), {}, [['PUT', `/network/v2.0/security-groups/${ID}/tags`, { tags: ['a'] }]]],
    ['create of a security group rule', (port) => port.create('securitygrouprule', { protocol: 'tcp' }), { security_group_rule: { id: ID } }, [['POST', '/network/v2.0/security-group-rules', { security_group_rule: { protocol: 'tcp' } }]]],
    ['a list with a repeated key', (port) => port.list('floatingip', { port_id: ['a', 'b c'], tags: 'x' }), { floatingips: [] }, [['GET', '/network/v2.0/floatingips?limit=1000&port_id=a&port_id=b+c&tags=x']]],
  ];
  it.each(rows)('%s', async (_what, act, body, requests) => {
    answer = always(200, body);
    await act(cloud);
    expect(
      fake.seen.map(({ method, path, body: sent }) => (sent ? [method, path, sent] : [method, path])),
    ).toEqual(requests);
  });

  it('for objects that others write as well hold for the revision that was read', async () => {
    let asked: unknown;
    answer = (_seen, response) => {
      asked = response.req.headers['if-match'];
      json(response, 200, { port: { id: ID, revision_number: 8 } });
    };
    expect(await cloud.updateAt('port', ID, {}, 7)).toMatchObject({ revision_number: 8 });
    expect(asked).toBe('revision_number=7');
  });

  it('for the extensions of Neutron is one, however often they are asked for', async () => {
    answer = always(200, { extensions: [{ alias: 'extraroute' }, { alias: 'extraroute-atomic' }, {}] });
    await cloud.networkExtensions();
    expect(await cloud.networkExtensions()).toEqual(new Set(['extraroute', 'extraroute-atomic']));
    expect(fake.seen.map(({ path }) => path)).toEqual(['/network/v2.0/extensions?fields=alias']);
  });

  it.each(['/v2.0', '/v2', '/v2.0/'])('work with an endpoint that ends in %s', async (suffix) => {
    const versioned = await startFake(always(200, { ports: [] }), issueToken({ suffix }));
    await connectCloud(versioned.config).cloud.list('port');
    await versioned.close();
    expect(versioned.seen[0]?.path).toBe('/network/v2.0/ports?limit=1000');
  });

  it.each(['', '.', '..'])('never carry the id %j, which would be another path', async (id) => {
    answer = always(200, {});
    await expect(cloud.get('loadbalancer', id)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expect(cloud.remove('member', ID, { parent: id })).rejects.toMatchObject({ code: 'NOT_FOUND' });
    expect(fake.seen).toEqual([]);
  });

  it.each([
    ['3107', '3107'],
    ['m1.small', 'm1.small'],
    ['eine große', 'eine%20gro%C3%9Fe'],
    ['../servers', '..%2Fservers'],
    ['%2e%2e', '%252e%252e'],
    ['x?cascade=true#y', 'x%3Fcascade%3Dtrue%23y'],
  ])('have the id %j as one part of the path', async (id, part) => {
    answer = always(200, { flavor: { id } });
    expect(await cloud.get('flavor', id)).toEqual({ id });
    expect(fake.seen.map(({ path }) => path)).toEqual([`/load-balancer/v2.0/lbaas/flavors/${part}`]);
  });
});

describe('what is not there', () => {
  const absent = { faultcode: 'Client', faultstring: `Load Balancer ${ID} not found.`, debuginfo: null };

  it('is undefined to a reader and fine to a remover', async () => {
    answer = always(404, absent);
    expect(await cloud.get('loadbalancer', ID)).toBeUndefined();
    await cloud.remove('loadbalancer', ID);
    await expect(cloud.update('loadbalancer', ID, { name: 'x' })).rejects.toMatchObject({ code: 'GONE' });
  });

  it('is not what a proxy says is not there', async () => {
    answer = always(404, { message: 'no route' });
    await expect(cloud.get('loadbalancer', ID)).rejects.toMatchObject({ code: 'UNEXPECTED_RESPONSE' });
    await expect(cloud.remove('loadbalancer', ID)).rejects.toMatchObject({ code: 'UNEXPECTED_RESPONSE' });
  });
});

describe('lists', () => {
  const next = (marker: string) => [
    { rel: 'next', href: `http://elsewhere/v2.0/ports?limit=1&marker=${marker}` },
  ];

  it('follow their pages at the address of the catalog', async () => {
    answer = ({ path }, response) => {
      const last = path.includes('marker=a');
      json(response, 200, { ports: [{ id: last ? 'b' : 'a' }], ports_links: last ? [] : next('a') });
    };
    expect(await cloud.list('port', { limit: 1 })).toEqual([{ id: 'a' }, { id: 'b' }]);
    expect(fake.seen.map(({ path }) => path)).toEqual([
      '/network/v2.0/ports?limit=1',
      '/network/v2.0/ports?limit=1&marker=a',
    ]);
  });

  it('have what every such object has: without its port a listener would be deleted', async () => {
    answer = always(200, { listeners: [{ id: ID, protocol: 'TCP', protocol_port: null }] });
    await expect(cloud.list('listener')).rejects.toThrow(
      'list listeners: HTTP 200, but the answer has no list of listeners with ids, protocol, protocol_port',
    );
    answer = always(200, { healthmonitor: { id: ID } });
    await expect(cloud.get('healthmonitor', ID)).rejects.toThrow('has no healthmonitor with an id, type');
  });

  it.each([
    ['HTML', undefined],
    ['no list', {}],
    ['null', { ports: null }],
    ['an object without an id', { ports: [{ name: 'x' }] }],
    ['a page that leads to itself', { ports: [], ports_links: next('a') }],
    ['a page that leads nowhere', { ports: [], ports_links: [{ rel: 'next', href: 'http://[' }] }],
    ['nothing of them', { ports: [null] }],
  ])('are never a part: %s', async (_what, body) => {
    answer = always(200, body);
    await expect(cloud.list('port')).rejects.toMatchObject({ code: 'UNEXPECTED_RESPONSE' });
  });

  it('fail when one page fails', async () => {
    answer = ({ path }, response) => {
      if (path.includes('marker')) json(response, 400, {});
      else json(response, 200, { ports: [{ id: 'a' }], ports_links: next('a') });
    };
    await expect(cloud.list('port')).rejects.toMatchObject({ code: 'REJECTED' });
  });
});
