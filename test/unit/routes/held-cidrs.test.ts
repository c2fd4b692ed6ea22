import fc from 'fast-check';
import { expect, test } from 'vitest';
import { boundsOf, cidrAt, cidrKey } from '../../../shared/model/network/cidr.ts';
import { familyOf } from '../../../shared/model/network/network-facts.ts';
import { HeldCidrs } from '../../../shared/routes/desired/node-routes.ts';

const cidr = fc
  .tuple(
    fc.constantFrom(4 as const, 6 as const),
    fc.integer({ min: 0, max: 255 }),
    fc.integer({ min: 24, max: 32 }),
  )
  .map(([family, at, length]) =>
    cidrKey(
      family === 4
        ? cidrAt(0x0af40000n + BigInt(at), length, 4)
        : cidrAt((0xfd00n << 112n) + BigInt(at), length + 96, 6),
    ),
  );
const overlap = (one: string, other: string): boolean => {
  const [[from, to], [start, end]] = [boundsOf(one), boundsOf(other)];
  return familyOf(one) === familyOf(other) && from <= end && start <= to;
};
const asked = fc.array(fc.tuple(cidr, fc.constantFrom('a', 'b', 'c')), { maxLength: 30 });

test('a Node gets a CIDR exactly if no other Node holds an overlapping one', () => {
  fc.assert(
    fc.property(asked, (requests) => {
      const held = new HeldCidrs();
      const given: [cidr: string, node: string][] = [];
      for (const [wanted, node] of requests) {
        const others = given.filter(([has, who]) => who !== node && overlap(has, wanted));
        const holder = held.take(wanted, node);
        if (others.length === 0) given.push([wanted, node]);
        expect(others.length === 0 ? [node] : others.map(([, who]) => who)).toContain(holder);
      }
    }),
  );
});

test('10,000 Nodes are judged in far less than a second', () => {
  const held = new HeldCidrs();
  const began = performance.now();
  for (let node = 0; node < 10_000; node += 1)
    held.take(cidrAt(0x0a000000n + BigInt(node * 256), 24, 4), `${node}`);
  expect(performance.now() - began).toBeLessThan(500);
});
