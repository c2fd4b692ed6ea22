import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { cidrContains, parseCidr, countIn, lowestFree, overlap } from '../../../shared/model/network/cidr.ts';

describe('parseCidr', () => {
  test.each([
    ['10.0.0.7/8', '10.0.0.0/8'],
    ['192.0.2.1/32', '192.0.2.1/32'],
    ['0.0.0.0/0', '0.0.0.0/0'],
    ['FD00:10::5/64', 'fd00:10::/64'],
    ['::/0', '::/0'],
    ['1:0:0:2:0:0:0:3/128', '1:0:0:2::3/128'],
    ['::ffff:10.0.0.1/128', '::ffff:a00:1/128'],
  ])('%s is %s', (text, network) => {
    expect(parseCidr(text)?.text).toBe(network);
  });

  test.each(['', '10.0.0.1', '10.0.0.0/33', '10.0.0.0/8/8', '010.0.0.0/8', 'fd00::/129', '10.0.0.0/x', '/8'])(
    '%j is none',
    (text) => {
      expect(parseCidr(text)).toBeUndefined();
    },
  );

  test('never throws, and reads what it wrote as the same', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.tuple(fc.oneof(fc.ipV4(), fc.ipV6()), fc.nat(128)).map(([ip, length]) => `${ip}/${length}`),
        ),
        (text) => {
          const cidr = parseCidr(text);
          if (cidr) expect(parseCidr(cidr.text)).toEqual(cidr);
        },
      ),
    );
  });
});

test.each([
  ['10.0.0.0/24', '10.0.0.9', true],
  ['10.0.0.0/24', '10.0.1.9', false],
  ['fd00:10::/64', 'fd00:10::9', true],
  ['fd00:10::/64', '10.0.0.9', false],
  ['10.0.0.0/24', 'node-1', false],
])('%s contains %s: %s', (cidr, address, inside) => {
  expect(cidrContains(cidr, address)).toBe(inside);
});

describe('the lowest CIDR that is free', () => {
  // range, prefix length, taken, what is found
  test.each<[string, number, readonly string[], string | undefined]>([
    ['10.244.0.0/16', 24, [], '10.244.0.0/24'],
    ['10.244.0.0/16', 24, ['10.244.0.0/24', '10.244.1.0/24', '10.244.3.0/24'], '10.244.2.0/24'],
    ['10.244.0.0/16', 24, ['10.244.1.0/24', '10.244.0.0/24'], '10.244.2.0/24'],
    ['10.244.0.0/16', 24, ['10.244.0.0/24', '10.244.0.0/24'], '10.244.1.0/24'],
    // of other sizes: larger, smaller, and not at a border of ours
    ['10.244.0.0/16', 24, ['10.244.0.0/20'], '10.244.16.0/24'],
    ['10.244.0.0/16', 24, ['10.244.0.128/25', '10.244.1.7/32'], '10.244.2.0/24'],
    ['10.244.0.0/16', 24, ['10.0.0.0/8'], undefined],
    ['10.244.0.0/16', 24, ['10.243.0.0/16', '10.245.0.0/16', 'fd00::/8', 'no CIDR', ''], '10.244.0.0/24'],
    ['10.244.0.0/30', 31, ['10.244.0.0/31'], '10.244.0.2/31'],
    ['10.244.0.0/30', 31, ['10.244.0.0/31', '10.244.0.2/31'], undefined],
    ['10.244.7.0/24', 24, [], '10.244.7.0/24'],
    ['255.255.255.0/24', 25, ['255.255.255.0/25', '255.255.255.128/25'], undefined],
    ['0.0.0.0/0', 32, ['0.0.0.0/1'], '128.0.0.0/32'],
    ['fd00:10::/48', 64, [], 'fd00:10::/64'],
    ['fd00:10::/48', 64, ['fd00:10::/64', 'FD00:10:0:1::/64'], 'fd00:10:0:2::/64'],
    ['fd00:10::/48', 64, ['fd00:10::/49'], 'fd00:10:0:8000::/64'],
    ['fd00:10::/48', 64, ['10.0.0.0/8'], 'fd00:10::/64'],
    ['::/0', 128, [], '::/128'],
    // nobody could try these one after the other
    ['fd00::/8', 64, ['fd00::/9'], 'fd80::/64'],
    ['fd00::/8', 128, ['fd00::/8'], undefined],
  ])('in %s of size /%i beside %j: %s', (range, length, taken, found) => {
    expect(lowestFree(range, length, taken)).toBe(found);
  });

  const few = fc.array(
    fc.record({ at: fc.integer({ min: 0, max: 255 }), length: fc.integer({ min: 26, max: 32 }) }),
    { maxLength: 12 },
  );
  test('is what trying one after the other finds', () => {
    fc.assert(
      fc.property(few, fc.integer({ min: 25, max: 30 }), (blocks, length) => {
        const taken = blocks.map((block) => `10.0.0.${block.at}/${block.length}`);
        const size = 2 ** (32 - length);
        const all = Array.from({ length: 128 / size }, (_, index) => `10.0.0.${index * size}/${length}`);
        const free = all.find((one) => !taken.some((other) => overlap(one, other)));
        expect(lowestFree('10.0.0.0/25', length, taken)).toBe(free);
      }),
    );
  });
});

test.each([
  ['10.0.0.0/24', '10.0.0.255/32', true],
  ['10.0.0.0/24', '10.0.1.0/24', false],
  ['10.0.0.0/24', '10.0.0.0/8', true],
  ['10.0.0.0/24', 'fd00::/8', false],
  ['fd00::/64', 'FD00:0:0:0:1::/80', true],
  ['10.0.0.0/24', 'none', false],
  ['none', 'none', false],
])('%s and %s have an address in common: %s', (one, other, common) => {
  expect([overlap(one, other), overlap(other, one)]).toEqual([common, common]);
});

test.each([
  ['10.0.0.0/16', 24, '256'],
  ['10.0.0.0/24', 24, '1'],
  ['fd00::/8', 128, '1329227995784915872903807060280344576'],
])('%s by /%i are %s', (range, length, count) => {
  expect(countIn(range, length)).toBe(count);
});
