import { expect, test } from 'vitest';
import { setByOthers } from '../../../../shared/service/plan/set-by-others.ts';
import type { DesiredResource, ObservedResource } from '../../../../shared/model/resources.ts';

const kind = 'listener' as const;
const listener: DesiredResource = { kind, address: 'listener/tcp/443', attributes: { connection_limit: -1 } };
const withWire = (wire: object): readonly ObservedResource[] => [
  { kind, address: listener.address, id: 'a', owned: true, wire: { id: 'a', ...wire } },
];
const hsts = (value: unknown): object => ({ hsts_include_subdomains: value, hsts_preload: value });

test.each([false, null])("HSTS that nobody asked for is nobody's change, as %s", (value) => {
  expect(setByOthers([listener], withWire({ hsts_max_age: null, ...hsts(value) }))).toEqual([]);
});

test('HSTS that somebody switched on is told', () => {
  expect(setByOthers([listener], withWire(hsts(true))).map(({ attribute }) => attribute)).toEqual([
    'hsts_include_subdomains',
    'hsts_preload',
  ]);
});
