import { readFile } from 'node:fs/promises';
import { gunzipSync, gzipSync } from 'node:zlib';
import type { Config } from '../../../shared/config/config.ts';
import type { ErrorCode } from '../../../shared/model/errors.ts';
import { fieldsOf, isRecord, parseJson } from '../../../shared/model/json.ts';
import { isSecretName, redact, quote } from '../../../shared/model/text/text.ts';
import { misused, reading } from '../command.ts';

/** An answer of a port. Without value and error it was `undefined`. */
export interface Answer {
  readonly value?: unknown;
  readonly error?: { readonly code: ErrorCode; readonly message: string; readonly status?: number };
}

type SafeConfig = Omit<Config, 'openstack'> & {
  readonly openstack: Omit<Config['openstack'], 'credentials' | 'ca' | 'cert' | 'key'> & {
    /** Octavia treats the two differently, and so do plans. */
    readonly credentials: { readonly type: Config['openstack']['credentials']['type'] };
  };
};

/** What `levelset support-bundle` writes: all that a plan was made of, and the plan. */
export interface Bundle {
  /** The version of this form. */
  readonly bundle: 1;
  readonly version: string;
  readonly node: string;
  /** The World's clock, which stands still: milliseconds since 1970. */
  readonly now: number;
  readonly config: SafeConfig;
  /** What each read of the World answered, in order: by port, method and arguments. */
  readonly reads: Readonly<Record<string, readonly Answer[]>>;
  readonly plan: { readonly code: number; readonly text: string };
}

/** A bundle that is larger is none of ours: that of 5,000 Services has less than 100 MB. */
const LARGEST = 2 ** 30;

/** gzip where the name of the file ends so. `cleaned` takes out of the text what must not be in it. */
export function pack(bundle: Bundle, file: string, cleaned = (text: string): string => text): Buffer {
  const text = cleaned(`${JSON.stringify(bundle, undefined, 1)}\n`);
  return file.endsWith('.gz') ? gzipSync(text) : Buffer.from(text);
}

/** The bundle in a file. Throws CONFIG_INVALID if it cannot be read or is none. */
export async function readBundle(file: string): Promise<Bundle> {
  const remedy = '; give a file that levelset support-bundle has written';
  return unpack(file, await reading(file, readFile(file), remedy));
}

/** Throws CONFIG_INVALID for a file that is no bundle. */
export function unpack(file: string, content: Buffer): Bundle {
  const read = parseJson(textOf(content));
  if (isBundle(read)) return read;
  const { bundle = 1 } = fieldsOf(read);
  const form = bundle === 1 ? 'no bundle' : `a bundle of another format (${quote(bundle)})`;
  throw misused(`${file} is ${form}: give a file that levelset support-bundle of this version has written`);
}

/** Whether all is there without which no plan can be begun. What is in it was made by others. */
function isBundle(value: unknown): value is Bundle {
  const { bundle, version, now, config, reads, plan } = fieldsOf(value);
  const { openstack, controllers, ...parts } = fieldsOf(config);
  const { code, text } = fieldsOf(plan);
  return (
    bundle === 1 &&
    [version, text].every((one) => typeof one === 'string') &&
    [now, code].every((one) => typeof one === 'number') &&
    isRecord(fieldsOf(openstack)['credentials']) &&
    Array.isArray(controllers) &&
    ['loadBalancer', 'loadBalancerClasses', 'networking', 'nodes'].every((part) => isRecord(parts[part])) &&
    isRecord(reads) &&
    Object.values(reads).every((answers) => Array.isArray(answers) && answers.every(isAnswer))
  );
}

function isAnswer(value: unknown): boolean {
  const { error } = fieldsOf(value);
  return isRecord(value) && (error === undefined || typeof fieldsOf(error)['message'] === 'string');
}

function textOf(content: Buffer): string {
  if (content[0] !== 0x1f || content[1] !== 0x8b) return content.toString('utf8');
  try {
    return gunzipSync(content, { maxOutputLength: LARGEST }).toString('utf8');
  } catch {
    return '';
  }
}

export function safeConfig(config: Config): SafeConfig {
  const { authUrl, region, interface: its, tlsInsecure, requestTimeoutMs, credentials } = config.openstack;
  const openstack = {
    credentials: { type: credentials.type },
    authUrl: withoutUser(authUrl),
    interface: its,
    tlsInsecure,
    requestTimeoutMs,
  };
  return { ...config, openstack: { ...openstack, ...(region !== undefined && { region }) } };
}

function withoutUser(address: string): string {
  const url = URL.parse(address);
  return url === null ? '' : `${url.protocol}//${url.host}${url.pathname}`;
}

/** Secrets of fewer characters may be words that stand in every text, such as `demo`. */
const SHORTEST = 8;

/** A text without the secrets of cloud.conf and of the environment, and without what looks like a token. */
export function withoutSecrets(text: string, { openstack }: Config, env: NodeJS.ProcessEnv): string {
  const { credentials, key } = openstack;
  const own = credentials.type === 'password' ? credentials.password : credentials.secret;
  const given = Object.entries(env).flatMap(([name, value = '']) =>
    isSecretName(name) ? value.split(/[\s,]+/) : passwordIn(value),
  );
  const secrets = [own, key ?? '', ...given].filter(({ length }) => length >= SHORTEST);
  return redact(text, secrets);
}

/** The password in a URL, such as that of HTTPS_PROXY, as it is written and as it is meant. */
function passwordIn(value: string): readonly string[] {
  const written = URL.parse(value)?.password ?? '';
  if (written === '') return [];
  try {
    return [written, decodeURIComponent(written)];
  } catch {
    return [written];
  }
}
