import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { must } from './run.ts';

/** Who signs the certificates of clients, for a day. */
export interface Authority {
  /** PEM. */
  readonly certificate: string;
  /** Paths of a certificate and its key. */
  client(name: string): Promise<ClientCertificate>;
  /** Withdraws them: the list of all that are withdrawn, in PEM. */
  withdraw(clients: readonly ClientCertificate[]): Promise<string>;
  remove(): void;
}

export interface ClientCertificate {
  readonly cert: string;
  readonly key: string;
}

const EC = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];

/** One made by openssl in a folder of its own. */
export async function anAuthority(name: string): Promise<Authority> {
  const folder = mkdtempSync(join(tmpdir(), 'levelset-authority-'));
  const at = (file: string): string => join(folder, file);
  const openssl = (...args: readonly string[]): Promise<string> => must('openssl', args);
  const [cert, key, config] = [at('ca.crt'), at('ca.key'), at('ca.conf')];
  const own = ['-keyout', key, '-out', cert, '-days', '1', '-subj', `/CN=${name}`];
  await openssl('req', '-x509', ...EC, ...own);
  writeFileSync(at('index.txt'), '');
  writeFileSync(at('crlnumber'), '01\n');
  writeFileSync(
    config,
    [
      ...['[ca]', 'default_ca = own', '[own]', `database = ${at('index.txt')}`],
      ...[`crlnumber = ${at('crlnumber')}`, 'default_md = sha256', 'default_crl_days = 1', ''],
    ].join('\n'),
  );
  const ca = ['ca', '-batch', '-config', config, '-cert', cert, '-keyfile', key];
  return {
    certificate: readFileSync(cert, 'utf8'),
    async client(subject) {
      const [request, made] = [
        at(`${subject}.csr`),
        { cert: at(`${subject}.crt`), key: at(`${subject}.key`) },
      ];
      await openssl('req', ...EC, '-keyout', made.key, '-out', request, '-subj', `/CN=${subject}`);
      const signed = ['-CA', cert, '-CAkey', key, '-CAcreateserial', '-days', '1', '-out', made.cert];
      await openssl('x509', '-req', '-in', request, ...signed);
      return made;
    },
    async withdraw(clients) {
      for (const { cert: withdrawn } of clients) await openssl(...ca, '-revoke', withdrawn);
      await openssl(...ca, '-gencrl', '-out', at('crl.pem'));
      return readFileSync(at('crl.pem'), 'utf8');
    },
    remove() {
      rmSync(folder, { recursive: true });
    },
  };
}
