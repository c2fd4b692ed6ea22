import { describe, expect, it, test } from 'vitest';
import type { Credentials, OpenStackConfig } from '../../../shared/config/config.ts';
import { connectCloud } from '../../../shared/openstack/connect-cloud.ts';
import type { ReconcileError } from '../../../shared/model/errors.ts';
import { overSockets } from '../../../shared/openstack/openstack-http.ts';
import { always, issueToken, json, startFake, type Answer } from './fake-openstack.ts';

const MINUTE = 60_000;
const listed = always(200, { loadbalancers: [], loadbalancers_links: [] });
const refuse = always(401, { error: { code: 401, title: 'Unauthorized', message: 'not authenticated' } });

describe('a login', () => {
  const domain = { name: 'Default' };
  const loggingIn = async (login: Answer, given: Partial<OpenStackConfig> = {}) => {
    const { config, logins } = await startFake(listed, login);
    return { ...connectCloud({ ...config, ...given }), logins };
  };

  it.each(['', '/', '/v3', '/v3/'])('goes to auth-url%s', async (suffix) => {
    const paths: string[] = [];
    const { config, url } = await startFake(listed, (...all) => {
      paths.push(all[0].path);
      issueToken(...all);
    });
    await connectCloud({ ...config, authUrl: url + suffix }).ready();
    expect(paths).toEqual(['/v3/auth/tokens']);
  });

  // prettier-ignore
  it.each<[string, Credentials, unknown]>([
    ['a password', { type: 'password', user: { name: 'demo', domain }, password: 's', project: { id: 'p' } },
      { identity: { methods: ['password'], password: { user: { name: 'demo', domain, password: 's' } } }, scope: { project: { id: 'p' } } }],
    ['the id of an application credential', { type: 'application-credential', id: 'i', secret: 's' }, { identity: { methods: ['application_credential'], application_credential: { id: 'i', secret: 's' } } }],
    ['the name of an application credential', { type: 'application-credential', name: 'n', user: { name: 'demo', domain }, secret: 's' },
      { identity: { methods: ['application_credential'], application_credential: { name: 'n', user: { name: 'demo', domain }, secret: 's' } } }],
  ])('with %s', async (_what, credentials, auth) => {
    const { ready, logins } = await loggingIn(issueToken, { credentials });
    await ready();
    expect(logins).toEqual([{ auth }]);
  });

  const QUOTED = "on instance: {'password': 'hunter2'}";
  const application = { type: 'application-credential', id: 'deadbeef', secret: 'hunter2' } as const;
  // prettier-ignore
  it.each<[status: number, body: unknown, code: string, says: RegExp, Credentials?]>([
    [401, { error: { message: QUOTED } }, 'UNAUTHORIZED', /REDACTED/],
    [400, { error: { message: QUOTED } }, 'CONFIG_INVALID', /\{'password': 'REDACTED'\}/],
    [400, undefined, 'CONFIG_INVALID', /; is auth-url http:\/\/127.* the address of Keystone\?$/],
    [301, undefined, 'CONFIG_INVALID', /; is auth-url/],
    [404, { error: { message: 'Could not find Application Credential' } }, 'CONFIG_INVALID', /; is auth-url .* and does it have this application credential\?$/, application],
    [503, undefined, 'CLOUD_UNAVAILABLE', /503/],
    [201, { token: {} }, 'UNEXPECTED_RESPONSE', /has no token/],
  ])('answered by %i %j is told without the secret: %s', async (status, body, code, says, credentials) => {
    const { ready } = await loggingIn(always(status, body), credentials && { credentials });
    const error: unknown = await ready().catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code, message: expect.stringMatching(says) as string });
    expect(String(error)).not.toContain('hunter2');
  });

  it.each([
    ['with two blanks', 'two  blanks'],
    ['with a tag', 'line<br>break'],
    ['with a tab and a quote', 'tab\tquote"'],
    ['longer than a message', 'x'.repeat(600)],
  ])('that quotes the request back does not tell a secret %s', async (_what, password) => {
    const body = { error: { message: `on instance: {'password': '${password}'}` } };
    const given = { user: { name: 'demo', domain }, project: { id: 'p' }, password } as const;
    const { ready } = await loggingIn(always(400, body), { credentials: { type: 'password', ...given } });
    await expect(ready()).rejects.toThrow("{'password': 'REDACTED'}");
  });

  it('that nobody answers names the address', async () => {
    const { ready } = await loggingIn(issueToken, { authUrl: 'http://127.0.0.1:9' });
    await expect(ready()).rejects.toThrow('Keystone at http://127.0.0.1:9: connect ECONNREFUSED');
  });
});

