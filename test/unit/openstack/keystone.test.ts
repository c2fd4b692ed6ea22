import { afterEach, describe, expect, it } from 'vitest';
import type { OpenStackConfig } from '../../../shared/config/config.ts';
import { connectCloud } from '../../../shared/openstack/connect-cloud.ts';
import { issueToken, json, startFake, type Answer, type Fake } from './fake-openstack.ts';

const LIST = { loadbalancers: [], loadbalancers_links: [] };
const empty: Answer = (_seen, response) => {
  json(response, 200, LIST);
};
const unauthorized = { error: { code: 401, title: 'Unauthorized', message: 'requires authentication' } };

let fake: Fake | undefined;
afterEach(async () => fake?.close());

describe('the token', () => {
  it('is renewed once when it is refused, and the call repeated, a write too', async () => {
    fake = await startFake(({ token }, response) => {
      if (token === 'token-1') json(response, 401, unauthorized);
      else json(response, 201, { loadbalancer: { id: 'x' } });
    });
    const { cloud } = connectCloud(fake.config);
    await Promise.all(['a', 'b', 'c'].map((name) => cloud.create('loadbalancer', { name })));
    expect(fake.logins).toHaveLength(2);
    expect(fake.seen).toHaveLength(6);
  });

  it('that is refused twice is UNAUTHORIZED', async () => {
    fake = await startFake((_seen, response) => {
      json(response, 401, unauthorized);
    });
    await expect(connectCloud(fake.config).cloud.list('loadbalancer')).rejects.toMatchObject({
      code: 'UNAUTHORIZED',
    });
    expect(fake.seen).toHaveLength(2);
  });
});

describe('a login', () => {
  it.each(['', '/', '/v3', '/v3/'])('goes to auth-url%s', async (suffix) => {
    fake = await startFake(empty, (seen, response, count) => {
      expect(seen.path).toBe('/v3/auth/tokens');
      issueToken()(seen, response, count);
    });
    await connectCloud({ ...fake.config, authUrl: fake.url + suffix }).ready();
  });

  const domain = { name: 'Default' };
  // prettier-ignore
  const credentials: readonly [string, OpenStackConfig['credentials'], unknown][] = [
    ['a password', { type: 'password', user: { name: 'demo', domain }, password: 's', project: { id: 'p' } },
      { identity: { methods: ['password'], password: { user: { name: 'demo', domain, password: 's' } } }, scope: { project: { id: 'p' } } }],
    ['the id of an application credential', { type: 'application-credential', id: 'i', secret: 's' }, { identity: { methods: ['application_credential'], application_credential: { id: 'i', secret: 's' } } }],
    ['the name of an application credential', { type: 'application-credential', name: 'n', user: { name: 'demo', domain }, secret: 's' },
      { identity: { methods: ['application_credential'], application_credential: { name: 'n', user: { name: 'demo', domain }, secret: 's' } } }],
  ];
  it.each(credentials)('with %s', async (_what, given, auth) => {
    fake = await startFake(empty);
    await connectCloud({ ...fake.config, credentials: given }).ready();
    expect(fake.logins).toEqual([{ auth }]);
  });

  it.each([
    [401, unauthorized, 'UNAUTHORIZED'],
    [400, { error: { message: "on instance: {'password': 'hunter2'}" } }, 'CONFIG_INVALID'],
    [404, undefined, 'CONFIG_INVALID'],
    [301, undefined, 'CONFIG_INVALID'],
    [503, undefined, 'CLOUD_UNAVAILABLE'],
    [201, { token: {} }, 'UNEXPECTED_RESPONSE'],
  ])('answered by %s is an error without the secret', async (status, body, code) => {
    fake = await startFake(empty, (_seen, response) => {
      json(response, status, body);
    });
    const error: unknown = await connectCloud(fake.config)
      .ready()
      .catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code });
    expect(String(error)).not.toContain('hunter2');
  });

  it.each([
    ['with two blanks', 'two  blanks'],
    ['with a tag', 'line<br>break'],
    ['with a tab and a quote', 'tab\tquote"'],
    ['longer than a message', 'x'.repeat(600)],
  ])('that quotes the request back does not tell a secret %s', async (_what, password) => {
    fake = await startFake(empty, (_seen, response) => {
      json(response, 400, { error: { message: `on instance: {'password': '${password}'}` } });
    });
    const given = { user: { name: 'demo', domain }, project: { id: 'p' }, password } as const;
    const { ready } = connectCloud({ ...fake.config, credentials: { type: 'password', ...given } });
    await expect(ready()).rejects.toThrow("{'password': 'REDACTED'}");
  });

  const id = 'deadbeef';
  // prettier-ignore
  it.each([
    ['that it has no such application credential', 404, 'Could not find Application Credential', / and does it have this/],
    ['in words of another server', 400, undefined, /the address of Keystone\?$/],
  ])('answered %s says what may be wrong', async (_what, status, message, expected) => {
    fake = await startFake(empty, (_seen, response) => {
      json(response, status, message && { error: { message } });
    });
    const credentials = { type: 'application-credential', id, secret: 's' } as const;
    const { ready } = connectCloud({ ...fake.config, credentials });
    await expect(ready()).rejects.toThrow(`is auth-url ${fake.url}`);
    await expect(ready()).rejects.toThrow(expected);
  });

  it('that nobody answers names the address', async () => {
    fake = await startFake(empty);
    const { config } = fake;
    await fake.close();
    await expect(connectCloud(config).ready()).rejects.toThrow(
      `Keystone at ${new URL(config.authUrl).origin}: connect ECONNREFUSED`,
    );
  });
});
