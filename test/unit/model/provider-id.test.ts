import fc from 'fast-check';
import { expect, test } from 'vitest';
import { formatProviderID, parseProviderID } from '../../../shared/model/node/node.ts';

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
])('%s', (text, providerID) => {
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
  'aws:///eu-central-1a/i-0123456789abcdef0',
  `azure:///subscriptions/${ID}`,
  `metal3://ns/host/${ID}`,
  'cn-hangzhou.i-0123456789',
  `a/b/${ID}`,
  `aws:west/${ID}`,
])('%j is undefined', (text) => {
  expect(parseProviderID(text)).toBeUndefined();
});

test('never throws, and an id is one segment of a URL', () => {
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string(),
        fc.uuid(),
        fc.uuid().map((id) => `openstack://r/${id}`),
      ),
      (text) => {
        const { serverId = ID } = parseProviderID(text) ?? {};
        expect(encodeURIComponent(serverId)).toBe(serverId);
        expect(serverId).toHaveLength(36);
      },
    ),
  );
});

test.each([
  [undefined, `openstack:///${ID}`],
  ['RegionOne', `openstack://RegionOne/${ID}`],
])('with the region %s it is written as %s', (region, text) => {
  expect(formatProviderID(ID, region)).toBe(text);
  expect(parseProviderID(text)?.serverId).toBe(ID);
});
