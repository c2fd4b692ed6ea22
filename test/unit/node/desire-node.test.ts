import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Node } from '../../../shared/model/kubernetes.ts';
import { noteGone } from '../../../shared/model/node/node.ts';
import type { ServerFlavor } from '../../../shared/model/node/nova.ts';
import { desireNode, nodeLabels, nodeLife } from '../../../shared/node/desired/desire-node.ts';
import { aConfig } from '../../support/config.ts';

const ID = '37f488c2-1356-47a5-a903-bc3867f2a324';
const NEW = { key: 'node.cloudprovider.kubernetes.io/uninitialized', value: 'true', effect: 'NoSchedule' };
const REGIONAL = { providerID: `openstack://RegionOne/${ID}` };
const OTHER = { key: 'dedicated', value: 'db', effect: 'NoExecute' };

/** What is written of the spec of a Node. */
function written(spec: Node['spec'], regionalProviderID = false): object {
  const config = aConfig();
  const { resources } = desireNode({
    node: { metadata: { name: 'a', uid: 'u', resourceVersion: '1' }, ...(spec && { spec }) },
    server: { id: ID, name: 'a', addresses: { private: [{ addr: '10.0.0.5' }] } },
    ports: [{ id: 'a', fixed_ips: [{ ip_address: '10.0.0.5' }] }],
    config: {
      ...config,
      openstack: { ...config.openstack, region: 'RegionOne' },
      nodes: { ...config.nodes, regionalProviderID },
    },
  });
  const { labels: _, ...others } = (resources.at(-1)?.attributes ?? {}) as { readonly labels?: object };
  return others;
}

test.each<[string, Node['spec'], object, boolean?]>([
  ['with its region', { taints: [NEW, OTHER] }, { ...REGIONAL, taints: [OTHER] }, true],
  ['one that kinx named', { taints: [NEW], providerID: `kinx:///${ID}` }, { taints: [] }],
  ['one whose kubelet asked for no cloud provider', { taints: [OTHER] }, {}],
])('of a Node is written: %s', (_, spec, expected, isRegional) => {
  expect(written(spec, isRegional)).toEqual(expected);
});

const LONG = 'x'.repeat(63);
const labelsOf = (flavor: ServerFlavor | null, zone: string | null = null, region?: string) =>
  nodeLabels({ id: 'server', flavor, 'OS-EXT-AZ:availability_zone': zone }, region);

type Given = Parameters<typeof labelsOf>;
const flavored = (original_name: string, id?: string): Given => [{ original_name, ...(id && { id }) }];
const TYPE = 'node.kubernetes.io/instance-type';
const ZONE = 'topology.kubernetes.io/zone';
const REGION = 'topology.kubernetes.io/region';

// prettier-ignore
test.each<[what: string, label: string, given: Given, value: string | undefined]>([
  ['6.4: the name before its id',                 TYPE, flavored('m1.small', '2'),          'm1.small'],
  ['6.4: of 63 characters',                       TYPE, flavored(LONG),                     LONG],
  ['6.4: no label may be longer: the id',         TYPE, flavored(`${LONG}x`, ID),           ID],
  ['6.4: no label may have a space: the id',      TYPE, flavored('m1 small', ID),           ID],
  ['6.4: nor end in a dot',                       TYPE, flavored('m1.', '2'),               '2'],
  ['decision 104: no id: the name made valid',    TYPE, flavored('m1 small (2 vCPU)'),      'm1-small-2-vCPU'],
  ['decision 104: the id is no label either',     TYPE, flavored('m1 small', 'no good'),    'm1-small'],
  ['6.4: only an id, before microversion 2.47',   TYPE, [{ id: ID }],                       ID],
  ['decision 104: made valid, too',               TYPE, [{ id: 'no good' }],                'no-good'],
  ['2.3: nothing is not written',                 TYPE, flavored(''),                       undefined],
  ['2.3: nor what has no good character',         TYPE, flavored('日本'),                    undefined],
  ['2.3: no flavor',                              TYPE, [null],                             undefined],
  ['6.4: letters, digits, dash, underscore, dot', ZONE, [null, 'Az_1.b-2'],                 'Az_1.b-2'],
  ['6.4: each run of others becomes one dash',    ZONE, [null, 'zone /: 1 b'],              'zone-1-b'],
  ['6.4: dashes and dots at the ends go',         ZONE, [null, ' (zone 1).'],               'zone-1'],
  ['6.4: as a letter of another alphabet does',   ZONE, [null, 'zöne-é'],                   'z-ne'],
  ['6.4: cut to 63',                              ZONE, [null, `${LONG}yz`],                LONG],
  ['decision 104: and valid after the cut',       ZONE, [null, `${'x'.repeat(61)}--.y`],    'x'.repeat(61)],
  ['2.3: nothing that is left',                   ZONE, [null, '---'],                      undefined],
  ['2.3: of a server that is being built',        ZONE, [null, null],                       undefined],
  ['2.3: as cloud.conf has it',                   REGION, [null, null, 'RegionOne'],        'RegionOne'],
  ['decision 104: made valid as zones are',       REGION, [null, null, 'Region One!'],      'Region-One'],
  ['2.3: no region',                              REGION, [null, null, ''],                 undefined],
])('%s: %s', (_, label, given, value) => {
  expect(labelsOf(...given)[label]).toBe(value);
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
    }),
  );
});

const NOW = 1_000_000_000;
const PLACE = { projectId: 'p', region: 'R', serverId: 's' };
const SHUTDOWN = { key: 'node.cloudprovider.kubernetes.io/shutdown', effect: 'NoSchedule' };
const annotations = { 'levelset.openstack.org/server-gone': noteGone(NOW - 90_000, PLACE) };

/** What the stories of test/scenarios/node/node-lifecycle.test.ts do not come to. */
test.each([
  ['shut down, and the Node is tainted already', { id: 's', status: 'SHUTOFF' }, {}],
  ['started, and the Node is not Ready yet', { id: 's', status: 'ACTIVE' }, {}],
  ['unknown, and was noted as gone', 'unknown', annotations],
] as const)('a Node stays as it is whose server is %s', (_, server, noted) => {
  const metadata = { name: 'n', uid: 'u', resourceVersion: '1', annotations: noted };
  const node = { metadata, spec: { taints: [SHUTDOWN] } };
  expect(nodeLife({ node, server, place: PLACE, now: NOW })).toEqual({
    ...{ taints: [SHUTDOWN], annotations: {}, leaves: false },
  });
});
