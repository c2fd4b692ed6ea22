import { afterEach, beforeEach, describe, expect, it, test } from 'vitest';
import { connectCloud } from '../../../shared/openstack/connect-cloud.ts';
import type { Cloud } from '../../../shared/ports.ts';
import { always, type Answer, type Fake, issueToken, json, PROJECT, startFake } from './fake-openstack.ts';
import { overSockets } from '../../../shared/openstack/openstack-http.ts';

const ID = 'b89fa3b5-ffe8-407d-8ab9-810787de175f';

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
  it('name a filter once for each of its values', async () => {
    answer = always(200, { floatingips: [] });
    await cloud.list('floatingip', { port_id: ['a', 'b c'], tags: 'x' });
    expect(fake.seen[0]?.path).toBe('/network/v2.0/floatingips?limit=1000&port_id=a&port_id=b+c&tags=x');
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

const CERTIFICATE = '6732d152-4b18-4f15-b94a-d226f6e38e90';

test('an object of Barbican has neither envelope nor id: its address ends in it', async () => {
  const secret_ref = `http://127.0.0.1:9311/v1/secrets/${CERTIFICATE}`;
  answer = always(200, { name: 'p12', secret_ref });
  expect(await cloud.get('secret', CERTIFICATE)).toEqual({ id: CERTIFICATE, name: 'p12', secret_ref });
  answer = always(200, { name: 'p12' });
  await expect(cloud.get('secret', CERTIFICATE)).rejects.toMatchObject({ code: 'UNEXPECTED_RESPONSE' });
});

test('Barbican’s own 404 means gone; that of a path that is none does not', async () => {
  answer = always(404, {
    code: 404,
    title: 'Not Found',
    description: 'Not Found. Provided secret id is invalid.',
  });
  expect(await cloud.get('secret', CERTIFICATE)).toBeUndefined();
  answer = always(404, { code: 404, title: 'Not Found', description: '' });
  await expect(cloud.get('secret', CERTIFICATE)).rejects.toMatchObject({ code: 'UNEXPECTED_RESPONSE' });
});

test('a certificate is read as text, and is none where it may not be read or is no text', async () => {
  answer = (_seen, response) => {
    response.writeHead(200, { 'content-type': 'text/plain; charset=utf-8' }).end('-----BEGIN');
  };
  expect(await cloud.certificateText(CERTIFICATE)).toBe('-----BEGIN');
  expect(fake.seen.at(-1)).toMatchObject({
    method: 'GET',
    path: `/key-manager/v1/secrets/${CERTIFICATE}/payload`,
  });
  for (const status of [403, 404, 406]) {
    answer = always(status, { code: status, title: 'no', description: 'no' });
    expect(await cloud.certificateText(CERTIFICATE)).toBeUndefined();
  }
  answer = always(501, { code: 501, title: 'no', description: 'no' });
  await expect(cloud.certificateText(CERTIFICATE)).rejects.toMatchObject({ name: 'ReconcileError' });
});

test('what is no id leads to no other path', async () => {
  answer = always(404, { code: 404, title: 'Not Found', description: 'Not Found. Secret not found.' });
  expect(await cloud.get('secret', '../containers')).toBeUndefined();
  expect(fake.seen.at(-1)?.path).toBe('/key-manager/v1/secrets/..%2Fcontainers');
});

describe('quota', () => {
  it('is the project’s, by the names of the kinds', async () => {
    answer = always(200, { quota: { load_balancer: 5, listener: -1, health_monitor: 7 } });
    expect(await cloud.quota()).toEqual({ loadbalancer: 5, listener: -1, healthmonitor: 7 });
    expect(fake.seen.map(({ path }) => path)).toEqual([`/load-balancer/v2.0/lbaas/quotas/${PROJECT}`]);
  });

  it('falls back to the defaults where nothing was set', async () => {
    answer = ({ path }, response) => {
      const pool = path.endsWith('/default') ? 9 : null;
      json(response, 200, { quota: { pool, member: path.endsWith('/default') ? 1 : 2 } });
    };
    expect(await cloud.quota()).toEqual({ pool: 9, member: 2 });
  });
});

describe('octaviaVersion', () => {
  it('is the newest there is, asked for once', async () => {
    answer = always(200, { versions: [{ id: 'v2.9' }, { id: 'v2.26', status: 'CURRENT' }, { id: 'v1' }] });
    expect(await cloud.octaviaVersion()).toEqual({ major: 2, minor: 26 });
    expect(await cloud.octaviaVersion()).toEqual({ major: 2, minor: 26 });
    expect(fake.seen.map(({ path }) => path)).toEqual(['/load-balancer/']);
  });

  it.each([
    [404, undefined],
    [404, { code: 404, title: 'Not Found' }],
    [300, undefined],
    [300, { versions: [] }],
  ])('is the oldest that has tags where the root answers %i with %j', async (status, body) => {
    answer = always(status, body);
    expect(await cloud.octaviaVersion()).toEqual({ major: 2, minor: 5, isAssumed: true });
    expect(await cloud.octaviaVersion()).toMatchObject({ isAssumed: true });
    expect(fake.seen).toHaveLength(1);
  });

  it('is read from the choices of a 300, too', async () => {
    answer = always(300, { versions: [{ id: 'v2.0' }, { id: 'v2.27' }] });
    expect(await cloud.octaviaVersion()).toEqual({ major: 2, minor: 27 });
  });

  it.each([403, 500, 503])('is not assumed after a %i', async (status) => {
    answer = always(status, {});
    await expect(cloud.octaviaVersion()).rejects.toMatchObject({ name: 'ReconcileError' });
  });

  it('that was assumed is asked for again after a minute', async () => {
    answer = always(404);
    const transport = overSockets(fake.config);
    let later = 0;
    const own = connectCloud(fake.config, {
      transport: { ...transport, now: () => transport.now() + later },
    });
    expect(await own.cloud.octaviaVersion()).toMatchObject({ isAssumed: true });
    later = 60_000;
    answer = always(200, { versions: [{ id: 'v2.26' }] });
    expect(await own.cloud.octaviaVersion()).toEqual({ major: 2, minor: 26 });
  });

  it('is asked for again after a failure', async () => {
    answer = always(400, {});
    await expect(cloud.octaviaVersion()).rejects.toMatchObject({ code: 'REJECTED' });
    answer = always(200, { versions: [{ id: 'v2.5' }] });
    expect(await cloud.octaviaVersion()).toEqual({ major: 2, minor: 5 });
  });
});
