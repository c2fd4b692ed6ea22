import request from 'supertest';
import { describe, expect, test } from 'vitest';
import { readTokens } from '../../functions/http/admit.ts';
import { PAGE_TOKEN } from './tokens.ts';
import { testServer } from './test-server.ts';

test.each(['LEVELSET_AUDIT_TOKENS', 'LEVELSET_RESYNC_TOKENS', 'LEVELSET_PAGE_TOKENS'])(
  'a token that can be guessed is refused, and not repeated: %s',
  (name) => {
    const refusalOf = (tokens: string): string => {
      try {
        readTokens({ [name]: tokens });
        return '';
      } catch (error) {
        return String(error);
      }
    };
    for (const token of ['x'.repeat(19), 'change-me-audit', `please-CHANGEME-${'x'.repeat(40)}`]) {
      for (const tokens of [token, `${'g'.repeat(20)}, ${token}`]) {
        expect(refusalOf(tokens)).toContain(`${name}: a token`);
        expect(refusalOf(tokens)).toContain('openssl rand -hex 32');
        expect(refusalOf(tokens)).not.toContain(token);
      }
    }
    expect(refusalOf('g'.repeat(20))).toBe('');
    expect(refusalOf('')).toBe('');
  },
);

describe('on loopback', () => {
  const server = () => testServer({ open: true, notes: () => ['a note'] });

  test.each(['127.0.0.1:8080', 'localhost', 'LOCALHOST:80', '[::1]:8080', '127.1.2.3'])(
    'a request to %s needs no token',
    async (host) => {
      const { app } = server();
      for (const path of ['/', '/metrics'])
        expect((await request(app).get(path).set('Host', host)).status).toBe(200);
      expect((await request(app).get('/readyz').set('Host', host)).text).toBe('ok\na note\n');
    },
  );

  test.each(['evil.example', 'evil.example:8080', '127.0.0.1.evil.example', 'localhost.evil.example:80', ''])(
    'a page of another site, whose name %j leads here, reads nothing without a token',
    async (host) => {
      const { app } = server();
      for (const path of ['/', '/metrics']) {
        const answer = await request(app).get(path).set('Host', host);
        expect(answer.status).toBe(403);
        const withToken = request(app)
          .get(path)
          .set('Host', host)
          .set('Authorization', `Bearer ${PAGE_TOKEN}`);
        expect((await withToken).status).toBe(200);
      }
      expect((await request(app).get('/readyz').set('Host', host)).text).toBe('ok\n');
      expect((await request(app).get('/healthz').set('Host', host)).status).toBe(200);
    },
  );
});
