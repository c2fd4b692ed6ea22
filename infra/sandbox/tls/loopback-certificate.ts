import { createPrivateKey, generateKeyPairSync, randomBytes, sign } from 'node:crypto';
import { bits, field, moment, objectId, octets, sequence, set, text, truth, whole } from './der.ts';

/** A key and its certificate, as PEM. The certificate is its own authority. */
export interface KeyAndCertificate {
  readonly key: string;
  readonly cert: string;
}

const DAY_MS = 86_400_000;
const ECDSA_WITH_SHA256 = '1.2.840.10045.4.3.2';
const COMMON_NAME = '2.5.4.3';
const BASIC_CONSTRAINTS = '2.5.29.19';
const SUBJECT_ALTERNATIVE_NAME = '2.5.29.17';
const [DNS_NAME, IP_ADDRESS] = [2, 7];
const LOOPBACK = [Buffer.of(127, 0, 0, 1), Buffer.of(...Array<number>(15).fill(0), 1)];

/** Makes a certificate for `localhost`, 127.0.0.1 and ::1, valid from yesterday for a month (RFC 5280). */
export function loopbackCertificate(now = new Date()): KeyAndCertificate {
  const { publicKey, privateKey } = generateKeyPairSync('ec', {
    namedCurve: 'P-256',
    publicKeyEncoding: { type: 'spki', format: 'der' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  });
  const name = sequence(set(sequence(objectId(COMMON_NAME), text('levelset sandbox'))));
  const algorithm = sequence(objectId(ECDSA_WITH_SHA256));
  const names = sequence(
    field(DNS_NAME, Buffer.from('localhost'), { constructed: false }),
    ...LOOPBACK.map((address) => field(IP_ADDRESS, address, { constructed: false })),
  );
  const content = sequence(
    field(0, whole(Buffer.of(2))),
    whole(Buffer.concat([Buffer.of(1), randomBytes(8)])),
    algorithm,
    name,
    sequence(moment(new Date(now.getTime() - DAY_MS)), moment(new Date(now.getTime() + 30 * DAY_MS))),
    name,
    publicKey,
    field(
      3,
      sequence(
        sequence(objectId(BASIC_CONSTRAINTS), truth(), octets(sequence(truth()))),
        sequence(objectId(SUBJECT_ALTERNATIVE_NAME), octets(names)),
      ),
    ),
  );
  const signature = sign('sha256', content, createPrivateKey(privateKey));
  const certificate = sequence(content, algorithm, bits(signature));
  const lines = certificate.toString('base64').replace(/.{64}(?=.)/g, '$&\n');
  return { key: privateKey, cert: `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n` };
}
