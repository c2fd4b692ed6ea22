import { expect, test } from 'vitest';
import { nodeShares } from '../../../../shared/service/desired/desire-members.ts';
import type { PortIntent } from '../../../../shared/service/intent/read-annotations.ts';

const NODES = ['a', 'b', 'c'].map((name, index) => ({ name, address: `10.0.0.${index}` }));
const shares = (ServicePort: Partial<PortIntent['ServicePort']>, local?: readonly string[]) =>
  nodeShares(
    { listener: {}, pool: {}, member: {}, healthmonitor: {}, spelled: {}, ServicePort },
    NODES,
    local,
  );

test('nobody asks: no weight, no backup', () => {
  expect(shares({})).toMatchObject({ weights: new Map(), backups: new Set(), problems: [] });
});

test('backups are those that are named, and those without an endpoint where traffic stays local', () => {
  expect([...shares({ backupMembers: ['c'] }).backups]).toEqual(['c']);
  expect([...shares({}, ['a']).backups]).toEqual(['b', 'c']);
  expect([...shares({ backupMembers: ['a'] }, ['a', 'b']).backups]).toEqual(['a', 'c']);
});

test('not all are backups because the Service names too many', () => {
  expect([...shares({ backupMembers: ['a', 'b', 'c'] }).backups]).toEqual([]);
  expect([...shares({ backupMembers: ['a'] }, ['a']).backups]).toEqual(['b', 'c']);
});

test('a node that is no member is named, and the others count', () => {
  const { weights, backups, problems } = shares({ memberWeights: { a: 5, z: 1 }, backupMembers: ['b', 'y'] });
  expect(weights.get('a')).toBe(5);
  expect(weights.get('constructor')).toBeUndefined();
  expect([...backups]).toEqual(['b']);
  expect(problems.map(({ value, blocking }) => [value, blocking])).toEqual([
    ['z', undefined],
    ['y', undefined],
  ]);
});
