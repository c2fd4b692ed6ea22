import { asText, isJson, type Json } from '../../../json.ts';
import { octaviaFault } from '../../../refusal.ts';
import { python } from './values.ts';

const bad = (text: string): Error => octaviaFault(400, `Error parsing L7Rule: ${text}`);
const badRule = (text: string): Error => bad(`Invalid L7 Rule: ${text}`);

const headerName = /^[a-zA-Z0-9!#$%&'*+\-.^_`|~]+$/;
const cookieValue = /^[a-zA-Z0-9!#$%&'()*+\-./:<=>?@[\]^_`{|}~]+$/;
const headerValue =
  /^([a-zA-Z0-9!"#$%&'()*+,\-./:;<=>?@[\]^_`{|}~\\]+|"[a-zA-Z0-9 \t!"#$%&'()*+,\-./:;<=>?@[\]^_`{|}~\\]*")$/;

/** octavia/common/validate.py, l7rule_data: what a rule of each type may be. */
export function checkL7Rule(rule: Json): void {
  const type = asText(rule['type']);
  const compare = asText(rule['compare_type']);
  const key = asText(rule['key']);
  const value = asText(rule['value']);
  if (value === '') throw badRule('L7 rule type requires a value');
  if (type.startsWith('SSL_')) {
    checkClientRule(type, compare, key, value);
    return;
  }
  if (type === '') throw badRule('invalid rule type');
  if (type === 'HEADER' || type === 'COOKIE') {
    if (key === '') throw badRule('L7 rule type requires a key');
    if (!headerName.test(key)) throw bad('Invalid characters in key');
  }
  if (compare === 'REGEX') {
    checkRegex(value);
    return;
  }
  if (compare === '' || (type === 'FILE_TYPE' && compare !== 'EQUAL_TO'))
    throw badRule('invalid comparison type for rule type');
  const pattern = type === 'COOKIE' ? cookieValue : headerValue;
  const what = { HEADER: 'header value', COOKIE: 'cookie value' }[type] ?? 'comparison value';
  if (!pattern.test(value)) throw bad(`Invalid characters in ${what}`);
}

/** Octavia compiles the expression in Python. JavaScript's reasons read differently, the refusal is the same. */
function checkRegex(value: string): void {
  try {
    new RegExp(value);
  } catch (error) {
    throw bad(`Unable to parse regular expression: ${error instanceof Error ? error.message : ''}`);
  }
}

function checkClientRule(type: string, compare: string, key: string, value: string): void {
  const keyless = type === 'SSL_CONN_HAS_CERT' || type === 'SSL_VERIFY_RESULT';
  if (keyless && key !== '') throw badRule(`L7rule type ${type} does not use the "key" field.`);
  if (type === 'SSL_CONN_HAS_CERT' && value.toLowerCase() !== 'true')
    throw badRule(`L7rule value ${value} is not a boolean True string.`);
  if (type === 'SSL_VERIFY_RESULT' && !/^\d+$/.test(value))
    throw badRule(`L7rule type ${type} needs a int value, which is >= 0`);
  if (keyless && compare !== 'EQUAL_TO')
    throw badRule(`L7rule type ${type} only supports the EQUAL_TO compare type.`);
  if (keyless) return;
  if (compare === 'REGEX') checkRegex(value);
  if (key === '') throw badRule(`L7rule type ${type} needs to specify a key and a value.`);
  if (!/^[a-zA-Z][A-Za-z0-9-]*$/.test(key)) throw badRule('Invalid L7rule distinguished name field.');
}

const badArguments = (text: string): Error => octaviaFault(400, `Invalid L7 Policy arguments: ${text}`);

/**
 * octavia/common/validate.py, sanitize_l7policy_api_args: the redirect that is given decides the action, whatever
 * the action says (a REJECT with a redirect_prefix becomes a REDIRECT_PREFIX: tried on the lab).
 */
export function sanitizePolicy(given: Json): Json {
  const body = { ...given };
  if ('action' in body) checkAction(body);
  const pool = body['redirect_pool_id'] ?? (isJson(body['redirect_pool']) ? body['redirect_pool'] : null);
  const elsewhere = body['redirect_url'] ?? body['redirect_prefix'] ?? null;
  if (pool !== null && elsewhere !== null) {
    throw badArguments(
      'Cannot specify redirect_pool_id and redirect_url or redirect_prefix at the same time',
    );
  }
  if (pool !== null) {
    Object.assign(body, { action: 'REDIRECT_TO_POOL', redirect_url: null });
    Object.assign(body, { redirect_prefix: null, redirect_http_code: null });
  }
  if (typeof body['redirect_url'] === 'string') {
    Object.assign(body, { action: 'REDIRECT_TO_URL', redirect_pool_id: null, redirect_prefix: null });
    body['redirect_http_code'] ??= 302;
  }
  if (typeof body['redirect_prefix'] === 'string') {
    Object.assign(body, { action: 'REDIRECT_PREFIX', redirect_pool_id: null, redirect_url: null });
    body['redirect_http_code'] ??= 302;
  }
  if (Object.keys(body).length === 0) throw badArguments('Invalid update options');
  return body;
}

function checkAction(body: Json): void {
  const missing = (name: string): boolean => body[name] === undefined || body[name] === null;
  switch (body['action']) {
    case 'REJECT':
      Object.assign(body, { redirect_url: null, redirect_pool_id: null });
      Reflect.deleteProperty(body, 'redirect_pool');
      return;
    case 'REDIRECT_TO_URL':
      if (missing('redirect_url')) throw badArguments('redirect_url must not be None');
      body['redirect_pool_id'] = null;
      Reflect.deleteProperty(body, 'redirect_pool');
      return;
    case 'REDIRECT_TO_POOL':
      if (missing('redirect_pool_id') && missing('redirect_pool'))
        throw badArguments('redirect_pool_id or redirect_pool must not be None');
      body['redirect_url'] = null;
      return;
    case 'REDIRECT_PREFIX':
      if (missing('redirect_prefix')) throw badArguments('redirect_prefix must not be None');
      return;
    default:
      throw octaviaFault(400, `Invalid L7 Policy action specified: ${python(body['action'])}`);
  }
}
