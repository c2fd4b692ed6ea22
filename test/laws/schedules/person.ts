/** Who edits the Services and the Nodes. */
import type { SandboxInside } from '../../../infra/sandbox/sandbox.ts';
import type { Service } from '../../../shared/model/kubernetes.ts';
import { aService } from '../../support/service.ts';
import { forceDelete } from '../../support/told.ts';
import { LOAD_BALANCER_NAME } from '../../support/shared-world.ts';
import { PORTS, type Edit, type Schedule, type ServiceName } from './schedule.ts';
import { nodePortOf, type Watch, type Wish } from './watch.ts';

const INTERNAL = 'service.beta.kubernetes.io/openstack-internal-load-balancer';
const LIMIT = 'loadbalancer.openstack.org/connection-limit';

/** The Services of a schedule. */
export function namesOf({ besides }: Pick<Schedule, 'besides'>): readonly ServiceName[] {
  return besides === 'none' ? ['web'] : ['web', 'api'];
}

type Wanted = Omit<Wish, 'uid'>;

/** What a person does, edit by edit. */
export function personOf({ kube }: SandboxInside, watch: Watch, schedule: Pick<Schedule, 'besides'>) {
  const wishes = new Map<ServiceName, Wanted>();
  const limits = new Map<ServiceName, number>();
  const isShared = schedule.besides === 'shared';
  const wishOf = (of: ServiceName): Wanted =>
    wishes.get(of) ?? { ports: [PORTS[of][0]], ranges: [], internal: false };
  const there = (of: ServiceName): Service | undefined =>
    kube.get('Service', 'default', of) as Service | undefined;
  /** The Service, unless it is on its way out: that one nobody edits. */
  const staying = (of: ServiceName): Service | undefined =>
    there(of)?.metadata.deletionTimestamp === undefined ? there(of) : undefined;
  const removeByForce = (of: ServiceName): void => {
    if (there(of)) forceDelete({ kube }, of);
  };
  const apply = (of: ServiceName): void => {
    if (there(of) && !staying(of)) return;
    const { ports, ranges, internal } = wishOf(of);
    const annotations = {
      ...{ [INTERNAL]: String(internal), [LIMIT]: String(limits.get(of) ?? -1) },
      ...(isShared && { [LOAD_BALANCER_NAME]: 'edge' }),
    };
    const asked = ports.map((port) => {
      return { name: `port-${port}`, port, targetPort: 8080, nodePort: nodePortOf(port) };
    });
    const spec = { ports: asked, loadBalancerSourceRanges: [...ranges] };
    kube.apply(aService({ name: of, annotations, spec }));
  };
  const change = (of: ServiceName, wish: Wanted): void => {
    wishes.set(of, wish);
    if (staying(of)?.spec.type === 'LoadBalancer') apply(of);
  };
  return (edit: Edit): void => {
    const { of = 'web' } = edit;
    if (!namesOf(schedule).includes(of)) return;
    const wish = wishOf(of);
    const second = kube.get('Node', undefined, 'node-2');
    switch (edit.do) {
      case 'ranges':
        change(of, { ...wish, ranges: edit.ranges });
        break;
      case 'ports':
        change(of, { ...wish, ports: edit.ports });
        break;
      case 'internal':
        // of those that share the one that made the load balancer decides
        if (!isShared) change(of, { ...wish, internal: edit.internal });
        break;
      case 'limit':
        limits.set(of, edit.limit);
        change(of, wish);
        break;
      case 'apply':
        apply(of);
        break;
      case 'delete':
        kube.delete('Service', 'default', of);
        break;
      case 'force-delete':
        removeByForce(of);
        break;
      case 'force-delete and apply':
        removeByForce(of);
        watch.wished(of, undefined);
        apply(of);
        break;
      case 'make it a ClusterIP':
        if (staying(of)) kube.apply(aService({ name: of, spec: { type: 'ClusterIP' } }));
        break;
      case 'a Node joins':
        if (!second) kube.addNode('node-2');
        break;
      case 'a Node leaves':
        if (second) kube.removeNode('node-2');
        break;
    }
    const service = staying(of);
    const isWanted = service?.spec.type === 'LoadBalancer';
    watch.wished(of, isWanted ? { ...wishOf(of), uid: service.metadata.uid } : undefined);
  };
}
