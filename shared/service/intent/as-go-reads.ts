import type { Service } from '../../model/kubernetes.ts';
import { ANNOTATION_PREFIX, KINX } from '../../model/annotation-prefixes.ts';
import { targetOf } from './annotation-row.ts';
import type { AnnotationRow } from './annotation-row.ts';
import { ANNOTATIONS } from './annotations.ts';
import type { Parsed } from '../../model/text/parsers.ts';

/**
 * What the annotations set that the Go provider does not know, or reads otherwise than levelset (decision 431), and the Service
 * without the latter; absent if there are none.
 */
export function readOtherwise(service: Service): {
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
      .map(([key]) => ({ key, target: targetOf(row)?.join('.') ?? '' })),
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

/** Whether the Go provider takes the text, too: it wants booleans, numbers and words exactly (docs/sources/go-provider.md, "Annotations"). */
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
