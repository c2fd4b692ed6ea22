import { expect, test } from 'vitest';
import { isSelected, parseNodeSelector } from '../../../shared/model/node/node-set.ts';

const LABELS = { pool: 'edge', ssd: '', 'node.kubernetes.io/role': 'worker' };

test.each([
  ['', true],
  ['pool=edge', true],
  ['pool=core', false],
  ['pool', true],
  ['pool=', true],
  [' pool=edge , ssd ', true],
  ['pool=edge,gpu', false],
  ['node.kubernetes.io/role=worker', true],
  ['toString', false],
])('%j selects a node: %s', (text, selected) => {
  expect(isSelected(LABELS, parseNodeSelector(text) ?? { refused: 'yes' })).toBe(selected);
});

test('a node without labels is selected by none but the empty one', () => {
  expect(isSelected({}, { pool: '' })).toBe(false);
  expect(isSelected({}, {})).toBe(true);
});

const NONE = [
  '=edge',
  'pool==edge',
  'pool=a=b',
  '!pool',
  'pool in (a)',
  'a/b/c',
  '-a',
  `a=${'x'.repeat(64)}`,
];

test.each(NONE)('%j is no selector', (text) => {
  expect(parseNodeSelector(text)).toBeUndefined();
});
