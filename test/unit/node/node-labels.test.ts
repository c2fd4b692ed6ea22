import fc from 'fast-check';
import { expect, test } from 'vitest';
import { nodeLabels } from '../../../shared/node/desired/node-labels.ts';
import type { ServerFlavor } from '../../../shared/model/node/nova.ts';

const LONG = 'x'.repeat(63);
const ID = '0a1b2c3d-1356-47a5-a903-bc3867f2a324';
const labelsOf = (flavor?: ServerFlavor | null, zone?: string | null, region?: string) =>
  nodeLabels(
    {
      id: 'server',
      ...(flavor === undefined ? {} : { flavor }),
      ...(zone === undefined ? {} : { 'OS-EXT-AZ:availability_zone': zone }),
    },
    region,
  );

test('type, zone and region are there in both spellings, which say the same', () => {
  expect(labelsOf({ original_name: 'm1.small' }, 'az1', 'RegionOne')).toStrictEqual({
    'node.kubernetes.io/instance-type': 'm1.small',
    'beta.kubernetes.io/instance-type': 'm1.small',
    'topology.kubernetes.io/zone': 'az1',
    'failure-domain.beta.kubernetes.io/zone': 'az1',
    'topology.kubernetes.io/region': 'RegionOne',
    'failure-domain.beta.kubernetes.io/region': 'RegionOne',
  });
});

// prettier-ignore
test.each<[string, ServerFlavor | null | undefined, string | undefined]>([
  ['6.4: the name as it is',                      { original_name: 'm1.small' },                   'm1.small'],
  ['6.4: before its id',                          { original_name: 'm1.small', id: '2' },          'm1.small'],
  ['6.4: of one character',                       { original_name: 'm' },                          'm'],
  ['6.4: of 63 characters',                       { original_name: LONG },                         LONG],
  ['6.4: no label may be longer: the id',         { original_name: `${LONG}x`, id: ID },           ID],
  ['6.4: no label may have a space: the id',      { original_name: 'm1 small', id: ID },           ID],
  ['6.4: nor end in a dot',                       { original_name: 'm1.', id: '2' },               '2'],
  ['6.4: nor begin with a dash',                  { original_name: '-m1', id: '2' },               '2'],
  ['decision 104: no id: the name made valid',    { original_name: 'm1 small (2 vCPU)' },          'm1-small-2-vCPU'],
  ['decision 104: the id is no label either',     { original_name: 'm1 small', id: 'no good' },    'm1-small'],
  ['6.4: only an id, before microversion 2.47',   { id: ID },                                      ID],
  ['decision 104: made valid, too',               { id: 'no good' },                               'no-good'],
  ['2.3: nothing is not written',                 { original_name: '' },                           undefined],
  ['2.3: nor what has no good character',         { original_name: '日本' },                        undefined],
  ['2.3: no flavor',                              null,                                            undefined],
  ['2.3: no flavor at all',                       undefined,                                       undefined],
])('the instance type %s', (_, flavor, value) => {
  expect(labelsOf(flavor)['node.kubernetes.io/instance-type']).toBe(value);
});

// prettier-ignore
test.each<[string, string | null | undefined, string | undefined]>([
  ['6.4: as it is',                               'az1',                     'az1'],
  ['6.4: letters, digits, dash, underscore, dot', 'Az_1.b-2',                'Az_1.b-2'],
  ['6.4: a run of others becomes one dash',       'zone /: 1',               'zone-1'],
  ['6.4: each run',                               'a b c',                   'a-b-c'],
  ['6.4: dashes and dots at the ends go',         ' (zone 1).',              'zone-1'],
  ['6.4: as a letter of another alphabet does',   'zöne-é',                  'z-ne'],
  ['6.4: cut to 63',                              `${LONG}yz`,               LONG],
  ['decision 104: and valid after the cut',       `${'x'.repeat(61)}--.y`,   'x'.repeat(61)],
  ['2.3: nothing is not written',                 '',                        undefined],
  ['2.3: nothing that is left either',            '---',                     undefined],
  ['2.3: of a server that is being built',        null,                      undefined],
  ['2.3: of a cloud that does not say',           undefined,                 undefined],
])('the zone %s', (_, zone, value) => {
  expect(labelsOf(undefined, zone)['topology.kubernetes.io/zone']).toBe(value);
});

// prettier-ignore
test.each<[string, string | undefined, string | undefined]>([
  ['2.3: as cloud.conf has it',               'RegionOne',    'RegionOne'],
  ['decision 104: made valid as zones are',   'Region One!',  'Region-One'],
  ['2.3: nothing is not written',             '',             undefined],
  ['2.3: no region',                          undefined,      undefined],
])('the region, %s', (_, region, value) => {
  expect(labelsOf(undefined, undefined, region)['topology.kubernetes.io/region']).toBe(value);
});

test('whatever the cloud says, Kubernetes takes it', () => {
  const text = fc.oneof(
    fc.string({ unit: 'grapheme', maxLength: 80 }),
    fc.string({ unit: fc.constantFrom('a', '-', '.', ' '), maxLength: 80 }),
  );
  fc.assert(
    fc.property(text, text, text, text, (original_name, id, zone, region) => {
      const labels = labelsOf({ original_name, id }, zone, region);
      for (const value of Object.values(labels))
        expect(value).toMatch(/^(?=.{1,63}$)[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?$/);
      expect(new Set(Object.values(labels)).size).toBeLessThanOrEqual(3);
    }),
  );
});
