import type { Config } from '../../config/config.ts';
import type { Service, ServicePort } from '../../model/kubernetes.ts';
import { ANNOTATION_PREFIX } from '../../model/annotation-prefixes.ts';
import type { ReferenceKind } from '../../model/attributes/attribute-row.ts';
import { LOAD_BALANCER_ADDRESS } from '../../model/ownership.ts';
import type { Problem } from '../../model/plan.ts';
import { KINX_LOAD_BALANCER_ID } from './service-config.ts';
import { ANNOTATIONS, PREFIXES, type AnnotationRow, type Targets } from './annotations.ts';
import {
  mayRefer,
  outOfReach,
  type ReachConfig,
  limitOf,
  tooMany,
} from '../../model/load-balancer/reach-and-limits.ts';
import { didYouMean } from '../../model/text/text.ts';

type ValuesOf<K extends keyof Targets> = { readonly [T in K]: Partial<Targets[T]> };

export interface PortIntent extends ValuesOf<
  'listener' | 'pool' | 'member' | 'healthmonitor' | 'ServicePort'
> {
  readonly spelled: Spelled;
}

/** By attribute or setting, such as `listener.tls_versions`. A value without an entry comes from cloud.conf or from a default. */
type Spelled = Readonly<Partial<Record<string, Spelling>>>;

export interface Spelling {
  readonly name: string;
  readonly text: string;
  readonly ofOnePort: boolean;
  /** A Problem says why the annotation does not count. */
  readonly ignored?: true;
}

export interface Annotated extends ValuesOf<'loadbalancer' | 'floatingip' | 'Service'> {
  readonly spelled: Spelled;
  readonly ports: readonly PortIntent[];
  readonly problems: readonly Problem[];
}

/** Annotations that controllers write. They set nothing. */
const OUTPUT = [LOAD_BALANCER_ADDRESS, KINX_LOAD_BALANCER_ID];

type Named = Pick<ServicePort, 'name' | 'port'>;

interface Reader {
  readonly annotations: Readonly<Record<string, string>>;
  readonly namespace: string;
  readonly config: Config;
  readonly lastSelector?: string | undefined;
  readonly problems: Map<string, Problem>;
  /** The values that were read, by annotation: one for all ports is read once. */
  readonly values: Map<string, unknown>;
}

const readerOf = (
  { annotations = {}, namespace }: Service['metadata'],
  config: Config,
  lastSelector?: string,
): Reader => ({ annotations, namespace, config, lastSelector, problems: new Map(), values: new Map() });

/**
 * A valid value counts; a wrong one becomes a Problem, and its row says what counts. An annotation of levelset's own about ports may name one:
 * `levelset.openstack.org/protocol.443`, or `….https`. `lastSelector` is the last node-selector that could be read.
 */
export function readAnnotations(
  service: Pick<Service, 'metadata'> & { readonly spec: { readonly ports?: readonly Named[] } },
  config: Config,
  lastSelector?: string,
): Annotated {
  const reader = readerOf(service.metadata, config, lastSelector);
  const { annotations, problems } = reader;
  const known = new Set([...OUTPUT, ...ANNOTATIONS.flatMap(({ names }) => names)]);
  const common = { loadbalancer: {}, floatingip: {}, Service: {}, spelled: {} };
  const ports = (service.spec.ports ?? []).map((port) => ({
    port,
    values: { listener: {}, pool: {}, member: {}, healthmonitor: {}, ServicePort: {}, spelled: {} },
  }));
  const set = (row: AnnotationRow, values: object, ofOnePort: readonly string[] = []): void => {
    const given = ofOnePort.filter((one) => annotations[one] !== undefined);
    for (const one of given) known.add(one);
    const [one] = given;
    const name = one ?? nameOf(row, reader);
    const value = name === undefined ? row.otherwise?.(config) : valueOf(row, name, reader);
    const into = values as Readonly<Record<string, object>>;
    if (name !== undefined) {
      const ignored = problems.has(name) ? { ignored: true } : {};
      const spelling = { name, text: annotations[name], ofOnePort: one !== undefined, ...ignored };
      Object.assign(into['spelled'] ?? {}, { [`${row.on}.${row.sets}`]: spelling });
    }
    if (value !== undefined) Object.assign(into[row.on] ?? {}, { [row.sets]: value });
  };
  const ofOnePort = namesWithPort(Object.keys(annotations));
  for (const row of ANNOTATIONS) {
    if (row.on in common) set(row, common);
    else {
      const names = row.names.filter((name) => ofOnePort.has(name));
      for (const { port, values } of ports) {
        const ofPort = (name: string): readonly string[] =>
          [port.name, port.port].flatMap((which) => (which ? `${name}.${which}` : []));
        set(row, values, names.flatMap(ofPort));
      }
    }
  }
  const certificates = ports.flatMap(({ values: { ServicePort } }) => {
    const { tlsSecrets = [], tlsReferences = [] }: PortIntent['ServicePort'] = ServicePort;
    return [...tlsSecrets, ...tlsReferences];
  });
  const tooMuch = tooMany('tls-secret', 'certificates', new Set(certificates).size, config);
  if (tooMuch) {
    problems.set('tls-secret', tooMuch);
    for (const { values } of ports) Object.assign(values.ServicePort, { tlsSecrets: [], tlsReferences: [] });
  }
  return {
    ...common,
    ports: ports.map(({ values }) => values),
    problems: [...problems.values(), ...unknownAnnotations(annotations, known)],
  };
}

