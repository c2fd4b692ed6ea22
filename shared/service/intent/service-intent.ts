import type { Config } from '../../config/config.ts';
import type { Service } from '../../model/kubernetes.ts';
import type { Family } from '../../model/network/network-facts.ts';
import { renderNodeSelector, type NodeSelector } from '../../model/node/node-set.ts';
import type { ServiceState } from '../../model/service-object.ts';
import type { Problem } from '../../model/plan.ts';
import {
  isListed,
  mayJoin,
  mayRefer,
  tooMany,
  withinPorts,
} from '../../model/load-balancer/reach-and-limits.ts';
import { readAnnotations, readSetting, type Annotated } from './read-annotations.ts';
import { isProxied, portsOf, type Port } from './ports.ts';
import { configOf, type Origins, isOfKinx, KINX_CHECKS, withKinxDefaults } from './service-config.ts';
import { allowedRanges, readSourceRanges, type SourceRanges } from './source-ranges.ts';
import { ANNOTATION_PREFIX, KINX } from '../../model/annotation-prefixes.ts';
import { ANNOTATIONS, type AnnotationRow } from './annotations.ts';
import type { Parsed } from '../../model/text/parsers.ts';
import { otherControllerOf } from '../../model/load-balancer/makers-and-sharers.ts';
import type { JoinIntent } from '../../model/load-balancer/observed-service.ts';
import { LOAD_BALANCER_ADDRESS, sharedTag } from '../../model/ownership.ts';
import type { WireResource } from '../../model/resources.ts';

/** What one Service wants, by its spec, its annotations and the configuration, without knowledge of the cloud. */
export interface ServiceIntent {
  readonly service: Service;
  readonly annotated: Annotated;
  readonly ports: readonly Port[];
  readonly internal: boolean;
  /** cloud.conf makes the Service internal, and the Service itself does not. */
  readonly internalByConfig: boolean;
  readonly keepFloatingip: boolean;
  readonly publication: {
    readonly hostname?: string;
    /** Whether members of a port get the PROXY protocol, so that no traffic may bypass the load balancer. */
    readonly proxied: boolean;
    /** While `proxied`, a name below this domain is published in place of each IP address, for kube-proxies without ipMode. */
    readonly suffix?: string;
  };
  /** Undefined: it cannot be read, nor is it known what was read last, so no node becomes a member. */
  readonly nodeSelector: NodeSelector | undefined;
  /** The families of spec.ipFamilies. After `withFamilies` only those that the load balancer serves. */
  readonly families: readonly Family[];
  readonly family: Family;
  readonly ranges: SourceRanges | undefined;
  /** The ranges that may connect; null: everybody may. Over a family without a range here, nobody may. */
  readonly allowed_cidrs: readonly string[] | null;
  readonly rangeProblems: readonly Problem[];
  /** Whether spec.loadBalancerIP may name only a floating IP made for the Service, or kept for its namespace. */
  readonly onlyOwnFloatingIP: boolean;
  readonly floatingIPAllowed: boolean;
  readonly problems: readonly Problem[];
  readonly origins: Origins;
}

export function readIntent(asked: Service, config: Config, lastSelector?: string): ServiceIntent {
  const service = withinPorts(asked, config);
  const classed = configOf(service, config);
  const annotated = readAnnotations(service, classed.config, lastSelector);
  const settings = annotated.Service;
  const ports = portsOf(service, annotated);
  const families = familiesOf(service);
  const { sourceRanges = [] } = settings;
  const isOpen = sourceRanges.length + (service.spec.loadBalancerSourceRanges ?? []).length === 0;
  const ranges = isOpen ? undefined : readSourceRanges(service, sourceRanges, config);
  const tooMuch = tooMany('spec.ports', 'ports', asked.spec.ports?.length ?? 0, config);
  const { namespace } = service.metadata;
  const { loadBalancerIP: address = '' } = service.spec;
  return {
    service,
    annotated,
    ports,
    ...internalOf(service, config),
    // undefined: somebody wrote what cannot be read, and a floating IP that is deleted does not come back
    keepFloatingip: settings.keepFloatingip ?? true,
    publication: {
      ...(settings.hostname === undefined ? {} : { hostname: settings.hostname }),
      proxied: ports.some(isProxied),
      ...(settings.ingressHostname ? { suffix: config.loadBalancer.ingressHostnameSuffix } : {}),
    },
    nodeSelector: settings.nodeSelector,
    ranges,
    ...ofFamilies(ranges, families),
    onlyOwnFloatingIP: !mayRefer(config, namespace, 'floatingip', address),
    floatingIPAllowed: isListed(config, namespace, 'floatingip', address),
    problems: [...classed.problems, ...(tooMuch ? [tooMuch] : []), ...annotated.problems],
    origins: classed.origins,
  };
}

