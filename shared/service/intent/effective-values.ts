import type { Problem } from '../../model/plan.ts';
import { ANNOTATIONS, type AnnotationRow } from './annotations.ts';
import type { Port } from './ports.ts';
import { optionPlace } from './service-config.ts';
import { valueIn, type Values } from './read-annotations.ts';
import type { ServiceIntent } from './service-intent.ts';

const DEFAULT = 'the default';

export interface EffectiveValue {
  /** The name of the annotation that sets it, without the prefix. For what no annotation sets alone: the attribute. */
  readonly setting: string;
  /** The number of the port. Absent: the value holds for the whole Service, or for all its ports. */
  readonly port?: number;
  readonly value: unknown;
  /** `annotation NAME`, `class NAME`, `cloud.conf KEY`, a flag, a field of the Service, or `the default`. */
  readonly setBy: string;
}

/** The values that hold for a Service, in the order of the table of annotations; none that nothing sets. For people. */
export function effectiveValues(intent: ServiceIntent): readonly EffectiveValue[] {
  const { ports, annotated, origins } = intent;
  return [
    // the protocol of a listener follows from several annotations and two fields of the port
    ...ports.map((port) => ({
      setting: 'listener.protocol',
      port: port.spec.port,
      value: port.listens,
      setBy: protocolSetBy(port, origins),
    })),
    ...ANNOTATIONS.flatMap((row) => {
      const [name = ''] = row.names;
      const setting = name.slice(name.indexOf('/') + 1);
      const ofField = valueOfField(row, intent);
      if (ofField) return [{ setting, ...ofField }];
      const ofRow = (values: Values, of: object): readonly EffectiveValue[] =>
        valueOf(row, values, intent).map((one) => ({ setting, ...of, ...one }));
      if (row.on in annotated) return ofRow(annotated, {});
      return together(
        ports.flatMap((port) => ofRow(port, { port: port.spec.port })),
        ports.length,
      );
    }),
  ];
}

/** The field to correct, where this annotation or its option has a wrong value. */
export function fieldOf(annotation: string, { annotated, origins }: ServiceIntent): string {
  const { on, sets, option } = ANNOTATIONS.find(({ names }) => names.includes(annotation)) ?? {};
  const { [`${on}.${sets}`]: spelling } = annotated.spelled;
  const from = option && origins.by[option];
  return spelling?.name ?? (from ? optionPlace(from, option) : annotation);
}

/** What the Service or cloud.conf says and does not count, since something else goes first. No Problem: all is as it should be. */
export function overruledValues(intent: ServiceIntent): readonly Problem[] {
  const annotations = ANNOTATIONS.flatMap((row) => {
    const { [`${row.on}.${row.sets}`]: spelling } = intent.annotated.spelled;
    const first = spelling && !spelling.ignored ? valueOfField(row, intent)?.setBy : undefined;
    if (!spelling || first === undefined) return [];
    return [{ field: spelling.name, value: spelling.text, message: `has no effect: ${first} goes first` }];
  });
  return [...intent.origins.overruled, ...annotations];
}

type Value = Pick<EffectiveValue, 'value' | 'setBy'>;

function valueOfField(
  { on, sets }: AnnotationRow,
  { ranges, internal, annotated, origins }: ServiceIntent,
): Value | undefined {
  if (on !== 'Service') return undefined;
  if (sets === 'sourceRanges' && ranges?.field.startsWith('spec.') && ranges.texts.length > 0)
    return { value: ranges.texts, setBy: ranges.field };
  if (sets === 'internal' && internal && annotated.Service.internal !== true)
    return { value: true, setBy: origins.by.internalLb ?? DEFAULT };
  const isOfFlag = annotated.spelled['Service.drift'] === undefined && annotated.Service.drift === 'report';
  if (sets === 'drift' && isOfFlag) return { value: 'report', setBy: '--drift' };
  return undefined;
}

function valueOf(row: AnnotationRow, values: Values, { origins }: ServiceIntent): readonly Value[] {
  const value = valueIn(values, row);
  if (value === undefined) return [];
  const { [`${row.on}.${row.sets}`]: spelling } = values.spelled;
  if (spelling && !spelling.ignored) return [{ value, setBy: `annotation ${spelling.name}` }];
  return [{ value, setBy: (row.option && origins.by[row.option]) ?? DEFAULT }];
}

/** The settings that make a TCP port speak something else, the first one first. */
const DECIDING: Readonly<Record<string, readonly string[]>> = {
  TERMINATED_HTTPS: ['tlsReferences', 'tlsSecrets', 'protocol'],
  HTTP: ['protocol', 'xForwardedFor', 'xForwardedPort', 'xForwardedProto'],
};

function protocolSetBy(
  { listens, spelled, ServicePort, index }: Port,
  { by }: ServiceIntent['origins'],
): string {
  const settings: Readonly<Record<string, unknown>> = { ...ServicePort };
  const deciding = (DECIDING[listens] ?? ['protocol']).filter(
    (one) => settings[one] !== undefined && settings[one] !== false,
  );
  const { name } = deciding.flatMap((one) => spelled[`ServicePort.${one}`] ?? [])[0] ?? {};
  if (name !== undefined) return `annotation ${name}`;
  if (listens === 'TERMINATED_HTTPS') return by.defaultTlsContainerRef ?? DEFAULT;
  return `spec.ports[${index}].${listens === 'HTTP' ? 'appProtocol' : 'protocol'}`;
}

function together(values: readonly EffectiveValue[], ports: number): readonly EffectiveValue[] {
  const [first] = values;
  const alike = new Set(values.map(({ value, setBy }) => JSON.stringify([value, setBy])));
  if (!first || values.length < ports || alike.size > 1) return values;
  const { setting, value, setBy } = first;
  return [{ setting, value, setBy }];
}
