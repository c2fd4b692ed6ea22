/** What the stories of test/scenarios/node/node-lifecycle.test.ts do not come to. */
import { expect, test } from 'vitest';
import { nodeLife } from '../../../shared/node/desired/desire-node.ts';
import { noteGone } from '../../../shared/model/node/node.ts';

const NOW = 1_000_000_000;
const PLACE = { projectId: 'p', region: 'R', serverId: 's' };
const SHUTDOWN = { key: 'node.cloudprovider.kubernetes.io/shutdown', effect: 'NoSchedule' };
const annotations = { 'levelset.openstack.org/server-gone': noteGone(NOW - 90_000, PLACE) };

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
