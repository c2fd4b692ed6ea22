import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ANNOTATIONS } from '../../../../shared/service/intent/annotations.ts';
import { anAnnotation } from '../../../laws/arbitrary.ts';

/** They end in no configuration: levelset or people read them; ranges are checked one by one where they are used. */
const FOR_PEOPLE =
  /\/(approve|.*tags|description|node-selector|class|flavor|floating-subnet|.*load-balancer-name|load-balancer-source-ranges)$/;

/** What haproxy reads as the end of a word, of a line, or as a quote, an escape, a comment or a variable (its manual, 2.2). */
const SPECIAL = ['\n', '\r', '\t', '\u0000', '\u2028', '"', "'", '\\', '#', '`', '{', '}'];

test('no value that ends in the configuration of haproxy carries a character that means something there', () => {
  const tried = fc.record({
    annotation: fc.oneof(
      { weight: 9, arbitrary: anAnnotation.filter(([key]) => !FOR_PEOPLE.test(key)) },
      fc.constant(['levelset.openstack.org/session-persistence', 'APP_COOKIE JSESSIONID'] as const),
    ),
    special: fc.constantFrom(...SPECIAL),
    where: fc.double({ min: 0, max: 1, noNaN: true }),
  });
  fc.assert(
    fc.property(tried, ({ annotation: [key, good], special, where }) => {
      const at = Math.round(where * good.length);
      const row = ANNOTATIONS.find(({ names }) => names.includes(key));
      const parsed = row?.parse(good.slice(0, at) + special + good.slice(at));
      const values = parsed && 'value' in parsed ? leavesOf(parsed.value) : [];
      expect(values.filter((value) => value.includes(special))).toEqual([]);
    }),
    { numRuns: 5_000 },
  );
});

function leavesOf(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(leavesOf) : [];
}
