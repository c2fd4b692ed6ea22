import type { Config } from '../../config/config.ts';
import type { Service, ServicePort } from '../../model/kubernetes.ts';
import { ANNOTATION_PREFIX } from '../../model/annotation-prefixes.ts';
import type { ReferenceKind } from '../../model/attributes/attribute-row.ts';
import { LOAD_BALANCER_ADDRESS } from '../../model/ownership.ts';
import type { Problem } from '../../model/plan.ts';
import { KINX_LOAD_BALANCER_ID } from './service-config.ts';
import { ANNOTATIONS, PREFIXES, type AnnotationRow, type Targets } from './annotations.ts';
import { mayRefer, outOfReach } from '../../model/load-balancer/reach.ts';
import type { ReachConfig } from '../../model/load-balancer/reach.ts';
import { limitOf, tooMany } from '../../model/load-balancer/within-limits.ts';
import { didYouMean } from '../../model/text/did-you-mean.ts';

type Values<K extends keyof Targets> = { readonly [T in K]: Partial<Targets[T]> };

/** The values that annotations set for one port. */
export interface PortIntent extends Values<'listener' | 'pool' | 'member' | 'healthmonitor' | 'ServicePort'> {
  readonly spelled: Spelled;
}

/**
 * The annotation behind each value, by the attribute or setting, such as `listener.tls_versions`. A value without an
 * entry comes from cloud.conf or from a default.
 */
export type Spelled = Readonly<Partial<Record<string, Spelling>>>;

export interface Spelling {
  readonly name: string;
  readonly text: string;
  readonly ofOnePort: boolean;
  /** A Problem says why the annotation does not count. */
  readonly ignored?: true;
}

export interface Annotated extends Values<'loadbalancer' | 'floatingip' | 'Service'> {
  /** The annotations behind the values of the Service as a whole. */
  readonly spelled: Spelled;
  /** The ports, in the order of spec.ports. */
  readonly ports: readonly PortIntent[];
  readonly problems: readonly Problem[];
}

const OF_THE_SERVICE: readonly string[] = ['loadbalancer', 'floatingip', 'Service'];

/** Annotations that controllers write. They set nothing. */
const OUTPUT = [LOAD_BALANCER_ADDRESS, KINX_LOAD_BALANCER_ID];

type Named = Pick<ServicePort, 'name' | 'port'>;

interface Found {
  readonly name: string;
  readonly text: string;
}

/**
 * Reads all annotations of a Service. A valid value counts; a wrong one becomes a Problem, and its row says what counts.
 * `lastSelector` is the last node-selector that could be read. An annotation of levelset's own that is about ports may name one
 * port: `levelset.openstack.org/protocol.443`, or `….https`.
 */
