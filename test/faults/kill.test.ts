/**
 * kill -9 at every write of these stories. The first run of a story, without a kill, lists its writes and the world after
 * it. Then, for each write, the program is killed in a world of its own, and sweeps of a process without memory must lead to
 * the very same world.
 */
import { replacementApproval } from '../../shared/service/plan/plan-replacement.ts';
import type { SandboxWorld } from '../support/sandbox-world.ts';
import { aService } from '../support/service.ts';
import { killStories } from './kill-stories.ts';
import type { Story } from './story.ts';

const PORTS = [
  { name: 'http', port: 80 },
  { name: 'https', port: 443 },
];
const apply = (it: SandboxWorld, ports: readonly object[] = PORTS): void => {
  it.sandbox.kube.apply(aService({ spec: { ports } }));
};

const STORIES: readonly Story[] = [
  { name: 'create', act: apply },
  {
    name: 'change',
    // what it writes to Kubernetes is as in the other stories
    only: / \/(load-balancer|network)\//,
    before: apply,
    act: (it) => {
      apply(it, [...PORTS, { name: 'dns', port: 53, protocol: 'UDP' }]);
      it.sandbox.kube.addNode('node-9');
    },
  },
  {
    name: 'another load balancer, approved',
    before: apply,
    act: approveFlavor,
  },
  {
    name: 'delete',
    before: apply,
    act: (it) => {
      it.sandbox.kube.delete('Service', 'default', 'web');
    },
  },
];

const LARGE = { id: '5b4f0d8e-1d1a-4f4a-9a51-0d7a2a3b4c5d', name: 'large', description: '', enabled: true };

/** Another flavor, approved: which hash that takes, only this load balancer and this Service know. */
function approveFlavor(it: SandboxWorld): void {
  const [lb] = it.sandbox.cloud.loadbalancers;
  const { uid = '' } = it.sandbox.kube.get('Service', 'default', 'web')?.metadata ?? {};
  const change = { attribute: 'flavor_id', from: null, to: LARGE.id };
  it.sandbox.cloud.flavors.push(LARGE);
  const annotations = {
    'loadbalancer.openstack.org/flavor-id': LARGE.id,
    'levelset.openstack.org/approve': replacementApproval(uid, lb?.id ?? '', [change]),
  };
  it.sandbox.kube.apply(aService({ annotations, spec: { ports: PORTS } }));
}

killStories(STORIES);
