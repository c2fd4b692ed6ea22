import { asText, type Json } from '../json.ts';
import { invalid } from './octavia-listener-rules.ts';

const versions = ['SSLv3', 'TLSv1', 'TLSv1.1', 'TLSv1.2', 'TLSv1.3'];

/** Versions, ciphers and ALPN of a listener or pool; the lists only where they are looked at (`lists`). */
export function checkTlsSettings(body: Json, lists: boolean): void {
  const ciphers = asText(body['tls_ciphers']);
  if (!/^[A-Za-z0-9\-+!:@=_.]*$/.test(ciphers)) {
    const allowed = 'Only alphanumeric, -, +, !, :, @, =, _, and . are allowed.';
    throw invalid(`Invalid characters in cipher string. ${allowed}`);
  }
  if (!lists) return;
  checkList(body['tls_versions'], versions, 'Empty TLS version list', 'TLS version', 'Invalid TLS versions');
  checkList(body['alpn_protocols'], undefined, 'Empty ALPN protocol list', 'ALPN protocol', '');
}

function checkList(
  value: unknown,
  known: readonly string[] | undefined,
  empty: string,
  what: string,
  wrong: string,
): void {
  if (!Array.isArray(value)) return;
  const use = 'or remove this parameter to use the default.';
  if (value.length === 0) throw invalid(`${empty}. Either specify at least one ${what} ${use}`);
  const bad = value.map(asText).filter((one) => known?.includes(one) === false);
  if (bad.length > 0) throw invalid(`${wrong}: ${bad.join(', ')}`);
}
