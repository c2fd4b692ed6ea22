import type { ReachConfig } from '../model/load-balancer/reach-and-limits.ts';
import type { ValuesOf } from './cloud-conf/options.ts';
import { didYouMean } from '../model/text/text.ts';
import { itemsOf, NotAllowed, type Read } from './read-value.ts';

/** The whole configuration, from files, flags and variables. Frozen. */
export interface Config extends ReachConfig {
  readonly clusterName: string;
  readonly controllers: readonly ControllerName[];
  /** Only Services with this spec.loadBalancerClass. Absent: only Services without one. */
  readonly loadBalancerClass?: string;
  readonly stateNamespace: string;
  /** The ServiceAccount that levelset runs as, `NAMESPACE/NAME`. */
  readonly serviceAccount: string;
  readonly reconcileTimeoutMs: number;
  readonly sweepIntervalMs: number;
  readonly concurrentServiceSyncs: number;
  /** A load balancer is made while fewer than so many of the project are in Octavia's hands. */
  readonly concurrentLoadBalancers: number;
  readonly openstack: OpenStackConfig;
  readonly loadBalancer: LoadBalancerConfig;
  /** The options of [LoadBalancer] that cloud.conf sets. The others have the default of the controller that made the load balancer. */
  readonly given?: readonly string[];
  /** `--service-limits`: what multiplies the limits of one Service. Absent: 1. */
  readonly serviceLimits?: number;
  /** `--drift=report`: what somebody changed in OpenStack is reported and left, unless a Service asks for its repair. */
  readonly drift?: 'report';
  /** [LoadBalancerClass "name"] of cloud.conf, which an annotation names. It has nothing to do with spec.loadBalancerClass. */
  readonly loadBalancerClasses: Readonly<Record<string, LoadBalancerClassConfig>>;
  readonly networking: NetworkingConfig;
  readonly nodes: NodeConfig;
  /** Of all Nodes, and of load balancers whose Service has vanished, what may be deleted within an hour. 0: none ever. */
  readonly deletionPercent: number;
  readonly orphanDelayMs: number;
  /** The addresses of the pods, as `parseCidr` spells them; at most one CIDR of each IP family. */
  readonly clusterCidrs: readonly string[];
  /** Absent: levelset makes no routes. Present: there is a cluster CIDR. */
  readonly route?: { readonly routerId: string };
}

export interface OpenStackConfig {
  readonly authUrl: string;
  readonly region?: string;
  readonly interface: 'public' | 'internal' | 'admin';
  readonly credentials: Credentials;
  readonly ca?: string;
  readonly cert?: string;
  readonly key?: string;
  readonly tlsInsecure: boolean;
  /** The time limit of one call: [Metadata] request-timeout of cloud.conf. */
  readonly requestTimeoutMs: number;
}

export type Credentials =
  | {
      readonly type: 'password';
      readonly user: { readonly id: string } | { readonly name: string; readonly domain: DomainRef };
      readonly password: string;
      readonly project: { readonly id: string } | { readonly name: string; readonly domain: DomainRef };
    }
  | {
      readonly type: 'application-credential';
      readonly id?: string;
      readonly name?: string;
      readonly user?: { readonly id: string } | { readonly name: string; readonly domain: DomainRef };
      readonly secret: string;
    };

export type DomainRef = { readonly id: string } | { readonly name: string };

export type LoadBalancerConfig = ValuesOf<'LoadBalancer'>;
export type LoadBalancerClassConfig = ValuesOf<'LoadBalancerClass'>;
export type NetworkingConfig = ValuesOf<'Networking'>;

export interface NodeConfig {
  /** `--regional-provider-id`, if there is a region. */
  readonly regionalProviderID: boolean;
}

/** The loops of a cloud-controller-manager, with their aliases (docs/sources/kubernetes.md, "Flags of the cloud-controller-manager"). */
const ALIASES = {
  'service-lb-controller': 'service',
  'cloud-node-controller': 'cloud-node',
  'cloud-node-lifecycle-controller': 'cloud-node-lifecycle',
  'node-route-controller': 'route',
} as const;

export type ControllerName = keyof typeof ALIASES;

export const CONTROLLER_NAMES = Object.keys(ALIASES) as readonly ControllerName[];

const KNOWN = CONTROLLER_NAMES.map((name) => `${name} (${ALIASES[name]})`).join(', ');

/** `--controllers`: `*` is all, `-name` turns one off; the first item that names it counts. Without `*` only named ones are on. */
export const controllersList: Read<readonly ControllerName[]> = (value) => {
  const given = itemsOf(value);
  const items = given.length === 0 ? ['*'] : given;
  const unknown = items.filter((item) => item !== '*' && nameOf(item) === undefined);
  if (unknown.length > 0) {
    const hint = didYouMean(bare(unknown[0] ?? ''), [...CONTROLLER_NAMES, ...Object.values(ALIASES)]);
    return new NotAllowed(`*, ${KNOWN}, each with a - before it to turn it off${hint}`, unknown);
  }
  const on = CONTROLLER_NAMES.filter((name) => isOn(name, items));
  return on.length > 0
    ? on
    : new NotAllowed('a list that leaves a controller on; it may begin with *, such as *,-route');
};

function isOn(name: ControllerName, items: readonly string[]): boolean {
  const first = items.find((item) => nameOf(item) === name);
  return first === undefined ? items.includes('*') : !first.startsWith('-');
}

function nameOf(item: string): ControllerName | undefined {
  return CONTROLLER_NAMES.find((name) => name === bare(item) || ALIASES[name] === bare(item));
}

function bare(item: string): string {
  return item.replace(/^-/, '');
}

interface Controlled {
  readonly controllers: readonly ControllerName[];
}

export function looksAfterServices(config: Controlled & { loadBalancer: { enabled: boolean } }): boolean {
  return config.loadBalancer.enabled && config.controllers.includes('service-lb-controller');
}

export function looksAfterNodes(config: Controlled): boolean {
  return (
    config.controllers.includes('cloud-node-controller') ||
    config.controllers.includes('cloud-node-lifecycle-controller')
  );
}

export function looksAfterRoutes(config: Controlled & { route?: object }): boolean {
  return config.route !== undefined && config.controllers.includes('node-route-controller');
}