/** As in OCCM, no annotation makes a Service external if cloud.conf makes all internal (docs/sources/occm.md, "Internal Services and IPv6"). */
export function internalOf(
  service: Service,
  config: Config,
): Pick<ServiceIntent, 'internal' | 'internalByConfig'> {
  const { internalLb } = config.loadBalancer;
  const asks = readSetting(service, 'internal', config) === true;
  return { internal: asks || internalLb, internalByConfig: internalLb && !asks };
}

/** The families of spec.ipFamilies, which the apiserver fills in according to spec.ipFamilyPolicy. */
export function familiesOf({ spec }: Service): readonly Family[] {
  const families = (spec.ipFamilies ?? []).map((name): Family => (name === 'IPv6' ? 6 : 4));
  return families.length > 0 ? families : [4];
}

function ofFamilies(
  ranges: SourceRanges | undefined,
  families: readonly Family[],
): Pick<ServiceIntent, 'families' | 'family' | 'allowed_cidrs' | 'rangeProblems'> {
  const { cidrs, problems } = ranges ? allowedRanges(ranges, families) : { cidrs: null, problems: [] };
  return { families, family: families[0] ?? 4, allowed_cidrs: cidrs, rangeProblems: problems };
}

/** The intent for VIPs of these families. If none is a family of the Service, the intent does not change. */
export function withFamilies(intent: ServiceIntent, served: readonly Family[]): ServiceIntent {
  const families = intent.families.filter((family) => served.includes(family));
  if (families.length === 0) return intent;
  const { allowed_cidrs, rangeProblems } = ofFamilies(intent.ranges, served);
  return { ...intent, families, family: families[0] ?? intent.family, allowed_cidrs, rangeProblems };
}

/** Whether a Service wants a floating IP. IPv6 VIPs need none (docs/sources/occm.md, "Internal Services and IPv6"). */
export function wantsFloatingIP(intent: ServiceIntent): boolean {
  return !intent.internal && intent.families.includes(4);
}

/** A longer node-selector is not kept: many states share a ConfigMap. */
const LONGEST_SELECTOR = 500;

export function selectorOf(intent: ServiceIntent | undefined): Pick<ServiceState, 'nodeSelector'> {
  if (!intent?.nodeSelector || !intent.annotated.spelled['Service.nodeSelector']) return {};
  const nodeSelector = renderNodeSelector(intent.nodeSelector);
  return nodeSelector.length > LONGEST_SELECTOR ? {} : { nodeSelector };
}

/** The provider of a load balancer that exists never changes; that in cloud.conf is for new ones. */
function ofProvider(config: Config, provider: unknown): Config {
  if (typeof provider !== 'string') return config;
  return { ...config, loadBalancer: { ...config.loadBalancer, lbProvider: provider } };
}

export interface Reading {
  readonly intent?: ServiceIntent;
  /** With the defaults of the controller that made the load balancer, and the load balancer's provider. */
  readonly config: Config;
  /** The same for a load balancer that takes this one's place: its provider is that of cloud.conf. */
  readonly asNew: Config;
  readonly approved: readonly string[];
  /** Of a load balancer that OCCM made: the attributes that annotations set which it does not know, or reads otherwise (decision 431). */
  readonly readOtherwise?: ReadonlySet<string>;
}

