/** Kinds of values that flags and options of cloud.conf have: each reads a text, or says what it would have allowed. */
import { parseCidr, type Cidr } from '../model/network/cidr.ts';
import { chooseByName, chooseByTags } from '../model/text/subnet-choice.ts';
import { NODE_SELECTOR, parseNodeSelector, type NodeSelector } from '../model/node/node-set.ts';
import { readUuid, didYouMean } from '../model/text/text.ts';
import { REACH, type AllowedReference } from '../model/load-balancer/reach-and-limits.ts';
import type { ReferenceKind } from '../model/attributes/attribute-row.ts';

export class NotAllowed {
  /** What is allowed, in words that follow "give". */
  readonly allowed: string;
  /** The items that are wrong, if the value is a list. */
  readonly items: readonly string[];

  constructor(allowed: string, items: readonly string[] = []) {
    this.allowed = allowed;
    this.items = items;
  }
}

/** `undefined` is an option of cloud.conf that has no `=`; a flag always has a text. */
export type Read<T> = (value: string | undefined) => T | NotAllowed;

/**
 * One line about a value that is not allowed. It may be a secret in the wrong place, so it is not shown (decision
 * 460), but the positions in a list are.
 */
export function refusalOf(place: string, value: string | undefined, { allowed, items }: NotAllowed): string {
  return `${place} has ${value === undefined ? 'no value' : `a value that is not allowed${positions(value, items)}`}: give ${allowed}`;
}

/** Where items stand in a list, such as ` (items 2, 5)`. */
export function positions(list: string, items: readonly string[]): string {
  const all = itemsOf(list);
  const found = items.map((item) => all.indexOf(item) + 1).filter((position) => position > 0);
  return found.length === 0 ? '' : ` (${found.length === 1 ? 'item' : 'items'} ${found.join(', ')})`;
}

/** The name of a flag or option in camel case, as its value is named in code. */
export type Camel<S extends string> = S extends `${infer Head}-${infer Tail}`
  ? `${Head}${Capitalize<Camel<Tail>>}`
  : S;

