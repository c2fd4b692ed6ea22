import { expect, test } from 'vitest';
import { desireNode } from '../../../shared/node/desired/desire-node.ts';
import type { Node, Taint } from '../../../shared/model/kubernetes.ts';
import { aConfig } from '../../support/config.ts';
import { fixed, port } from './node-address-rows.ts';

const ID = '37f488c2-1356-47a5-a903-bc3867f2a324';
const SPECIAL = 'node.cloudprovider.kubernetes.io/uninitialized';
const UNINITIALIZED: Taint = { key: SPECIAL, value: 'true', effect: 'NoSchedule' };
const OTHER: Taint = {
  key: 'dedicated',
  value: 'db',
  effect: 'NoExecute',
  timeAdded: '2026-11-21T03:28:49Z',
};
const server = {
  id: ID,
  name: 'web-1',
  flavor: { original_name: 'm1.small' },
  'OS-EXT-AZ:availability_zone': 'az1',
  addresses: { private: [fixed('10.0.0.5')] },
};
const labels = {
  'node.kubernetes.io/instance-type': 'm1.small',
  'beta.kubernetes.io/instance-type': 'm1.small',
  'topology.kubernetes.io/zone': 'az1',
  'failure-domain.beta.kubernetes.io/zone': 'az1',
  'topology.kubernetes.io/region': 'RegionOne',
  'failure-domain.beta.kubernetes.io/region': 'RegionOne',
};
const addresses = [{ type: 'InternalIP', address: '10.0.0.5' }];
const nodestatus = {
  kind: 'nodestatus',
  address: 'nodestatus/web-1',
  attributes: { addresses },
  ifPresent: true,
};
const node = (attributes: object) => ({ kind: 'node', address: 'node/web-1', attributes, ifPresent: true });

interface Given {
  readonly spec?: Node['spec'];
  readonly annotations?: Readonly<Record<string, string>>;
  readonly existing?: NonNullable<Node['status']>['addresses'];
  readonly server?: object;
  readonly ports?: readonly ReturnType<typeof port>[];
  readonly regional?: boolean;
}

function desire(given: Given) {
  const config = aConfig();
  return desireNode({
    node: {
      metadata: {
        name: 'web-1',
        uid: 'u',
        resourceVersion: '1',
        labels: { 'kubernetes.io/hostname': 'web-1', 'topology.kubernetes.io/zone': 'elsewhere', own: 'x' },
        annotations: given.annotations ?? {},
      },
      ...(given.spec ? { spec: given.spec } : {}),
      ...(given.existing ? { status: { addresses: given.existing } } : {}),
    },
    server: { ...server, ...given.server },
    ports: given.ports ?? [port('a', '10.0.0.5')],
    config: {
      ...config,
      openstack: { ...config.openstack, region: 'RegionOne' },
      nodes: { ...config.nodes, regionalProviderID: given.regional ?? false },
    },
  });
}

const INIT = { taints: [UNINITIALIZED] };
const made = node({ providerID: `openstack:///${ID}`, taints: [], labels });
const spec = { providerID: `openstack:///${ID}`, taints: [OTHER] };

// prettier-ignore
test.each<[string, Given, readonly object[], string?]>([
  ['a new one gets everything in one write of each half, addresses first, and other taints stay as they are', { spec: { taints: [UNINITIALIZED, OTHER] } }, [nodestatus, node({ providerID: `openstack:///${ID}`, taints: [OTHER], labels })]],
  ['with its region, where that is configured', { spec: { ...INIT, providerID: '' }, regional: true }, [nodestatus, node({ providerID: `openstack://RegionOne/${ID}`, taints: [], labels })]],
  ['the taint goes, of any effect, however often', { spec: { taints: [UNINITIALIZED, { ...UNINITIALIZED, effect: 'NoExecute' }] } }, [nodestatus, made]],
  ['once more when the taint is put back; a providerID that is set is never changed, in whatever spelling', { spec: { ...INIT, providerID: `kinx:///${ID}` } }, [nodestatus, node({ taints: [], labels })]],
  ['it waits for a provided IP that the cloud does not know (decision 104)', { spec: INIT, annotations: { 'alpha.kubernetes.io/provided-node-ip': '10.9.9.9' }, existing: addresses }, [], 'alpha.kubernetes.io/provided-node-ip'],
  ['it waits for a doubtful read', { spec: INIT, server: { addresses: {} }, existing: addresses }, [], 'status.addresses'],
  ['a server without addresses makes a Node without addresses, and that is said (recorded: rec-extra)', { spec: INIT, server: { addresses: {} }, ports: [], existing: [{ type: 'Hostname', address: 'web-1' }] }, [made], 'status.addresses'],
  ['afterwards addresses and labels are kept right; taints and providerID are let be (decision 104)', { spec, existing: [{ type: 'InternalIP', address: '10.0.0.6' }] }, [nodestatus, node({ labels })]],
  ['without addresses to give, those that are there stay, and labels are kept right', { spec, server: { addresses: {} }, existing: addresses }, [node({ labels })], 'status.addresses'],
  ['one whose kubelet never asked for a cloud provider gets addresses alone', { spec: { taints: [OTHER] } }, [nodestatus, node({})]],
  ['also without taints', {}, [nodestatus, node({})]],
])('of a Node: %s', (_, given, resources, problem) => {
  const desired = desire(given);
  expect(desired.resources).toStrictEqual(resources);
  expect(desired.problems.map(({ field }) => field)).toEqual(problem === undefined ? [] : [problem]);
});
