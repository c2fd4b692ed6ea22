import { isRecord } from '../model/json.ts';

/** Where a value is not what it must be, such as `.spec.type must be a string`; undefined: it is. */
type Check = (value: unknown) => string | undefined;

const text: Check = (value) => (typeof value === 'string' ? undefined : ' must be a string');
const number: Check = (value) => (typeof value === 'number' ? undefined : ' must be a number');

/** What is null is not there. */
const maybe =
  (check: Check): Check =>
  (value) =>
    value === undefined || value === null ? undefined : check(value);

const fields = (checks: Readonly<Record<string, Check>>): Check => {
  const all = Object.entries(checks);
  return (value) => {
    if (!isRecord(value)) return ' must be a map';
    for (const [field, check] of all) {
      const why = check(value[field]);
      if (why !== undefined) return `.${field}${why}`;
    }
    return undefined;
  };
};

const listOf =
  (check: Check): Check =>
  (value) => {
    if (!Array.isArray(value)) return ' must be a list';
    const at = value.findIndex((item) => check(item) !== undefined);
    return at < 0 ? undefined : `[${at}]${check(value[at])}`;
  };

const texts: Check = (value) => {
  if (!isRecord(value)) return ' must be a map';
  for (const key in value) if (typeof value[key] !== 'string') return `.${key} must be a string`;
  return undefined;
};

const names = {
  name: text,
  uid: text,
  resourceVersion: text,
  annotations: maybe(texts),
  finalizers: maybe(listOf(text)),
};
const metadata = fields(names);
const port = fields({ port: number, protocol: text });
const address = fields({ type: text, address: text });
const endpoint = fields({ addresses: maybe(listOf(text)) });

/** What levelset counts on in an apiserver's objects. ajv's code for it would be 18 kB of each function (decision 534). */
export const SHAPES = {
  Metadata: fields({ metadata }),
  Service: fields({
    metadata: fields({ ...names, namespace: text }),
    spec: fields({ type: text, ports: maybe(listOf(port)) }),
  }),
  Node: fields({ metadata, status: fields({ addresses: maybe(listOf(address)) }) }),
  EndpointSlice: fields({ metadata, addressType: text, endpoints: maybe(listOf(endpoint)) }),
  Pod: fields({ metadata }),
  Secret: fields({ metadata, data: maybe(texts) }),
  ConfigMap: fields({ metadata, data: maybe(texts) }),
  Lease: fields({ metadata, spec: maybe(fields({ holderIdentity: maybe(text) })) }),
};
