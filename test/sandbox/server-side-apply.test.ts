import fc from 'fast-check';
import { expect, test } from 'vitest';
import { fromFieldsV1, setOf, toFieldsV1 } from '../../infra/sandbox/kube/apply/field-set.ts';
import { managersOf, ownable } from '../../infra/sandbox/kube/apply/managed-fields.ts';
import { applied } from '../../infra/sandbox/kube/apply/server-side-apply.ts';
import { resourceTypes, type KubeObject } from '../../infra/sandbox/kube/kube-objects.ts';
import { Refusal } from '../../infra/sandbox/refusal.ts';

const typeOf = (kind: string) => {
  const found = resourceTypes.find((one) => one.kind === kind);
  if (!found) throw new Error(`no kind ${kind}`);
  return found;
};

type Data = Readonly<Record<string, string>>;

function apply(live: KubeObject | undefined, name: string, data: Data, force = false): KubeObject {
  const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'c' }, data };
  const by = { name, subresource: undefined, time: '2026-01-01T00:00:00Z' };
  return applied(live, { type: typeOf('ConfigMap'), applied: object, by, force }) as KubeObject;
}

/** Never empty: whether an empty map is a change of a missing one was not measured on a real apiserver. */
const values = fc.dictionary(fc.constantFrom('x', 'y', 'z'), fc.constantFrom('1', '2'), { minKeys: 1 });
const steps = fc.array(fc.record({ by: fc.constantFrom('a', 'b', 'c'), data: values, force: fc.boolean() }), {
  maxLength: 12,
});

/** Each manager's own wish, key by key: what a key holds, and who wants it. */
test('what managers apply one after another is what each of them wants last, and differences are conflicts', () => {
  fc.assert(
    fc.property(steps, (all) => {
      const wishes = new Map<string, Data>();
      const held = new Map<string, string>();
      let live: KubeObject | undefined;
      for (const { by, data, force } of all) {
        const others = [...wishes].filter(([name]) => name !== by);
        const contested = Object.keys(data).filter(
          (key) => held.get(key) !== data[key] && others.some(([, wish]) => key in wish),
        );
        if (contested.length > 0 && !force) {
          expect(() => apply(live, by, data)).toThrow(Refusal);
          continue;
        }
        for (const [name, wish] of others)
          wishes.set(
            name,
            Object.fromEntries(Object.entries(wish).filter(([key]) => !contested.includes(key))),
          );
        wishes.set(by, data);
        for (const key of held.keys())
          if (![...wishes.values()].some((wish) => key in wish)) held.delete(key);
        for (const [key, value] of Object.entries(data)) held.set(key, value);
        live = apply(live, by, data, force);
        expect(live['data'] ?? {}).toEqual(Object.fromEntries(held));
      }
    }),
  );
});

test('fields that are owned are read again as they were written', () => {
  const ports = fc.uniqueArray(fc.record({ port: fc.integer({ min: 1, max: 9 }), name: fc.string() }), {
    selector: ({ port }) => port,
  });
  const service = fc.record({
    metadata: fc.record({
      annotations: fc.dictionary(fc.string(), fc.string()),
      finalizers: fc.uniqueArray(fc.string()),
    }),
    spec: fc.record({ ports, selector: values, type: fc.string() }),
  });
  fc.assert(
    fc.property(service, (object) => {
      const owns = ownable(typeOf('Service'), object, undefined);
      expect([...setOf(fromFieldsV1(toFieldsV1(owns))).keys()].sort()).toEqual([...owns.keys()].sort());
    }),
  );
});

test('a conflict names the manager and the field, and who never applied owns what was there', () => {
  const metadata = { name: 'c', uid: 'u', resourceVersion: '1', creationTimestamp: '2026-01-01T00:00:00Z' };
  const live: KubeObject = { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { x: '1', y: '1' } };
  const message = 'Apply failed with 1 conflict: conflict with "before-first-apply" using v1: .data.x';
  const cause = {
    reason: 'FieldManagerConflict',
    message: 'conflict with "before-first-apply" using v1',
    field: '.data.x',
  };
  const refusal = (() => {
    try {
      return apply(live, 'a', { x: '2' });
    } catch (error) {
      return (error as Refusal).answer;
    }
  })();
  expect(refusal).toMatchObject({
    status: 409,
    body: { reason: 'Conflict', message, details: { causes: [cause] } },
  });
  const forced = apply(live, 'a', { x: '2' }, true);
  expect(forced['data']).toEqual({ x: '2', y: '1' });
  expect(managersOf(forced).map(({ name, operation }) => [name, operation])).toEqual([
    ['before-first-apply', 'Update'],
    ['a', 'Apply'],
  ]);
});
