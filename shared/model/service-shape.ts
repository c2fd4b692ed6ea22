/** The types that Kubernetes gives the fields of a Service that levelset reads, for Services that no apiserver has checked. */

/** A field that has another type, and the value it has. */
interface Stray {
  readonly field: string;
  readonly value: unknown;
  readonly wanted: string;
}

type Shape = (value: unknown, field: string) => Stray | undefined;

function typed(wanted: string, is: (value: unknown) => boolean): Shape {
  return (value, field) => (is(value) ? undefined : { field, value, wanted });
}

const text = typed('a text', (value) => typeof value === 'string');
const transport = typed('TCP, UDP or SCTP', (value) => ['TCP', 'UDP', 'SCTP'].includes(String(value)));
const number = typed('a number', (value) => typeof value === 'number');
const anObject = typed(
  'an object',
  (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
);
const aList = typed('a list', Array.isArray);

function list(item: Shape): Shape {
  return (value, field) =>
    aList(value, field) ?? first(value as readonly unknown[], (one, at) => item(one, `${field}[${at}]`));
}

function map(item: Shape): Shape {
  return (value, field) =>
    anObject(value, field) ??
    first(Object.entries(value as object), ([key, one]) => item(one, `${field}["${key}"]`));
}

function object(
  needed: Readonly<Record<string, Shape>>,
  others: Readonly<Record<string, Shape>> = {},
): Shape {
  const fields = [...Object.entries(needed), ...Object.entries(others)];
  return (value, field) =>
    anObject(value, field) ??
    first(fields, ([name, shape]) => {
      const its = (value as Readonly<Record<string, unknown>>)[name];
      if (its === undefined && !Object.hasOwn(needed, name)) return undefined;
      return shape(its, field === '' ? name : `${field}.${name}`);
    });
}

function first<T>(items: readonly T[], find: (item: T, at: number) => Stray | undefined): Stray | undefined {
  for (const [at, item] of items.entries()) {
    const stray = find(item, at);
    if (stray) return stray;
  }
  return undefined;
}

/** The first field of a Service that has not the type that Kubernetes gives it; undefined: it can be read. */
export function strayIn(service: unknown): Stray | undefined {
  return SERVICE(service, '');
}

const SERVICE = object({
  metadata: object({ name: text, namespace: text }, { annotations: map(text), deletionTimestamp: text }),
  spec: object(
    { type: text },
    {
      ports: list(
        object({ port: number }, { name: text, protocol: transport, nodePort: number, appProtocol: text }),
      ),
      ipFamilies: list(text),
      loadBalancerSourceRanges: list(text),
      loadBalancerClass: text,
      loadBalancerIP: text,
      sessionAffinity: text,
      sessionAffinityConfig: object({}, { clientIP: object({}, { timeoutSeconds: number }) }),
      externalTrafficPolicy: text,
      healthCheckNodePort: number,
    },
  ),
});
