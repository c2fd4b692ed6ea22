import type { Config } from '../../config/config.ts';
import { ANNOTATION_PREFIX, KINX } from '../../model/annotation-prefixes.ts';
import { ANNOTATIONS, type AnnotationRow } from './annotations.ts';
import type { Parsed } from '../../model/text/parsers.ts';
import { isOfKinx, KINX_CHECKS, withKinxDefaults } from './service-config.ts';
import { readIntent, type ServiceIntent } from './service-intent.ts';
import type { Service } from '../../model/kubernetes.ts';
import { otherControllerOf } from '../../model/load-balancer/other-controllers.ts';
import type { WireResource } from '../../model/resources.ts';

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
