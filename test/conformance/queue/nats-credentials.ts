import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { nkeys } from '@nats-io/transport-node';

type Pair = ReturnType<typeof nkeys.createUser>;

const UNLIMITED = { subs: -1, data: -1, payload: -1 };

/** A token as `nsc` of NATS makes it, signed by `issuer`. */
function token(issuer: Pair, subject: Pair, name: string, nats: object): string {
  const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  const claims = {
    jti: randomUUID(),
    iat: Math.floor(Date.now() / 1000),
    iss: issuer.getPublicKey(),
    sub: subject.getPublicKey(),
    name,
    nats: { version: 2, ...nats },
  };
  const text = `${part({ typ: 'JWT', alg: 'ed25519-nkey' })}.${part(claims)}`;
  return `${text}.${Buffer.from(issuer.sign(Buffer.from(text))).toString('base64url')}`;
}

/** Configuration of a NATS with TLS for localhost that lets in whoever has the credentials file, for these subjects. */
export function secured(
  folder: string,
  subjects: { readonly publish: readonly string[]; readonly subscribe: readonly string[] },
): { readonly config: string; readonly credentialsFile: string; readonly caFile: string } {
  const [operator, system, account] = [nkeys.createOperator(), nkeys.createAccount(), nkeys.createAccount()];
  const user = nkeys.createUser();
  const limits = { ...UNLIMITED, conn: -1, leaf: -1, imports: -1, exports: -1, wildcards: true };
  const storage = { mem_storage: -1, disk_storage: -1, streams: -1, consumer: -1 };
  const accounts = [
    [system, token(operator, system, 'SYS', { type: 'account', limits })],
    [account, token(operator, account, 'levelset', { type: 'account', limits: { ...limits, ...storage } })],
  ] as const;
  const rights = { pub: { allow: subjects.publish }, sub: { allow: subjects.subscribe } };
  const pass = token(account, user, 'levelset', { type: 'user', ...UNLIMITED, ...rights });
  const seed = Buffer.from(user.getSeed()).toString();
  const credentialsFile = join(folder, 'levelset.creds');
  const block = (what: string, text: string): string =>
    `-----BEGIN ${what}-----\n${text}\n------END ${what}------\n`;
  writeFileSync(credentialsFile, block('NATS USER JWT', pass) + block('USER NKEY SEED', seed), {
    mode: 0o600,
  });

  const [caFile, keyFile] = [join(folder, 'nats.crt'), join(folder, 'nats.key')];
  const request = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', '-subj', '/CN=nats'];
  const files = ['-addext', 'subjectAltName=DNS:localhost', '-keyout', keyFile, '-out', caFile];
  execFileSync('openssl', [...request, ...files], { stdio: 'ignore' });
  const config = [
    `tls { cert_file: ${JSON.stringify(caFile)}, key_file: ${JSON.stringify(keyFile)} }`,
    `operator: ${token(operator, operator, 'operator', { type: 'operator' })}`,
    `system_account: ${system.getPublicKey()}`,
    'resolver: MEMORY',
    `resolver_preload: {\n${accounts.map(([pair, text]) => `${pair.getPublicKey()}: ${text}`).join('\n')}\n}`,
  ].join('\n');
  return { config, credentialsFile, caFile };
}
