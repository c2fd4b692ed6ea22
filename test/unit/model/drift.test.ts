/** The record of reported drift stays small whatever differs, and knows again what it has (decision 321). */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isReported, PRESENT, recordedTogether, recordOf } from '../../../shared/model/drift.ts';
import type { Drift } from '../../../shared/model/drift.ts';

/** Ten thousand Services in eight ConfigMaps of 1 MiB leave 838 bytes for each, and a tenth of them may have a whole record. */
const MOST_BYTES = 1_000;

const place = fc.tuple(fc.constantFrom('tcp', 'udp'), fc.nat({ max: 400 })).map((parts) => parts.join('/'));
const member = fc
  .tuple(place, fc.ipV4(), fc.constantFrom(undefined, 'weight', 'admin_state_up'))
  .map(([at, ip, attribute]) => ({
    address: `member/${at}/${ip}:30080`,
    kind: 'member' as const,
    attribute,
  }));
const listener = fc
  .tuple(place, fc.constantFrom(undefined, 'connection_limit', 'tags'))
  .map(([at, attribute]) => ({ address: `listener/${at}`, kind: 'listener' as const, attribute }));
const port = fc
  .ipV4()
  .map((ip) => ({ address: `port/${ip}`, kind: 'port' as const, attribute: 'security_groups' }));
const anything = fc.oneof(
  member,
  listener,
  port,
  fc.constant({ address: 'lb', kind: 'loadbalancer' as const, attribute: 'tags' }),
);
const wanted = fc.constantFrom(PRESENT, 7, null, ['a']);

const drift: fc.Arbitrary<Drift> = fc
  .tuple(anything, wanted)
  .map(([{ address, kind, attribute }, value]) => ({
    ...{ address, kind, wanted: value, there: null, askedBy: 'spec.ports' },
    ...(attribute === undefined ? {} : { attribute }),
  }));
const nameOf = ({ address, attribute = '' }: Drift): string => `${address} ${attribute}`;
const many = fc.uniqueArray(drift, { maxLength: 600, selector: nameOf, size: 'max' });

test('it has no more bytes than there is room for, and each of its differences counts as reported', () => {
  const seen = { most: 0, together: 0 };
  fc.assert(
    fc.property(many, (all) => {
      const record = recordOf(all);
      const { length } = JSON.stringify(record);
      seen.most = Math.max(seen.most, length);
      seen.together += recordedTogether(all).length > 0 ? 1 : 0;
      expect(length).toBeLessThanOrEqual(MOST_BYTES);
      for (const one of all) expect(isReported(one, record)).toBe(true);
      expect(recordOf(all.toReversed())).toEqual(record);
    }),
    // smaller lists of hundreds take minutes to find
    { numRuns: 30, endOnFailure: true },
  );
  expect(seen.most).toBeGreaterThan(400);
  expect(seen.together).toBeGreaterThan(5);
});

test('few differences are recorded one by one: no other one counts as reported, nor the same with another wish', () => {
  const few = fc.uniqueArray(drift, { minLength: 1, maxLength: 60, selector: nameOf });
  fc.assert(
    fc.property(few, ([one, ...others]) => {
      if (!one) return;
      const record = recordOf(others);
      expect(isReported(one, record)).toBe(false);
      expect(isReported({ ...one, wanted: 'another' }, recordOf([one, ...others]))).toBe(false);
      expect(recordedTogether(others)).toEqual([]);
    }),
  );
});

test('a port that is added later is none of the drift that was recorded before, however many ports have some', () => {
  const kinds = ['listener', 'pool', 'healthmonitor'] as const;
  const asMissing = (kind: (typeof kinds)[number], at: number): Drift => ({
    address: `${kind}/tcp/${at}`,
    kind,
    wanted: PRESENT,
    askedBy: 'spec.ports',
  });
  const ports = Array.from({ length: 21 }, (_, at) => kinds.map((kind) => asMissing(kind, at)));
  expect(isReported(asMissing('listener', 9000), recordOf(ports.flat()))).toBe(false);
});
