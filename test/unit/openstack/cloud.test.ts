import { beforeEach, describe, expect, it, test } from 'vitest';
import { connectCloud } from '../../../shared/openstack/connect-cloud.ts';
import type { Cloud } from '../../../shared/ports.ts';
import { always, type Answer, type Fake, json, startFake } from './fake-openstack.ts';
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

it.each(['', '.', '..'])('requests never carry the id %j, which would be another path', async (id) => {
  answer = always(200, {});
  await expect(cloud.get('loadbalancer', id)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  await expect(cloud.remove('member', ID, { parent: id })).rejects.toMatchObject({ code: 'NOT_FOUND' });
  expect(fake.seen).toEqual([]);
});

it.each([
  ['eine große', 'eine%20gro%C3%9Fe'],
  ['../servers', '..%2Fservers'],
  ['x?cascade=true#y', 'x%3Fcascade%3Dtrue%23y'],
])('requests have the id %j as one part of the path', async (id, part) => {
  answer = always(200, { flavor: { id } });
  expect(await cloud.get('flavor', id)).toEqual({ id });
  expect(fake.seen.map(({ path }) => path)).toEqual([`/load-balancer/v2.0/lbaas/flavors/${part}`]);
});

const PECAN = { code: 404, title: 'Not Found' };
it.each([
  ['loadbalancer', { faultcode: 'Client', faultstring: `Load Balancer ${ID} not found.` }, true],
  ['loadbalancer', { message: 'no route' }, false],
  ['secret', { ...PECAN, description: 'Not Found. Provided secret id is invalid.' }, true],
  ['secret', { ...PECAN, description: '' }, false],
] as const)(
  'a %s is gone, undefined to a reader and fine to a remover, where its service says so, not a proxy: %j',
  async (kind, body, isGone) => {
    answer = always(404, body);
    const asked = await Promise.allSettled([cloud.get(kind, ID), cloud.remove(kind, ID)]);
    const refused = { status: 'rejected', reason: { code: 'UNEXPECTED_RESPONSE' } };
    const fine = { status: 'fulfilled', value: undefined };
    expect(asked).toMatchObject(Array(2).fill(isGone ? fine : refused));
    const code = isGone ? 'GONE' : 'UNEXPECTED_RESPONSE';
    await expect(cloud.update(kind, ID, { name: 'x' })).rejects.toMatchObject({ code });
  },
);

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
    ['no list', {}],
    ['an object without an id', { ports: [{ name: 'x' }] }],
    ['a page that leads to itself', { ports: [], ports_links: next('a') }],
    ['a page that leads nowhere', { ports: [], ports_links: [{ rel: 'next', href: 'http://[' }] }],
  ])('are never a part: %s', async (_what, body) => {
    answer = always(200, body);
    await expect(cloud.list('port')).rejects.toMatchObject({ code: 'UNEXPECTED_RESPONSE' });
  });
});

test('the quota of the project is the default where nothing was set', async () => {
  answer = ({ path }, response) => {
    const isDefault = path.endsWith('/default');
    const quota = isDefault ? { health_monitor: 9, member: 1 } : { health_monitor: null, member: 2 };
    json(response, 200, { quota });
  };
  expect(await cloud.quota()).toEqual({ healthmonitor: 9, member: 2 });
});

test('an Octavia that lists no versions is taken for the oldest that has tags, one in trouble is not', async () => {
  answer = always(503, {});
  await expect(cloud.octaviaVersion()).rejects.toMatchObject({ name: 'ReconcileError' });
  answer = always(300, { versions: [] });
  expect(await cloud.octaviaVersion()).toEqual({ major: 2, minor: 5, isAssumed: true });
});

test('a version of Octavia that was assumed is asked for again after a minute', async () => {
  answer = always(404);
  const transport = overSockets(fake.config);
  let later = 0;
  const own = connectCloud(fake.config, { transport: { ...transport, now: () => transport.now() + later } });
  for (let asked = 0; asked < 2; asked += 1)
    expect(await own.cloud.octaviaVersion()).toEqual({ major: 2, minor: 5, isAssumed: true });
  expect(fake.seen).toHaveLength(1);
  later = 60_000;
  answer = always(300, { versions: [{ id: 'v2.0' }, { id: 'v2.26' }] });
  expect(await own.cloud.octaviaVersion()).toEqual({ major: 2, minor: 26 });
});