export function readAsOtherController(
  service: Service | undefined,
  loadBalancer: WireResource | undefined,
  config: Config,
  lastSelector?: string,
): Reading {
  const isKinx = loadBalancer !== undefined && otherControllerOf(loadBalancer) === 'kinx';
  // kinx made no floating IPs, so the published address is the VIP
  const controller = isKinx ? withKinxDefaults(config, { internalLb: true }) : config;
  const own = ofProvider(controller, loadBalancer?.['provider']);
  const configs = { config: own, asNew: ofProvider(own, config.loadBalancer.lbProvider) };
  if (!service) return { ...configs, approved: [] };
  const intent = readIntent(service, own, lastSelector);
  const approved = [...(intent.annotated.Service.approved ?? [])].sort();
  if (isKinx) return { ...configs, intent: withoutDescription(intent), approved };
  if (!loadBalancer) return { ...configs, intent, approved };
  return { ...configs, intent, approved, readOtherwise: readOtherwise(service) };
}

/** kinx's driver reads in the description how the load balancer behaves (decision 7). */
function withoutDescription(intent: ServiceIntent): ServiceIntent {
  const { description, ...Service } = intent.annotated.Service;
  if (description === undefined) return intent;
  const message = 'is ignored: kinx made the load balancer, and its driver reads the description';
  return {
    ...intent,
    annotated: { ...intent.annotated, Service },
    problems: [...intent.problems, { field: `${ANNOTATION_PREFIX}description`, value: description, message }],
  };
}

const CHECKED_AS_KINX = ANNOTATIONS.flatMap(({ option, becomes = '' }) =>
  option !== undefined && option in KINX_CHECKS ? [becomes] : [],
);

function readOtherwise({ metadata: { annotations = {} } }: Service): ReadonlySet<string> {
  const targets = ANNOTATIONS.flatMap((row) =>
    Object.entries(annotations)
      .filter(([key]) =>
        row.names.some((name) => key === name || (isOwn(name) && key.startsWith(`${name}.`))),
      )
      .filter(([key, text]) => isOwn(key) || !isPlain(row, text))
      .map(() => row.becomes ?? ''),
  );
  return new Set([
    ...targets,
    // kinx's protocol brings a header, and any of its annotations its defaults of health checks
    ...(targets.includes('listener.protocol') ? ['listener.insert_headers'] : []),
    ...(Object.keys(annotations).some(isOfKinx) ? CHECKED_AS_KINX : []),
  ]);
}

function isOwn(key: string): boolean {
  return key.startsWith(ANNOTATION_PREFIX) || key.startsWith(KINX);
}

/** Whether OCCM takes the text, too: it wants booleans, numbers and words exactly (docs/sources/occm.md, "Annotations"). */
function isPlain({ sets, parse, orNone, otherwise }: AnnotationRow, text: string): boolean {
  if (sets === 'sourceRanges') return true; // it splits them as levelset does
  if (text === '') return orNone ?? otherwise === undefined;
  const read: Parsed<unknown> = parse(text);
  if ('allowed' in read || text !== text.trim()) return false;
  const { value } = read;
  if (typeof value === 'number') return /^[-+]?\d+$/.test(text);
  if (typeof value === 'boolean') return text === String(value);
  // true, v1 and v2 are the PROXY protocol
  return typeof value !== 'string' || text === (value.startsWith('PROXY') ? text.toLowerCase() : value);
}

/** The load balancer to share with others (decision 20), read before the rest of the intent: its maker decides how that is read. */
export function joinIntent(service: Service, config: Config): JoinIntent {
  const id = readSetting(service, 'loadBalancerId', config) ?? '';
  const name = readSetting(service, 'loadBalancerName', config);
  const { namespace, annotations = {} } = service.metadata;
  return {
    ...(id === '' ? {} : { id }),
    noted: annotations[LOAD_BALANCER_ADDRESS] !== undefined,
    ...(name === undefined ? {} : { tag: sharedTag(namespace, name) }),
    internal: internalOf(service, config).internal,
    limit: config.loadBalancer.maxSharedLb,
    hasConsent: (loadBalancer) => mayJoin(config, namespace, loadBalancer),
  };
}
