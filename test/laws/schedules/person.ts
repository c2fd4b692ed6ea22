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

export class Person {
  readonly #kube: SandboxInside['kube'];
  readonly #watch: Watch;
  readonly #schedule: Pick<Schedule, 'besides'>;
  readonly #wishes = new Map<ServiceName, Omit<Wish, 'uid'>>();
  readonly #limits = new Map<ServiceName, number>();

  constructor({ kube }: SandboxInside, watch: Watch, schedule: Pick<Schedule, 'besides'>) {
    this.#kube = kube;
    this.#watch = watch;
    this.#schedule = schedule;
  }

  edit(edit: Edit): void {
    const { of = 'web' } = edit;
    if (!namesOf(this.#schedule).includes(of)) return;
    const wish = this.#wishOf(of);
    switch (edit.do) {
      case 'ranges':
        this.#change(of, { ...wish, ranges: edit.ranges });
        break;
      case 'ports':
        this.#change(of, { ...wish, ports: edit.ports });
        break;
      case 'internal':
        // of those that share the one that made the load balancer decides
        if (this.#schedule.besides !== 'shared') this.#change(of, { ...wish, internal: edit.internal });
        break;
      case 'limit':
        this.#limits.set(of, edit.limit);
        this.#change(of, wish);
        break;
      case 'apply':
        this.#apply(of);
        break;
      case 'delete':
        this.#kube.delete('Service', 'default', of);
        break;
      case 'force-delete':
        this.#forceDelete(of);
        break;
      case 'force-delete and apply':
        this.#forceDelete(of);
        this.#watch.wished(of, undefined);
        this.#apply(of);
        break;
      case 'make it a ClusterIP':
        if (this.#service(of)) this.#kube.apply(aService({ name: of, spec: { type: 'ClusterIP' } }));
        break;
      case 'a Node joins':
        if (!this.#kube.get('Node', undefined, 'node-2')) this.#kube.addNode('node-2');
        break;
      case 'a Node leaves':
        if (this.#kube.get('Node', undefined, 'node-2')) this.#kube.removeNode('node-2');
        break;
    }
    const service = this.#service(of);
    const isWanted = service?.spec.type === 'LoadBalancer';
    this.#watch.wished(of, isWanted ? { ...this.#wishOf(of), uid: service.metadata.uid } : undefined);
  }

  #wishOf(of: ServiceName): Omit<Wish, 'uid'> {
    return this.#wishes.get(of) ?? { ports: [PORTS[of][0]], ranges: [], internal: false };
  }

  /** The Service, unless it is on its way out: that one nobody edits. */
  #service(of: ServiceName): Service | undefined {
    const service = this.#kube.get('Service', 'default', of) as Service | undefined;
    return service?.metadata.deletionTimestamp === undefined ? service : undefined;
  }

  #forceDelete(of: ServiceName): void {
    if (this.#kube.get('Service', 'default', of)) forceDelete({ kube: this.#kube }, of);
  }

  #change(of: ServiceName, wish: Omit<Wish, 'uid'>): void {
    this.#wishes.set(of, wish);
    if (this.#service(of)?.spec.type === 'LoadBalancer') this.#apply(of);
  }

  #apply(of: ServiceName): void {
    const isLeaving = this.#kube.get('Service', 'default', of) !== undefined && !this.#service(of);
    if (isLeaving) return;
    const { ports, ranges, internal } = this.#wishOf(of);
    this.#kube.apply(
      aService({
        name: of,
        annotations: {
          ...{ [INTERNAL]: String(internal), [LIMIT]: String(this.#limits.get(of) ?? -1) },
          ...(this.#schedule.besides === 'shared' && { [LOAD_BALANCER_NAME]: 'edge' }),
        },
        spec: {
          ports: ports.map((port) => ({
            ...{ name: `port-${port}`, port, targetPort: 8080, nodePort: nodePortOf(port) },
          })),
          loadBalancerSourceRanges: [...ranges],
        },
      }),
    );
  }
}
