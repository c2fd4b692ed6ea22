import { expect, test } from 'vitest';
import type { Node } from '../../../shared/model/kubernetes.ts';
import { desireNode } from '../../../shared/node/desired/desire-node.ts';
import { aConfig } from '../../support/config.ts';

const ID = '37f488c2-1356-47a5-a903-bc3867f2a324';
const NEW = { key: 'node.cloudprovider.kubernetes.io/uninitialized', value: 'true', effect: 'NoSchedule' };
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
  ['a new one', { taints: [NEW, OTHER] }, { providerID: `openstack:///${ID}`, taints: [OTHER] }],
  ['with its region', { taints: [NEW] }, { providerID: `openstack://RegionOne/${ID}`, taints: [] }, true],
  ['one that kinx named', { taints: [NEW], providerID: `kinx:///${ID}` }, { taints: [] }],
  ['one that is initialised', { taints: [OTHER], providerID: `openstack:///${ID}` }, {}],
  ['one whose kubelet asked for no cloud provider', { taints: [OTHER] }, {}],
])('of a Node is written: %s', (_, spec, expected, isRegional) => {
  expect(written(spec, isRegional)).toEqual(expected);
});
