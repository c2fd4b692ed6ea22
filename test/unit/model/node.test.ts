import { expect, test } from 'vitest';
import { goneSince, noteGone, parseProviderID } from '../../../shared/model/node/node.ts';

const ID = '37f488c2-1356-47a5-a903-bc3867f2a324';

test.each([
  // docs/sources/occm.md, "providerID"
  [`openstack:///${ID}`, { scheme: 'openstack', serverId: ID }],
  [`openstack://RegionOne/${ID}`, { scheme: 'openstack', region: 'RegionOne', serverId: ID }],
  [`/${ID}`, { scheme: 'bare', serverId: ID }],
  [`west/${ID}`, { scheme: 'bare', region: 'west', serverId: ID }],
  // of clusters that are older than the scheme
  [ID, { scheme: 'bare', serverId: ID }],
  // docs/sources/kinx.md, "providerID of kinx"
  [`kinx:///${ID}`, { scheme: 'kinx', serverId: ID }],
  [`openstack:///${ID.toUpperCase()}`, { scheme: 'openstack', serverId: ID }],
])('the providerID %s is read', (text, providerID) => {
  expect(parseProviderID(text)).toStrictEqual(providerID);
});

test.each([
  '',
  '/',
  `//${ID}`,
  // as a Node had it that was recorded: GET /servers/ would be the list (decision 27)
  'openstack:///',
  'openstack://RegionOne/',
  'kinx:///',
  `openstack://${ID}`,
  `openstack:////${ID}`,
  `openstack://a/b/${ID}`,
  `openstack:///${ID}/`,
  `openstack:///${ID}?x=y`,
  `openstack:///${ID.replaceAll('-', '')}`,
  'openstack:///detail',
  'openstack:///../flavors',
  `openstack:/// ${ID}`,
  `${ID}\n`,
  `kinx://RegionOne/${ID}`,
  `OpenStack:///${ID}`,
  `azure:///subscriptions/${ID}`,
  'cn-hangzhou.i-0123456789',
  `a/b/${ID}`,
  `aws:west/${ID}`,
])('%j is no providerID', (text) => {
  expect(parseProviderID(text)).toBeUndefined();
});

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
