import fc from 'fast-check';
import { expect, test } from 'vitest';
import { BoundedMap } from '../../../shared/memory/bounded-map.ts';

test('the entries together weigh no more than they may, and the newest is always there', () => {
  const kind = fc.constantFrom('set', 'set', 'delete', 'clear');
  const anAct = fc.tuple(kind, fc.nat(6), fc.string({ maxLength: 8 }));
  fc.assert(
    fc.property(fc.array(anAct, { maxLength: 60 }), (acts) => {
      const map = new BoundedMap<number, string>(12, ({ length }) => length);
      const kept = new Map<number, string>();
      for (const [act, key, value] of acts) {
        kept.delete(key);
        if (act === 'clear') {
          map.clear();
          kept.clear();
        } else if (act === 'delete') map.delete(key);
        else {
          map.set(key, value);
          kept.set(key, value);
          const weight = (): number => [...kept.values()].join('').length;
          for (const oldest of [...kept.keys()]) if (weight() > 12 && oldest !== key) kept.delete(oldest);
        }
        expect([...map]).toEqual([...kept]);
      }
    }),
  );
});
