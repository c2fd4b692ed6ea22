import { chooseByName, chooseByTags } from '../../model/network/subnet-choice.ts';
import { NODE_SELECTOR, parseNodeSelector, type NodeSelector } from '../../model/node/node-selector.ts';
import { readUuid } from '../../model/text/text.ts';
import { GO_DURATION, parseGoDuration } from '../flags/go-duration.ts';

/** What would have been allowed, in words. */
export class NotAllowed {
  readonly allowed: string;

  constructor(allowed: string) {
    this.allowed = allowed;
  }
}

/** Reads a value as gcfg gives it: undefined is a bare key. */
export type Read<T> = (value: string | undefined) => T | NotAllowed;

export const text: Read<string> = (value) => value ?? new NotAllowed('a value after =');

/** gcfg's booleans; a bare key is true. */
export const flag: Read<boolean> = (value) => {
  const word = (value ?? 'true').toLowerCase();
  if (['true', 'yes', 'on', '1'].includes(word)) return true;
  return ['false', 'no', 'off', '0'].includes(word)
    ? false
    : new NotAllowed('true, yes, on, 1, false, no, off or 0');
};

/** A whole number, decimal or 0x. */
export function whole(min: number, max: number): Read<number> {
  return (value) => {
    const number = /^(\d+|0x[0-9a-f]+)$/i.test(value ?? '') ? Number(value) : NaN;
    return number >= min && number <= max ? number : new NotAllowed(`a whole number from ${min} to ${max}`);
  };
}

/** A Go duration in milliseconds, above zero. */
export const milliseconds: Read<number> = (value) => {
  const duration = parseGoDuration(value ?? '');
  return duration === undefined || duration < 1 ? new NotAllowed(GO_DURATION) : Math.trunc(duration);
};

/** A Go duration in whole seconds, at least one; a fraction is cut off. */
export const seconds: Read<number> = (value) => {
  const duration = parseGoDuration(value ?? '');
  return duration === undefined || duration < 1_000
    ? new NotAllowed(`${GO_DURATION}, at least 1s`)
    : Math.trunc(duration / 1_000);
};

export function oneOf<T extends string>(...words: readonly T[]): Read<T> {
  return (value) => words.find((word) => word === value) ?? new NotAllowed(`one of ${words.join(', ')}`);
}

/** An id that will stand in a URL or a request; nothing after = is none. */
export const id: Read<string> = (value) =>
  value === '' ? value : (readUuid(value ?? '') ?? new NotAllowed('the UUID of a resource'));

/** Where the Go provider would look for metadata of a server; nothing after = is the default. */
export const searchOrder: Read<string> = (value) => {
  const items = value?.split(',').map((item) => item.trim()) ?? [];
  const known = items.every((item) => item === 'configDrive' || item === 'metadataService');
  return value !== undefined && (value === '' || (known && items.length <= 2))
    ? value
    : new NotAllowed('configDrive, metadataService, or both with a comma between');
};

/** Which subnets of an external network give floating IPs, by name; nothing after = is any. */
export const subnetName: Read<string> = (value) => choice(value, chooseByName);

/** The same by tags. */
export const subnetTags: Read<string> = (value) => choice(value, chooseByTags);

function choice(
  value: string | undefined,
  choose: (text: string) => { readonly allowed: string } | object,
): string | NotAllowed {
  if (value === '') return value;
  const read = choose(value ?? '');
  return 'allowed' in read ? new NotAllowed(read.allowed) : (value ?? '');
}

export const nodeSelector: Read<NodeSelector> = (value) =>
  (value === undefined ? undefined : parseNodeSelector(value)) ?? new NotAllowed(NODE_SELECTOR);

/** A DNS name; a dot before it goes. Nothing after = is the default. */
export const domain: Read<string> = (value) => {
  const name = value?.replace(/^\./, '').toLowerCase();
  const labels = name?.split('.') ?? [];
  const right = labels.every((label) => /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/.test(label));
  return name === '' || (name !== undefined && right) ? name : new NotAllowed('a DNS name such as nip.io');
};
