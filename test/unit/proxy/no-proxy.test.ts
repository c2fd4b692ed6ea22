import { describe, expect, it, test } from 'vitest';
import { proxyFromEnv } from '../../../shared/proxy.ts';

/** As Go's programs, golang.org/x/net/http/httpproxy, Config.NoProxy. */
it.each([
  ['', 'https://a.example', true],
  ['*', 'https://a.example', false],
  ['a.example', 'https://b.a.example', false],
  ['a.example', 'https://ba.example', true],
  ['*.a.example', 'https://a.example', true],
  ['*.a.example', 'https://b.a.example', false],
  [' x , A.Example ', 'https://a.example', false],
  ['a.example:8443', 'https://a.example:8443', false],
  ['a.example:8443', 'https://a.example', true],
  ['a.example:443', 'https://a.example', false],
  ['a.example:80', 'http://a.example', false],
  ['bücher.example', 'https://xn--bcher-kva.example', false],
  ['10.0.0.1:6443', 'https://10.0.0.1:6443', false],
  ['10.0.0.1:6443', 'https://10.0.0.1', true],
  ['10.0.0.0/8', 'https://10.200.3.4', false],
  ['10.96.0.0/12', 'https://10.112.0.1', true],
  ['10.0.0.0/99', 'https://10.0.0.1', true],
  ['fd00::/8', 'https://[fd00:10::1]:6443', false],
  ['fd00:10:0:0::1', 'https://[fd00:10::1]', false],
  ['[fd00:10::1]:6443', 'https://[fd00:10::1]:6443', false],
  ['[fd00:10::1]:6443', 'https://[fd00:10::1]', true],
  ['10.0.0.0/8', 'https://10.example', true],
  [':443', 'https://a.example', true],
  ['', 'https://localhost:6443', false],
  ['', 'http://127.1.2.3', false],
  ['', 'https://[::1]:6443', false],
  ['', 'https://localhost.example', true],
])('NO_PROXY %j and %s: by the proxy: %s', (list, target, proxied) => {
  const proxy = 'http://proxy.example:3128';
  const proxyFor = proxyFromEnv({ HTTP_PROXY: proxy, HTTPS_PROXY: proxy, NO_PROXY: list });
  expect(proxyFor(new URL(target))?.href).toBe(proxied ? `${proxy}/` : undefined);
});

describe('the variables', () => {
  const [plain, secure] = [new URL('http://a.example'), new URL('https://a.example')];
  it.each([
    ['none', {}, undefined, undefined],
    ['one for each scheme', { HTTP_PROXY: 'http://p', HTTPS_PROXY: 'http://s' }, 'http://p/', 'http://s/'],
    ['no other one', { HTTP_PROXY: 'http://p', ALL_PROXY: 'http://a' }, 'http://p/', undefined],
    ['small letters', { http_proxy: 'http://p', https_proxy: 'https://s' }, 'http://p/', 'https://s/'],
    ['capitals first', { http_proxy: 'http://q', HTTP_PROXY: 'http://p' }, 'http://p/', undefined],
    ['no scheme', { HTTPS_PROXY: 'proxy.example:3128' }, undefined, 'http://proxy.example:3128/'],
    ['exempt in small letters', { HTTPS_PROXY: 'http://s', no_proxy: 'a.example' }, undefined, undefined],
    ['IPv6', { HTTPS_PROXY: 'http://[fd00::1]:3128' }, undefined, 'http://[fd00::1]:3128/'],
  ])('%s', (_what, env, forHttp, forHttps) => {
    const proxyFor = proxyFromEnv(env);
    expect([proxyFor(plain)?.href, proxyFor(secure)?.href]).toEqual([forHttp, forHttps]);
  });

  test.each(['socks5://u:geheim@p:1080', 'http://u:geheim@'])('%s is refused by its name alone', (value) => {
    const read = (): unknown => proxyFromEnv({ HTTPS_PROXY: value });
    expect(read).toThrow('HTTPS_PROXY: must be an http or https URL');
    expect(read).not.toThrow('geheim');
  });
});