test('a token is renewed once when it is refused, and the call repeated, a write too', async () => {
  const fake = await startFake((seen, response, count) => {
    if (seen.token === 'token-1') refuse(seen, response, count);
    else json(response, 201, { loadbalancer: { id: 'x' } });
  });
  const { cloud } = connectCloud(fake.config);
  await Promise.all(['a', 'b', 'c'].map((name) => cloud.create('loadbalancer', { name })));
  expect([fake.logins.length, fake.seen.length]).toEqual([2, 6]);
});

/** The program's client; the time of its logins is the test's, and so is what its file has for credentials. */
async function aCloud(login: Answer, answer: Answer = listed) {
  const { config, logins } = await startFake(answer, login);
  const time = { now: 1_000_000 };
  const file: { credentials: Credentials | undefined; reads: number } = { credentials: undefined, reads: 0 };
  const { cloud, ready } = connectCloud(config, {
    transport: { ...overSockets(config), now: () => time.now },
    readCredentials: () => {
      file.reads += 1;
      return Promise.resolve(file.credentials);
    },
  });
  const codeOf = (asking: Promise<unknown>): Promise<string> =>
    asking.then(
      () => 'ok',
      (error: unknown) => (error as ReconcileError).code,
    );
  const ask = () => codeOf(cloud.list('loadbalancer'));
  /** Asks every so many milliseconds, and tells when that made a login. */
  const askEvery = async (stepMs: number, lastMs: number, code: string): Promise<readonly number[]> => {
    const start = time.now;
    const tried: number[] = [];
    for (let atMs = 0; atMs <= lastMs; atMs += stepMs) {
      const before = logins.length;
      time.now = start + atMs;
      expect(new Set(await Promise.all([ask(), ask(), codeOf(ready())]))).toEqual(new Set([code]));
      expect(logins.length).toBeLessThanOrEqual(before + 1);
      if (logins.length > before) tried.push(atMs);
    }
    return tried;
  };
  const withPassword = (password: string) => ({ ...config.credentials, password }) as Credentials;
  return { ask, askEvery, time, file, logins, withPassword };
}

/** Takes one password alone. */
const take =
  (right: string): Answer =>
  (seen, ...rest) => {
    (JSON.stringify(seen.body).includes(`"password":"${right}"`) ? issueToken : refuse)(seen, ...rest);
  };

describe('a login that Keystone refused', () => {
  test('counts for everybody who asks, and is tried again after 1, 2, 4, 5, 5 ... minutes', async () => {
    const { askEvery } = await aCloud(refuse);
    const tried = await askEvery(MINUTE / 2, 30 * MINUTE, 'UNAUTHORIZED');
    expect(tried.map((ms) => ms / MINUTE)).toEqual([0, 1, 3, 7, 12, 17, 22, 27]);
  });

  test.each([
    ['another secret by then', take('new'), 'new', 'ok', 2],
    ['another one that is wrong, too', refuse, 'also wrong', 'UNAUTHORIZED', 2],
    ['the same secret', refuse, 'hunter2', 'UNAUTHORIZED', 1],
  ] as const)(
    'is tried once more at once where the file has another secret: it has %s',
    async (_what, login, password, code, count) => {
      const { ask, file, logins, withPassword } = await aCloud(login);
      file.credentials = withPassword(password);
      for (let runs = 0; runs < 20; runs += 1) expect(await ask()).toBe(code);
      expect([logins.length, file.reads]).toEqual([count, 1]);
    },
  );

  test('is over when another secret comes into the file, which is read every 10 s', async () => {
    const { ask, time, file, logins, withPassword } = await aCloud(take('new'));
    expect(await ask()).toBe('UNAUTHORIZED');
    file.credentials = withPassword('new');
    time.now += 9_999;
    expect([await ask(), logins.length]).toEqual(['UNAUTHORIZED', 1]);
    time.now += 1;
    expect([await ask(), logins.length]).toEqual(['ok', 2]);
  });
});

test('a Keystone that fails is asked again after 1, 2, 4, ... 30 s, and then at once is as before', async () => {
  let isDown = true;
  const { ask, askEvery, time } = await aCloud((...all) => {
    (isDown ? always(503, {}) : issueToken)(...all);
  });
  const tried = await askEvery(1_000, 100_000, 'CLOUD_UNAVAILABLE');
  expect(tried.map((ms) => ms / 1_000)).toEqual([0, 1, 3, 7, 15, 31, 61, 91]);
  isDown = false;
  time.now += 30_000;
  expect(await ask()).toBe('ok');
});

test('a service that refuses every token makes one more login a minute, and no more', async () => {
  const { ask, time, logins } = await aCloud(issueToken, refuse);
  for (const count of [2, 3]) {
    for (let runs = 0; runs < 50; runs += 1) expect(await ask()).toBe('UNAUTHORIZED');
    expect(logins).toHaveLength(count);
    time.now += MINUTE;
  }
});
