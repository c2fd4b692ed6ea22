import { GO_DURATION, parseGoDuration } from './go-duration.ts';

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
