import { afterEach, describe, expect, test } from 'vitest';
import type { Credentials } from '../../../shared/config/config.ts';
import { connectCloud } from '../../../shared/openstack/connect-cloud.ts';
import { overSockets } from '../../../shared/openstack/openstack-http.ts';
import { issueToken, json, startFake, type Answer, type Fake } from './fake-openstack.ts';

const MINUTE = 60_000;

let fake: Fake | undefined;
afterEach(async () => fake?.close());

/** The program's client before a Keystone that takes one password; the time of its logins is the test's. */
async function aCloud(login: Answer, answer: Answer = listed) {
  fake = await startFake(answer, login);
  const time = { now: 1_000_000 };
  const file: { credentials: Credentials | undefined; reads: number } = { credentials: undefined, reads: 0 };
  const { cloud } = connectCloud(fake.config, {
    transport: { ...overSockets(fake.config), now: () => time.now },
    readCredentials: () => {
      file.reads += 1;
      return Promise.resolve(file.credentials);
    },
  });
  const ask = (): Promise<string> =>
    cloud.list('loadbalancer').then(
      () => 'ok',
      (error: unknown) => (error as { code: string }).code,
    );
  return { ask, time, file, logins: fake.logins, config: fake.config };
}

const listed: Answer = (_seen, response) => {
  json(response, 200, { loadbalancers: [] });
};

const refuse: Answer = (_seen, response) => {
  json(response, 401, { error: { message: 'The request you have made requires authentication.' } });
};

/** Takes the password `right` alone. */
const take =
  (right: string): Answer =>
  (seen, response, count) => {
    (JSON.stringify(seen.body).includes(`"password":"${right}"`) ? issueToken() : refuse)(
      seen,
      response,
      count,
    );
  };

const withPassword = (credentials: Credentials, password: string): Credentials =>
  ({ ...credentials, password }) as Credentials;

describe('a login that Keystone refused', () => {
  test('counts for everybody who asks, and is tried again after 1, 2, 4, 5, 5 ... minutes', async () => {
    const { ask, time, logins } = await aCloud(refuse);
    const codes = await Promise.all(Array.from({ length: 300 }, ask));
    expect(new Set(codes)).toEqual(new Set(['UNAUTHORIZED']));
    expect(logins).toHaveLength(1);
    const start = time.now;
    const tried: number[] = [];
    for (let minutes = 1; minutes <= 60; minutes += 0.5) {
      const before = logins.length;
      time.now = start + minutes * MINUTE;
      for (let runs = 0; runs < 5; runs += 1) expect(await ask()).toBe('UNAUTHORIZED');
      if (logins.length > before) tried.push(minutes);
      expect(logins.length).toBeLessThanOrEqual(before + 1);
    }
    expect(tried).toEqual(
      [1, 3, 7, ...Array.from({ length: 10 }, (_, at) => 12 + 5 * at)].filter((at) => at <= 60),
    );
  });

  test.each([
    ['another secret by then', take('new'), 'new', 'ok', 2],
    ['another one that is wrong, too', refuse, 'also wrong', 'UNAUTHORIZED', 2],
    ['the same secret', refuse, undefined, 'UNAUTHORIZED', 1],
  ] as const)(
    'is tried once more at once where the file has another secret: it has %s',
    async (_what, login, password, code, count) => {
      const { ask, file, logins, config } = await aCloud(login);
      const { credentials } = config;
      file.credentials = password === undefined ? { ...credentials } : withPassword(credentials, password);
      for (let runs = 0; runs < 20; runs += 1) expect(await ask()).toBe(code);
      expect([logins.length, file.reads]).toEqual([count, 1]);
    },
  );

  test('is over when another secret comes into the file, which is read every 10 s', async () => {
    const { ask, time, file, logins, config } = await aCloud(take('new'));
    expect(await ask()).toBe('UNAUTHORIZED');
    file.credentials = withPassword(config.credentials, 'new');
    time.now += 9_999;
    expect([await ask(), logins.length]).toEqual(['UNAUTHORIZED', 1]);
    time.now += 1;
    expect([await ask(), logins.length]).toEqual(['ok', 2]);
  });
});

test('a Keystone that fails is asked again after 1, 2, 4, ... 30 s, and then at once is as before', async () => {
  let isDown = true;
  const { ask, time, logins } = await aCloud((seen, response, count) => {
    if (isDown) json(response, 503, {});
    else issueToken()(seen, response, count);
  });
  const start = time.now;
  const tried: number[] = [];
  for (let seconds = 0; seconds <= 100; seconds += 1) {
    const before = logins.length;
    time.now = start + seconds * 1_000;
    expect(await Promise.all([ask(), ask()])).toEqual(['CLOUD_UNAVAILABLE', 'CLOUD_UNAVAILABLE']);
    if (logins.length > before) tried.push(seconds);
  }
  expect(tried).toEqual([0, 1, 3, 7, 15, 31, 61, 91]);
  isDown = false;
  time.now += 30_000;
  expect(await Promise.all([ask(), ask()])).toEqual(['ok', 'ok']);
  expect(logins).toHaveLength(tried.length + 1);
});

test('a service that refuses every token makes one more login a minute, and no more', async () => {
  const { ask, time, logins } = await aCloud(issueToken({ seconds: 99_999 }), refuse);
  for (let runs = 0; runs < 50; runs += 1) expect(await ask()).toBe('UNAUTHORIZED');
  expect(logins).toHaveLength(2);
  time.now += MINUTE;
  for (let runs = 0; runs < 50; runs += 1) expect(await ask()).toBe('UNAUTHORIZED');
  expect(logins).toHaveLength(3);
});
