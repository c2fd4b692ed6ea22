import type { Config } from '../../config/config.ts';
import { ANNOTATION_PREFIX, KINX } from '../../model/annotation-prefixes.ts';
import { ANNOTATIONS, type AnnotationRow } from './annotations.ts';
import type { Parsed } from '../../model/text/parsers.ts';
import { withKinxDefaults } from './service-config.ts';
import { readIntent, type ServiceIntent } from './service-intent.ts';
import type { Service } from '../../model/kubernetes.ts';
import { dialectOf } from '../../model/load-balancer/other-controllers.ts';
import type { WireResource } from '../../model/resources.ts';

/**
 * The configuration with this provider. The provider of a load balancer that exists never changes; that in cloud.conf
 * is for new load balancers.
 */
function ofProvider(config: Config, provider: unknown): Config {
  if (typeof provider !== 'string') return config;
  return { ...config, loadBalancer: { ...config.loadBalancer, lbProvider: provider } };
}

/** The intent of a Service, and the configuration by which it was read. */
export interface Reading {
  /** Undefined if the Service is gone. */
  readonly intent?: ServiceIntent;
  /**
   * The configuration with the defaults of the controller that made the load balancer, and the load balancer's
   * provider.
   */
  readonly config: Config;
  /** The same for a load balancer that takes this one's place: its provider is that of cloud.conf. */
  readonly asNew: Config;
  /** Hashes of the changes that the Service approves, sorted. */
  readonly approved: readonly string[];
  /** Present if OCCM made the load balancer: what it read otherwise, and the intent as it read it. */
  readonly byGo?: { readonly targets: ReadonlySet<string>; readonly intent?: ServiceIntent };
}

/** Reads the intent with the defaults of the controller that made the load balancer. */
export function readAsDialect(
  service: Service | undefined,
  loadBalancer: WireResource | undefined,
  config: Config,
  lastSelector?: string,
): Reading {
  const isKinx = loadBalancer !== undefined && dialectOf(loadBalancer) === 'kinx';
  // kinx made no floating IPs, so the published address is the VIP
  const dialect = isKinx ? withKinxDefaults(config, { internalLb: true }) : config;
  const own = ofProvider(dialect, loadBalancer?.['provider']);
  const configs = { config: own, asNew: ofProvider(own, config.loadBalancer.lbProvider) };
  if (!service) return { ...configs, approved: [] };
  const intent = readIntent(service, own, lastSelector);
  const approved = [...(intent.annotated.Service.approved ?? [])].sort();
  if (isKinx) return { ...configs, intent: withoutDescription(intent), approved };
  if (!loadBalancer) return { ...configs, intent, approved };
  const { targets, asGo } = readOtherwise(service);
  const byGo = { targets, ...(asGo ? { intent: readIntent(asGo, own, lastSelector) } : {}) };
  return { ...configs, intent, approved, byGo };
}

/**
 * The intent without a description: kinx's driver reads in the description how the load balancer behaves (decision 7).
 */
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

/**
 * What the annotations set that OCCM does not know, or reads otherwise than levelset (decision 431), and the Service
 * without the latter; absent if there are none.
 */
function readOtherwise(service: Service): {
  readonly targets: ReadonlySet<string>;
  readonly asGo?: Service;
} {
  const { annotations = {} } = service.metadata;
  const others = ANNOTATIONS.flatMap((row) =>
    Object.entries(annotations)
      .filter(([key]) =>
        row.names.some((name) => key === name || (isOwn(name) && key.startsWith(`${name}.`))),
      )
      .filter(([key, text]) => isOwn(key) || !isPlain(row, text))
      .map(([key]) => ({ key, target: row.becomes ?? '' })),
  );
  const targets = new Set(others.map(({ target }) => target));
  // kinx's protocol brings a header
  if (targets.has('listener.protocol')) targets.add('listener.insert_headers');
  const left = new Set(others.flatMap(({ key }) => (isOwn(key) ? [] : [key])));
  if (left.size === 0) return { targets };
  const asGo = Object.fromEntries(Object.entries(annotations).filter(([key]) => !left.has(key)));
  return { targets, asGo: { ...service, metadata: { ...service.metadata, annotations: asGo } } };
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