export function readAnnotations(
  service: Pick<Service, 'metadata'> & { readonly spec: { readonly ports?: readonly Named[] } },
  config: Config,
  lastSelector?: string,
): Annotated {
  const annotations = service.metadata.annotations ?? {};
  const { namespace } = service.metadata;
  const reader = { config, namespace, lastSelector, read: new Map<string, unknown>() };
  const problems = new Map<string, Problem>();
  const known = new Set<string>(OUTPUT);
  const common = { loadbalancer: {}, floatingip: {}, Service: {}, spelled: {} };
  const ports = (service.spec.ports ?? []).map((port) => ({
    port,
    values: { listener: {}, pool: {}, member: {}, healthmonitor: {}, ServicePort: {}, spelled: {} },
  }));
  const set = (
    row: AnnotationRow,
    into: { readonly spelled: object },
    ofOnePort: readonly string[] = [],
  ): void => {
    const given = ofOnePort.flatMap((name) => foundAt(name, annotations));
    for (const { name } of given) known.add(name);
    const [one] = given;
    const found = one ?? findOne(row, annotations, problems);
    const value = read(row, found, reader, problems);
    if (found) {
      const ignored = problems.has(found.name) ? { ignored: true } : {};
      const spelling = { ...found, ofOnePort: one !== undefined, ...ignored };
      Object.assign(into.spelled, { [`${row.on}.${row.sets}`]: spelling });
    }
    if (value !== undefined)
      Object.assign((into as unknown as Record<string, object>)[row.on] ?? {}, { [row.sets]: value });
  };
  const ofOnePort = namesWithPort(Object.keys(annotations));
  for (const row of ANNOTATIONS) {
    for (const name of row.names) known.add(name);
    if (OF_THE_SERVICE.includes(row.on)) set(row, common);
    else {
      const names = row.names.filter((name) => ofOnePort.has(name));
      for (const { port, values } of ports) {
        set(
          row,
          values,
          names.flatMap((name) => ofPort(name, port)),
        );
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
  const unheard = new Map<string, Problem>();
  const found = row && findOne(row, metadata.annotations ?? {}, unheard);
  const reader = { config, namespace: metadata.namespace, lastSelector: undefined, read: new Map() };
  const value = row && found && readText(row, found, reader, unheard);
  return value as Targets['Service'][S] | undefined;
}

/** The spellings of `levelset.openstack.org/x` for one port: with the port's name, and with its number. */
function ofPort(name: string, port: Named): readonly string[] {
  if (!name.startsWith(ANNOTATION_PREFIX)) return [];
  return [...(port.name ? [`${name}.${port.name}`] : []), `${name}.${port.port}`];
}

/** The parts of these annotations in front of a dot: what a Service does not carry is not looked for at every port. */
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
function findOne(
  { names, parse, orNone }: AnnotationRow,
  annotations: Readonly<Record<string, string>>,
  problems: Map<string, Problem>,
): Found | undefined {
  const isRead = orNone ?? 'value' in parse('');
  const [found, ...others] = names
    .flatMap((name) => foundAt(name, annotations))
    .filter(({ name, text }) => isRead || !isEmpty(name, text));
  for (const { name, text } of others.filter((other) => other.text !== found?.text)) {
    const message = `is ignored: ${found?.name ?? ''} sets the same`;
    problems.set(name, { field: name, value: text, message });
  }
  return found;
}

function foundAt(name: string, annotations: Readonly<Record<string, string>>): readonly Found[] {
  const text = annotations[name];
  return text === undefined ? [] : [{ name, text }];
}

/** What one Service's annotations are read with. */
interface Reader {
  readonly config: Config;
  readonly namespace: string;
  readonly lastSelector: string | undefined;
  /** The values that were read, by annotation: one for all ports is read once. */
  readonly read: Map<string, unknown>;
}

function read(
  row: AnnotationRow,
  found: Found | undefined,
  reader: Reader,
  problems: Map<string, Problem>,
): unknown {
  if (!found) return row.otherwise?.(reader.config);
  if (!reader.read.has(found.name)) reader.read.set(found.name, readText(row, found, reader, problems));
  return reader.read.get(found.name);
}

function readText(
  row: AnnotationRow,
  { name, text }: Found,
  { config, namespace, lastSelector }: Reader,
  problems: Map<string, Problem>,
): unknown {
  if (row.orNone && isEmpty(name, text)) return undefined;
  const parsed = whyTooLong(row, text, config) ?? row.parse(text);
  if ('value' in parsed) {
    const stray = row.refers && idOutOfReach(parsed.value, namespace, row.refers, config);
    if (!row.refers || stray === undefined) return parsed.value;
    // it blocks: a default in its place could not change later, or would be less safe
    const message = `${outOfReach(namespace, row.refers, stray)}; levelset changes nothing until then`;
    problems.set(name, { field: name, value: stray, message, blocking: true });
    return undefined;
  }
  const about = { field: name, value: text };
  const must = `must be ${parsed.allowed}; levelset`;
  if (row.unreadable === 'default') {
    problems.set(name, { ...about, message: `${must} ignores it` });
    return row.otherwise?.(config);
  }
  const last = row.unreadable === 'last' && lastSelector !== undefined ? row.parse(lastSelector) : parsed;
  if ('value' in last) {
    problems.set(name, {
      ...about,
      message: `${must} goes on with ${lastSelector}, the last that it could read`,
    });
    return last.value;
  }
  problems.set(name, { ...about, message: `${must} changes nothing until it is`, blocking: true });
  return undefined;
}

/** The most characters of an annotation that is no list. An apiserver takes 256 kB. */
const LONGEST_TEXT = 4_096;

function whyTooLong(
  row: AnnotationRow,
  text: string,
  config: Config,
): { readonly allowed: string } | undefined {
  if (!row.list)
    return text.length > LONGEST_TEXT ? { allowed: `at most ${LONGEST_TEXT} characters long` } : undefined;
  const most = limitOf((row.refers ?? row.sets === 'tlsReferences') ? 'names' : 'entries', config);
  return text.split(',', most + 1).length > most
    ? { allowed: `a list of at most ${most} entries` }
    : undefined;
}

function unknownAnnotations(
  annotations: Readonly<Record<string, string>>,
  known: ReadonlySet<string>,
): readonly Problem[] {
  return (
    Object.entries(annotations)
      .filter(([key]) => PREFIXES.some((prefix) => key.startsWith(prefix)) && !known.has(key))
      // a Service may have thousands, and each hint looks at all names
      .map(([key, value], at) => ({
        field: key,
        value,
        message: `is no annotation that this version of levelset knows; levelset ignores it${at < 10 ? didYouMean(key, [...known]) : ''}`,
      }))
  );
}

/** The first of the ids that the Service may not refer to. */
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
