import { expect, test } from 'vitest';
import { goneSince, noteGone } from '../../../shared/model/node/node.ts';

const HERE = { projectId: 'p1', region: 'R1', serverId: 's1' };

test('a note says when, no earlier than it was, and where', () => {
  expect(noteGone(1_500, HERE)).toBe('2 p1 R1 s1');
  expect(goneSince(noteGone(1_500, HERE), HERE)).toBe(2_000);
  expect(goneSince(noteGone(1_000, { ...HERE, region: '' }), { ...HERE, region: '' })).toBe(1_000);
});

test.each([
  ['another project', '2 p2 R1 s1'],
  ['another region', '2 p1 R2 s1'],
  ['another server', '2 p1 R1 s2'],
  ['more words', '2 p1 R1 s1 x'],
  ['no time', 'p1 R1 s1'],
  ['a time that is none', '2e9 p1 R1 s1'],
  ['a time before 1970', '-2 p1 R1 s1'],
  ['a time too long', '1234567890123 p1 R1 s1'],
  ['nothing', ''],
  ['no note', undefined],
])('%s is no note of this place', (_, note) => {
  expect(goneSince(note, HERE)).toBeUndefined();
});