/** What the annotation of one setting of the whole Service says. Its Problems are dropped: `readAnnotations` reports them. */
export function readSetting<S extends keyof Targets['Service']>(
  { metadata }: Pick<Service, 'metadata'>,
  setting: S,
  config: Config,
): Targets['Service'][S] | undefined {
  const row = ANNOTATIONS.find(({ on, sets }) => on === 'Service' && sets === setting);
  const reader = readerOf(metadata, config);
  const name = row && nameOf(row, reader);
  const value = row && name !== undefined ? readText(row, name, reader) : undefined;
  return value as Targets['Service'][S] | undefined;
}

export type Values = Pick<PortIntent, 'spelled'>;

export function valueIn(values: Values, { on, sets }: AnnotationRow): unknown {
  return (values as Values & Readonly<Partial<Record<string, Readonly<Record<string, unknown>>>>>)[on]?.[
    sets
  ];
}

/** The parts of levelset's own annotations in front of a dot: what a Service does not carry is not looked for at every port. */
function namesWithPort(annotations: readonly string[]): ReadonlySet<string> {
  const names = new Set<string>();
  for (const name of annotations.filter((one) => one.startsWith(ANNOTATION_PREFIX)))
    for (let dot = name.indexOf('.', ANNOTATION_PREFIX.length); dot !== -1; dot = name.indexOf('.', dot + 1))
      names.add(name.slice(0, dot));
  return names;
}

/** Whether a value of another controller's annotation is empty, as charts render what nobody set. It is asked for each port. */
function isEmpty(name: string, text: string): boolean {
  return !name.startsWith(ANNOTATION_PREFIX) && text.length <= LONGEST_TEXT && text.trim() === '';
}

/** The first spelling that the Service carries. Further spellings with another value are Problems. */
function nameOf(
  { names, parse, orNone }: AnnotationRow,
  { annotations, problems }: Reader,
): string | undefined {
  const isRead = orNone ?? 'value' in parse('');
  const given = names.flatMap((name) => {
    const value = annotations[name];
    return value === undefined || (!isRead && isEmpty(name, value)) ? [] : [{ field: name, value }];
  });
  const [first] = given;
  for (const other of given.filter(({ value }) => value !== first?.value)) {
    const message = `has no effect: ${first?.field ?? ''} sets the same`;
    problems.set(other.field, { ...other, message });
  }
  return first?.field;
}

function valueOf(row: AnnotationRow, name: string, reader: Reader): unknown {
  if (!reader.values.has(name)) reader.values.set(name, readText(row, name, reader));
  return reader.values.get(name);
}

function readText(
  row: AnnotationRow,
  name: string,
  { annotations: { [name]: text = '' }, config, namespace, lastSelector, problems }: Reader,
): unknown {
  if (row.orNone && isEmpty(name, text)) return undefined;
  const wrong = (message: string, value = text, blocking = {}): void => {
    problems.set(name, { field: name, value, message, ...blocking });
  };
  const parsed = whyTooLong(row, text, config) ?? row.parse(text);
  if ('value' in parsed) {
    const stray = row.refers && idOutOfReach(parsed.value, namespace, row.refers, config);
    if (!row.refers || stray === undefined) return parsed.value;
    // it blocks: a default in its place could not change later, or would be less safe
    const message = `${outOfReach(namespace, row.refers, stray)}; until then the Service is blocked`;
    wrong(message, stray, { blocking: true });
    return undefined;
  }
  const must = `must be ${parsed.allowed}; levelset`;
  if (row.unreadable === 'default') {
    wrong(`${must} ignores it`);
    return row.otherwise?.(config);
  }
  const last = row.unreadable === 'last' && lastSelector !== undefined ? row.parse(lastSelector) : parsed;
  if ('value' in last) {
    wrong(`${must} goes on with ${lastSelector}, the last that it could read`);
    return last.value;
  }
  wrong(`must be ${parsed.allowed}; until it is, the Service is blocked`, text, { blocking: true });
  return undefined;
}

/** The most characters of an annotation that is no list. An apiserver takes 256 kB. */
const LONGEST_TEXT = 4_096;

function whyTooLong(
  { list, refers, sets }: AnnotationRow,
  text: string,
  config: Config,
): { readonly allowed: string } | undefined {
  if (!list)
    return text.length > LONGEST_TEXT ? { allowed: `at most ${LONGEST_TEXT} characters long` } : undefined;
  const most = limitOf((refers ?? sets === 'tlsReferences') ? 'names' : 'entries', config);
  return text.split(',', most + 1).length > most
    ? { allowed: `a list of at most ${most} entries` }
    : undefined;
}

function unknownAnnotations(
  annotations: Reader['annotations'],
  known: ReadonlySet<string>,
): readonly Problem[] {
  const unknown = Object.entries(annotations).filter(
    ([key]) => PREFIXES.some((prefix) => key.startsWith(prefix)) && !known.has(key),
  );
  return unknown.map(([field, value], at) => {
    // a Service may have thousands, and each hint looks at all names
    const hint = at < 10 ? didYouMean(field, [...known]) : '';
    const message = `is not an annotation that this version of levelset knows; levelset ignores it${hint}`;
    return { field, value, message };
  });
}

function idOutOfReach(
  ids: unknown,
  namespace: string,
  kind: ReferenceKind,
  config: ReachConfig,
): string | undefined {
  // whether the Service may use a load balancer is decided when that is found (joinIntent)
  if (kind === 'loadbalancer') return undefined;
  const all = [ids].flat().map(String);
  return all.find((id) => id !== '' && !mayRefer(config, namespace, kind, id));
}
