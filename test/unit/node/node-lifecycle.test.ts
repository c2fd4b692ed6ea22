import { expect, test } from 'vitest';
import { nodeLife, type LifecycleInput, type NodeLife } from '../../../shared/node/desired/node-lifecycle.ts';
import type { Taint } from '../../../shared/model/kubernetes.ts';
import { noteGone } from '../../../shared/model/node/node.ts';

const NOW = 1_000_000_000;
const PLACE = { projectId: 'p', region: 'R', serverId: 's' };
const GONE = 'levelset.openstack.org/server-gone';
const SHUTDOWN = { key: 'node.cloudprovider.kubernetes.io/shutdown', effect: 'NoSchedule' };
const OWN = { key: 'own', effect: 'NoExecute' };

interface Given {
  readonly ready?: 'True' | 'False' | 'Unknown';
  readonly taints?: readonly Taint[];
  readonly note?: string;
  readonly server: LifecycleInput['server'];
}

function life({ ready = 'Unknown', taints = [OWN], note, server }: Given): NodeLife {
  const annotations: Record<string, string> = note === undefined ? {} : { [GONE]: note };
  const node = {
    metadata: { name: 'n', uid: 'u', resourceVersion: '1', annotations },
    spec: { taints },
    status: {
      conditions: [
        {
          type: 'Ready',
          status: ready,
          reason: '',
          message: '',
          lastHeartbeatTime: '',
          lastTransitionTime: '',
        },
      ],
    },
  };
  return nodeLife({ node, server, place: PLACE, now: NOW });
}

const server = (status: 'ACTIVE' | 'SHUTOFF'): LifecycleInput['server'] => ({ id: 's', name: 'n', status });
const noted = (agoMs: number, place = PLACE): string => noteGone(NOW - agoMs, place);
const stays = { taints: [OWN], annotations: {}, leaves: false };

// prettier-ignore
test.each<readonly [what: string, given: Given, then: NodeLife]>([
  ['at work', { server: server('ACTIVE') }, stays],
  ['shut down', { server: server('SHUTOFF') }, { ...stays, taints: [OWN, SHUTDOWN] }],
  ['shut down, tainted already', { server: server('SHUTOFF'), taints: [SHUTDOWN, OWN] }, { ...stays, taints: [SHUTDOWN, OWN] }],
  ['started, not Ready yet', { server: server('ACTIVE'), taints: [SHUTDOWN] }, { ...stays, taints: [SHUTDOWN] }],
  ['Ready again', { ready: 'True', server: server('ACTIVE'), taints: [OWN, SHUTDOWN] }, stays],
  ['Ready while Nova says SHUTOFF', { ready: 'True', server: server('SHUTOFF') }, stays],
  ['Ready while its server is gone', { ready: 'True', server: 'gone', note: noted(90_000) }, { ...stays, annotations: { [GONE]: null } }],
  ['unknown', { server: 'unknown', taints: [SHUTDOWN], note: noted(90_000) }, { ...stays, taints: [SHUTDOWN] }],
  ['there again', { server: server('ACTIVE'), note: noted(90_000) }, { ...stays, annotations: { [GONE]: null } }],
  ['gone, seen first', { server: 'gone' }, { ...stays, annotations: { [GONE]: noteGone(NOW, PLACE) }, againInMs: 60_000 }],
  ['gone for 59 s', { server: 'gone', note: noted(59_000) }, { ...stays, againInMs: 1_000 }],
  ['gone for a minute', { server: 'gone', note: noted(60_000) }, { ...stays, leaves: true }],
  ['gone from another project before', { server: 'gone', note: noted(90_000, { ...PLACE, projectId: 'q' }) }, { ...stays, annotations: { [GONE]: noteGone(NOW, PLACE) }, againInMs: 60_000 }],
])('a Node whose server is %s', (_, given, then) => {
  expect(life(given)).toEqual(then);
});
