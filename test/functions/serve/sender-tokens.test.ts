/** Tokens of Knative's sources, against a server that has the keys of a cluster. */
import { exportJWK, exportSPKI, generateKeyPair, SignJWT } from 'jose';
import type { GenerateKeyPairResult, JWK, JWTPayload } from 'jose';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { VerifySender } from '../../../functions/http/admit.ts';
import { verifySenderTokens } from '../../../functions/serve/sender-tokens.ts';
import { createKubeHttp } from '../../../shared/kube/kube-http.ts';
import { listening } from '../../support/for-one-test.ts';

const ISSUER = 'https://kubernetes.default.svc.cluster.local';
const SENDER = 'system:serviceaccount:levelset:sweep-oidc';
const EVIL = 'system:serviceaccount:evil:levelset';

let verify: VerifySender;
let pair: GenerateKeyPairResult;
let keys: JWK[];
let reads: string[];
let status: number;

const publish = async (one: GenerateKeyPairResult, kid: string): Promise<JWK> => ({
  ...(await exportJWK(one.publicKey)),
  ...{ kid, use: 'sig', alg: 'ES256' },
});

beforeEach(async () => {
  pair = await generateKeyPair('ES256');
  [keys, reads, status] = [[await publish(pair, 'first')], [], 200];
  const server = await listening(({ url = '', headers: { accept } }, response) => {
    reads.push(url);
    const type = url === '/openid/v1/jwks' ? 'application/jwk-set+json' : 'application/json';
    if (accept !== type) return response.writeHead(406).end();
    const body =
      url === '/openid/v1/jwks' ? { keys } : { issuer: ISSUER, jwks_uri: 'https://elsewhere/keys' };
    return response.writeHead(status, { 'content-type': type }).end(JSON.stringify(body));
  });
  const credential = () => Promise.resolve({ authorization: 'Bearer own' });
  const http = createKubeHttp({ source: 'test', server, tls: {}, credential });
  verify = verifySenderTokens({ http, audience: 'levelset', senders: ['levelset/*', 'shop/source'] });
});

afterEach(() => void vi.useRealTimers());

/** With times in seconds from now; one that ends at Infinity says none. */
function token({ exp = 3_600, nbf = 0, ...claims }: JWTPayload = {}, kid = 'first', by = pair) {
  const now = Math.floor(Date.now() / 1_000);
  const times = { nbf: now + nbf, ...(exp < Infinity && { exp: now + exp }) };
  const payload = { iss: ISSUER, aud: 'levelset', sub: SENDER, ...times, ...claims };
  return new SignJWT(payload).setProtectedHeader({ alg: 'ES256', kid }).sign(by.privateKey);
}

test.each<[string, JWTPayload, RegExp?]>([
  ['of a source is accepted', {}],
  ['of a ServiceAccount that is named is accepted', { sub: 'system:serviceaccount:shop:source' }],
  ['of a clock that is 25 s behind is accepted', { nbf: 25 }],
  ['that ended 25 s ago is accepted', { exp: -25 }],
  ['for another audience is refused', { aud: 'https://kubernetes.default.svc' }, /"aud"/],
  ['of another issuer is refused', { iss: 'https://other' }, /issuer/],
  ['that ended is refused', { exp: -31 }, /"exp"/],
  ['that never ends is refused', { exp: Infinity }, /"exp"/],
  ['of tomorrow is refused', { nbf: 86_400 }, /"nbf"/],
  ['of another namespace is refused', { sub: EVIL }, /evil:levelset[^]*--events-senders/],
  ['of a person is refused', { sub: 'levelset/*' }, /--events-senders/],
])('a token %s', async (_, claims, refusal) => {
  const told = await verify(await token(claims));
  if (refusal) expect(told).toMatch(refusal);
  else expect(told).toBeUndefined();
});

test('a token of another key, without a signature, or signed with the public key as a secret, is refused', async () => {
  const other = await generateKeyPair('ES256');
  expect(await verify(await token({}, 'first', other))).toMatch(/signature/);
  const [, payload = ''] = (await token()).split('.');
  const unsigned = `${Buffer.from('{"alg":"none","kid":"first"}').toString('base64url')}.${payload}.`;
  expect(await verify(unsigned)).toBeDefined();
  const extractable = await generateKeyPair('ES256', { extractable: true });
  keys.push(await publish(extractable, 'third'));
  const secret = new TextEncoder().encode(await exportSPKI(extractable.publicKey));
  const confused = new SignJWT({ sub: SENDER }).setProtectedHeader({ alg: 'HS256', kid: 'third' });
  confused.setIssuer(ISSUER).setAudience('levelset').setExpirationTime('1h');
  expect(await verify(await confused.sign(secret))).toMatch(/"alg"/);
  for (const garbage of ['', 'a.b', 'a.b.c']) expect(await verify(garbage)).toBeDefined();
});

test('keys are read once; a new one is found, but not for every unknown one', async () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  for (let count = 0; count < 3; count++) expect(await verify(await token())).toBeUndefined();
  expect(reads).toHaveLength(2);
  const next = await generateKeyPair('ES256');
  keys.push(await publish(next, 'second'));
  expect(await verify(await token({}, 'second', next))).toMatch(/no applicable key/);
  expect(reads).toHaveLength(2);
  vi.setSystemTime(Date.now() + 31_000);
  expect(await verify(await token({}, 'second', next))).toBeUndefined();
  expect(reads).toHaveLength(4);
  keys.splice(0, 1);
  vi.setSystemTime(Date.now() + 601_000);
  expect(await verify(await token())).toMatch(/no applicable key/);
});

test('that the keys cannot be read is nobody’s fault but the cluster’s', async () => {
  status = 403;
  await expect(verify(await token())).rejects.toThrow(/openid/);
  status = 200;
  expect(await verify(await token())).toBeUndefined();
});
