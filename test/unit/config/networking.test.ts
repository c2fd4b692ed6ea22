import { describe, expect, it } from 'vitest';
import { readCloudConf } from '../../../shared/config/cloud-conf/cloud-conf.ts';

const ID = '01234567-89ab-cdef-0123-456789abcdef';
const read = (...lines: readonly string[]) => readCloudConf(lines.join('\n'), 'cloud.conf');

describe('[Networking]', () => {
  it.each<readonly [string, object]>([
    ['ipv6-support-disabled', { ipv6SupportDisabled: true }],
    ['ipv6-support-disabled = false', { ipv6SupportDisabled: false }],
    ['public-network-name = ext', { publicNetworkName: ['ext'] }],
    ['public-network-name = b\nPublic-Network-Name = a', { publicNetworkName: ['b', 'a'] }],
    ['public-network-name = a\n[networking]\npublic-network-name = a', { publicNetworkName: ['a'] }],
    // a comma is a part of a name
    ['internal-network-name = "a, b "', { internalNetworkName: ['a, b '] }],
    ['internal-network-name =', { internalNetworkName: [] }],
    ['address-sort-order = 10.0.0.0/8', { addressSortOrder: ['10.0.0.0/8'] }],
    ['address-sort-order = 10.1.2.3/16, ,FD00::1/64', { addressSortOrder: ['10.1.0.0/16', 'fd00::/64'] }],
    ['address-sort-order =', { addressSortOrder: [] }],
    ['address-sort-order = 10.0.0.0/8\naddress-sort-order = ::/0', { addressSortOrder: ['::/0'] }],
  ])('reads %j', (lines, expected) => {
    const { networking, problems, warnings } = read('[Networking]', lines);
    expect({ problems, warnings }).toEqual({ problems: [], warnings: [] });
    expect(networking).toEqual({
      publicNetworkName: [],
      internalNetworkName: [],
      ipv6SupportDisabled: false,
      addressSortOrder: [],
      ...expected,
    });
  });

  it('ignores items that are no CIDRs, with a warning', () => {
    const { networking, problems, warnings } = read(
      '[Networking]',
      'address-sort-order = 10.0.0.1, ::/0, x/8',
    );
    expect({ networking: networking.addressSortOrder, problems }).toEqual({
      networking: ['::/0'],
      problems: [],
    });
    expect(warnings).toEqual([
      'cloud.conf:2: [Networking] address-sort-order has items that are not CIDRs; levelset ignores them (items 1, 3)',
    ]);
  });
});

it('[Route] names a router', () => {
  expect(read('[Route]', `router-id = ${ID.toUpperCase()}`).route.routerId).toBe(ID);
  expect(read('[Route]', 'router-id =').route).toEqual({});
});

// prettier-ignore
it.each(['configDrive', 'metadataService', 'configDrive,metadataService', ' metadataService , configDrive', ''])('[Metadata] search-order = %j gives no warning', (order) => {
  expect(read('[Metadata]', `search-order = ${order}`)).toMatchObject({ warnings: [], problems: [] });
});

// prettier-ignore
it.each([
  ['[Networking]\nipv6-support-disabled = maybe', 'give true, yes, on, 1, false, no, off or 0'],
  ['[Networking]\npublic-network-name', 'has no value: give a value after ='],
  ['[Networking]\naddress-sort-order', 'has no value: give a value after ='],
  ['[Route]\nrouter-id = edge', '[Route] router-id has a value that is not allowed: give the UUID of a resource'],
  ['[Metadata]\nsearch-order', 'has no value: give configDrive, metadataService, or both'],
  ['[Metadata]\nsearch-order = configdrive', 'give configDrive, metadataService, or both'],
  ['[Metadata]\nsearch-order = configDrive,', 'give configDrive'],
  ['[Metadata]\nsearch-order = configDrive,metadataService,configDrive', 'give configDrive'],
])('%j is refused', (source, says) => {
  const { problems } = readCloudConf(source, 'cloud.conf');
  expect(problems).toHaveLength(1);
  expect(problems[0]).toContain(says);
});