export function camel(name: string): string {
  return name.replace(/-([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}

export const text: Read<string> = (value) => value ?? new NotAllowed('a value after =');

/** The booleans of gcfg, the format of cloud.conf. An option without `=` is true. */
export const gcfgBoolean: Read<boolean> = (value) => {
  const word = (value ?? 'true').toLowerCase();
  if (['true', 'yes', 'on', '1'].includes(word)) return true;
  return ['false', 'no', 'off', '0'].includes(word)
    ? false
    : new NotAllowed('true, yes, on, 1, false, no, off or 0');
};

/** The booleans of the Go programs' flags (strconv.ParseBool). */
export const goBoolean: Read<boolean> = (value = '') => {
  if (/^(1|t|T|TRUE|true|True)$/.test(value)) return true;
  return /^(0|f|F|FALSE|false|False)$/.test(value) ? false : new NotAllowed('true or false');
};

/** A whole number, decimal or 0x. */
export function whole(min: number, max: number): Read<number> {
  return (value) => {
    const number = /^(\d+|0x[0-9a-f]+)$/i.test(value ?? '') ? Number(value) : NaN;
    return number >= min && number <= max ? number : new NotAllowed(`a whole number from ${min} to ${max}`);
  };
}

const UNIT_MS: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  μs: 1e-3,
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
};
const PART = /(\d+\.?\d*|\.\d+)(ns|us|µs|μs|ms|s|m|h)/gy;

const GO_DURATION = 'a duration with a unit, such as 5s, 1m30s or 500ms';

/** A Go duration (time.ParseDuration) in milliseconds. Undefined: the text is none, or it is negative. */
export function parseGoDuration(text: string): number | undefined {
  const unsigned = text.startsWith('+') ? text.slice(1) : text;
  if (unsigned === '0') return 0;
  const parts = [...unsigned.matchAll(PART)];
  if (parts.length === 0 || parts.map(([part]) => part).join('') !== unsigned) return undefined;
  return parts.reduce((sum, [, amount, object]) => sum + Number(amount) * (UNIT_MS[object ?? ''] ?? 0), 0);
}

/** A Go duration in milliseconds, or in another unit of so many, at least `least` of them. What is below the unit is cut off. */
function duration(limits: string, least: number, unitMs = 1): Read<number> {
  return (value) => {
    const objects = Math.trunc((parseGoDuration(value ?? '') ?? NaN) / unitMs);
    return objects >= least ? objects : new NotAllowed(GO_DURATION + limits);
  };
}

export const milliseconds = duration('', 1);
export const orZero = duration('', 0);
export const seconds = duration(', at least 1s', 1, 1_000);

export const percent: Read<number> = (value) => {
  const share = Number(/^(\d{1,3})%$/.exec(value ?? '')?.[1] ?? NaN);
  return share <= 100 ? share : new NotAllowed('a share from 0% to 100%');
};

export function oneWordOf<const T extends string>(...words: readonly T[]): Read<T> {
  return (value) =>
    words.find((word) => word === value) ??
    new NotAllowed(`one of ${words.join(', ')}${didYouMean(value ?? '', words)}`);
}

/** The items of a list that are separated by commas or blanks. */
export function itemsOf(value: string | undefined): readonly string[] {
  return (value ?? '').split(/[\s,]+/).filter((item) => item !== '');
}

export const cidrs: Read<readonly Cidr[]> = (value) => {
  const items = itemsOf(value);
  const read = items.flatMap((item) => parseCidr(item) ?? []);
  const families = new Set(read.map(({ family }) => family));
  if (read.length === items.length && families.size === read.length) return read;
  return new NotAllowed('a CIDR such as 10.244.0.0/16, or one of each IP family, separated by a comma');
};

/** An id that ends up in a URL or a request. */
export const id: Read<string> = (value = '') => readUuid(value) ?? new NotAllowed('the UUID of a resource');

export const searchOrder: Read<string> = (value) => {
  const items = value?.split(',').map((item) => item.trim()) ?? [];
  const known = items.every((item) => item === 'configDrive' || item === 'metadataService');
  return value !== undefined && known && items.length <= 2
    ? value
    : new NotAllowed('configDrive, metadataService, or both, separated by a comma');
};

export const nameOfSubnet: Read<string> = (value) => choice(value, chooseByName);

export const tagsOfSubnet: Read<string> = (value) => choice(value, chooseByTags);

function choice(
  value = '',
  choose: (text: string) => { readonly allowed: string } | object,
): string | NotAllowed {
  const read = choose(value);
  return 'allowed' in read ? new NotAllowed(read.allowed) : value;
}

export const selectorOfNodes: Read<NodeSelector> = (value) =>
  (value === undefined ? undefined : parseNodeSelector(value)) ?? new NotAllowed(NODE_SELECTOR);

/** A DNS name, without the dot that it may begin with. */
export const domain: Read<string> = (value) => {
  const name = value?.replace(/^\./, '').toLowerCase();
  const labels = name?.split('.') ?? [];
  const right = labels.every((label) => /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/.test(label));
  return name !== undefined && right ? name : new NotAllowed('a DNS name such as nip.io');
};

export const serviceAccount: Read<string> = (value = '') =>
  /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?\/[a-z0-9]([-.a-z0-9]{0,251}[a-z0-9])?$/.test(value)
    ? value
    : new NotAllowed('a ServiceAccount as NAMESPACE/NAME, such as levelset/levelset');

export const serviceAccounts: Read<readonly string[]> = (value) => {
  const items = itemsOf(value);
  const wrong = items.filter((item) => serviceAccount(item.replace(/\/\*$/, '/any')) instanceof NotAllowed);
  return wrong.length === 0
    ? items
    : new NotAllowed('ServiceAccounts as NAMESPACE/NAME or NAMESPACE/*, separated by commas', wrong);
};

export interface HostPort {
  readonly host: string;
  readonly port: number;
}

/** Where a server listens. Without a host: on every address. */
export const hostPort: Read<HostPort> = (value = '') => {
  const [match, v6, host, digits] = /^(?:\[([0-9a-fA-F:.]+)\]|([^:[\]]*)):(\d{1,5})$/.exec(value) ?? [];
  const port = Number(digits);
  if (match === undefined || port > 65_535)
    return new NotAllowed('HOST:PORT, such as 127.0.0.1:8080, [::1]:8080 or :8080');
  return { host: v6 ?? (host === '' ? '::' : (host ?? '::')), port };
};

export const serverUrl: Read<string> = (value = '') => {
  const url = URL.canParse(value) ? new URL(value) : undefined;
  return url !== undefined && mayCarryToken(url)
    ? url.href
    : new NotAllowed(
        'the address of a levelset serve, such as https://levelset.example or http://127.0.0.1:8080',
      );
};

function mayCarryToken(url: URL): boolean {
  const isLoopback = /^(127\.\d+\.\d+\.\d+|\[::1\]|localhost)$/.test(url.hostname);
  const isSafe = url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback);
  return isSafe && url.username === '' && url.password === '' && url.search === '';
}

type ClustersFrom =
  | { readonly folder: string }
  | { readonly parameters: string }
  | { readonly secrets: true };

export const clustersFrom: Read<ClustersFrom> = (value = '') => {
  if (value === 'secrets') return { secrets: true };
  const [, folder] = /^folder:(.+)$/.exec(value) ?? [];
  if (folder !== undefined) return { folder };
  const [, parameters] = /^parameters:((?:\/[\w.-]+)+)$/.exec(value) ?? [];
  if (parameters !== undefined) return { parameters };
  return new NotAllowed(
    'secrets, folder:PATH, such as folder:/etc/levelset/clusters, or for the functions on AWS parameters:PATH, such as parameters:/levelset/prod',
  );
};

/** The kinds that `--allowed-references` may list. A kind of reach `own` never needs an entry. */
const KINDS = Object.entries(REACH).flatMap(([kind, reach]) => (reach === 'own' ? [] : [kind]));

const NAMESPACE = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/;

export const allowedReferences: Read<readonly AllowedReference[]> = (value) => {
  const items = itemsOf(value);
  const read = items.map((item) => readReference(item));
  const wrong = items.filter((_, index) => read[index] === undefined);
  if (wrong.length === 0) return read.filter((reference) => reference !== undefined);
  return new NotAllowed(`NAMESPACE/KIND/ID, each of them or *, the kind one of ${KINDS.join(', ')}`, wrong);
};

function readReference(item: string): AllowedReference | undefined {
  const [namespace = '', kind = '', ...rest] = item.split('/');
  const id = rest.join('/');
  if ((namespace !== '*' && !NAMESPACE.test(namespace)) || !isKind(kind) || !isWhole(id)) return undefined;
  return { namespace, kind, id };
}

/** Whether an id is `*` or has no `*` in it. An id such as `ab*` would match nothing, and mislead. */
function isWhole(id: string): boolean {
  return id === '*' || (id !== '' && !id.includes('*'));
}

function isKind(kind: string): kind is ReferenceKind | '*' {
  return kind === '*' || KINDS.includes(kind);
}
