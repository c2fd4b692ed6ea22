/** Who edits the Services and the Nodes. */
import type { SandboxInside } from '../../../infra/sandbox/sandbox.ts';
import type { Service } from '../../../shared/model/kubernetes.ts';
import { aService } from '../../support/service.ts';
import { forceDelete, serviceOf } from '../../support/told.ts';
import { LOAD_BALANCER_NAME } from '../../support/shared-world.ts';
import { PORTS, type Change, type Edit, type Schedule, type ServiceName, type Wanted } from './schedule.ts';
import { nodePortOf, type Watch } from './watch.ts';

const INTERNAL = 'service.beta.kubernetes.io/openstack-internal-load-balancer';

/** The Services of a schedule. */
export const namesOf = ({ besides }: Pick<Schedule, 'besides'>): readonly ServiceName[] =>
  besides === 'none' ? ['web'] : ['web', 'api'];

/** What a person does, edit by edit. */
export function personOf({ kube }: SandboxInside, watch: Watch, schedule: Pick<Schedule, 'besides'>) {
  const wishes = new Map<ServiceName, Wanted>();
  const isShared = schedule.besides === 'shared';
  const wishOf = (of: ServiceName): Wanted =>
    wishes.get(of) ?? { ports: [PORTS[of][0]], ranges: [], internal: false };
  const there = (of: ServiceName): Service | undefined => serviceOf({ kube }, of);
  /** The Service, unless it is on its way out: that one nobody edits. */
  const staying = (of: ServiceName): Service | undefined =>
    there(of)?.metadata.deletionTimestamp === undefined ? there(of) : undefined;
  const removeByForce = (of: ServiceName): void => {
    if (there(of)) forceDelete({ kube }, of);
  };
  const apply = (of: ServiceName): void => {
    if (there(of) && !staying(of)) return;
    const { ports, ranges, internal } = wishOf(of);
    const annotations = { [INTERNAL]: String(internal), ...(isShared && { [LOAD_BALANCER_NAME]: 'edge' }) };
    const asked = ports.map((port) => {
      return { name: `port-${port}`, port, targetPort: 8080, nodePort: nodePortOf(port) };
    });
    const spec = { ports: asked, loadBalancerSourceRanges: [...ranges] };
    kube.apply(aService({ name: of, annotations, spec }));
  };
  const isSecondThere = (): boolean => kube.get('Node', undefined, 'node-2') !== undefined;
  const acts: Readonly<Record<Change, (of: ServiceName) => void>> = {
    apply,
    delete: (of) => {
      kube.delete('Service', 'default', of);
    },
    'force-delete': removeByForce,
    'force-delete and apply': (of) => {
      removeByForce(of);
      watch.wished(of, undefined);
      apply(of);
    },
    'make it a ClusterIP': (of) => {
      if (staying(of)) kube.apply(aService({ name: of, spec: { type: 'ClusterIP' } }));
    },
    'a Node joins': () => {
      if (!isSecondThere()) kube.addNode('node-2');
    },
    'a Node leaves': () => {
      if (isSecondThere()) kube.removeNode('node-2');
    },
  };
  return ({ of = 'web', wish, do: what }: Edit): void => {
    if (!namesOf(schedule).includes(of)) return;
    // of those that share the one that made the load balancer decides whether it is internal
    if (wish && !(isShared && 'internal' in wish)) {
      wishes.set(of, { ...wishOf(of), ...wish });
      if (staying(of)?.spec.type === 'LoadBalancer') apply(of);
    }
    if (what) acts[what](of);
    const service = staying(of);
    const isWanted = service?.spec.type === 'LoadBalancer';
    watch.wished(of, isWanted ? { ...wishOf(of), uid: service.metadata.uid } : undefined);
  };
}
