import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { loadWithoutCloud } from '../../shared/config/load.ts';
import type { Config } from '../../shared/config/config.ts';
import type { Problem } from '../../shared/model/plan.ts';
import { printable } from '../../shared/model/text/text.ts';
import { noteOf } from '../../shared/report/condition.ts';
import { manifestProblems } from '../../shared/service/desired/desire-service.ts';
import { CLASS } from '../../shared/service/intent/service-config.ts';
import { counted, misused, printObjects, printsObjects, reading, type RunCommand } from './command.ts';
import { LineCounter, parseAllDocuments, type Document, type ScalarTag } from 'yaml';
import { fieldsOf, isRecord } from '../../shared/model/json.ts';
import { fields, listOf, maybe, number, string, texts, typed } from '../../shared/model/shape.ts';
import type { Service } from '../../shared/model/kubernetes.ts';

/** One mistake in a manifest. Without `service` the document could not be read. */
interface Mistake extends Partial<Problem> {
  readonly file: string;
  readonly line: number;
  readonly service?: string;
  readonly message: string;
}

/** `levelset lint`: what a run would say of the Services in manifests. Without --cloud-config every class may exist. */
export const lintCommand: RunCommand = async (given, flags, env) => {
  // no manifest is read with how OpenStack is reached
  const config = (await loadWithoutCloud(flags, env)) as Config;
  const knowsClasses = flags.cloudConfig !== undefined || Boolean(env['LEVELSET_CLOUD_CONFIG_TEXT']);
  const mistakes: Mistake[] = [];
  const files = (await Promise.all(given.map(filesOf))).flat();
  let services = 0;
  for (const file of files) {
    const content = await (file === '-' ? text(process.stdin) : reading(file, readFile(file, 'utf8')));
    for (const read of readServices(content)) {
      if ('message' in read) {
        mistakes.push({ file, ...read });
        continue;
      }
      services += 1;
      const { name, service, lineOf, problems } = read;
      const found = [...problems, ...(service ? manifestProblems(service, config) : [])]
        .filter(({ field }) => field !== CLASS || knowsClasses)
        .map((problem) => ({ file, line: lineOf(problem.field), service: name, ...problem }));
      mistakes.push(...found.sort((one, other) => one.line - other.line));
    }
  }
  if (printsObjects(flags)) await printObjects(mistakes, flags);
  else {
    for (const mistake of mistakes) console.log(render(mistake));
    console.log(
      `${counted(services, 'Service')} of type LoadBalancer in ${counted(files.length, 'file')}: ${counted(mistakes.length, 'mistake')}.`,
    );
  }
  return mistakes.length > 0 ? 1 : 0;
};

function render({ file, line, service, field = '', value = '', message }: Mistake): string {
  const what = service === undefined ? message : `${service}: ${noteOf({ field, value, message })}`;
  return printable(`${file}:${line}: ${what}`);
}

/** Those that kubectl would take of a folder. */
async function filesOf(path: string): Promise<readonly string[]> {
  if (path === '-' || !(await reading(path, stat(path))).isDirectory()) return [path];
  const names = await reading(path, readdir(path));
  const found = names.filter((name) => /\.(ya?ml|json)$/.test(name));
  if (found.length > 0) return found.map((name) => join(path, name));
  throw misused(`${path} has no manifest: no .yaml, .yml or .json`);
}

interface ReadService {
  /** `NAMESPACE/NAME` */
  readonly name: string;
  /** Undefined if a field has another type than in Kubernetes, which is a problem. */
  readonly service?: Service;
  /** What no apiserver takes. */
  readonly problems: readonly Problem[];
  /** The line of a field, such as `spec.ports`, or of an annotation; that of the object if it has none there. */
  readonly lineOf: (field: string) => number;
}

/** Why a document cannot be read. It repeats nothing of the text. */
interface Unreadable {
  readonly line: number;
  readonly message: string;
}

type Path = readonly (string | number)[];
type Json = Readonly<Record<string, unknown>>;

/** The Services of type LoadBalancer in the YAML or JSON documents of a text, and in their Lists. All other objects are passed over. */
export function readServices(text: string): readonly (ReadService | Unreadable)[] {
  const lines = new LineCounter();
  const documents = parseAllDocuments(text, {
    ...{ lineCounter: lines, prettyErrors: false, logLevel: 'error', merge: true },
    customTags: (tags) => [SPOKEN, ...tags],
  });
  return [...documents].flatMap((document): readonly (ReadService | Unreadable)[] => {
    const [error] = document.errors;
    const line = (offset: number): number => lines.linePos(offset).line;
    if (error) return [{ line: line(error.pos[0]), message: `is not valid YAML (${error.code})` }];
    const value = treeOf(document);
    if (value === undefined) return [{ line: line(document.range[0]), message: NO_TREE }];
    return objectsIn(value, []).flatMap(([object, path]) =>
      isLoadBalancer(object) ? [readService(object, lineIn(document, path, line))] : [],
    );
  });
}

/** What kubectl takes for true or false, as YAML 1.1 does. */
const SPOKEN: ScalarTag = {
  tag: 'tag:yaml.org,2002:bool',
  default: true,
  test: /^(?:y|Y|yes|Yes|YES|on|On|ON|n|N|no|No|NO|off|Off|OFF)$/,
  resolve: (text) => /^(?:y|on$)/i.test(text),
};

const NO_TREE =
  'has an alias that stands for nothing, for something that it is in itself, or for too much: write it out';

/** The objects of a document; undefined if its aliases do not end. */
function treeOf(document: Document): unknown {
  try {
    const value: unknown = document.toJS({ maxAliasCount: 1_000 });
    JSON.stringify(value);
    return value ?? null;
  } catch {
    return undefined;
  }
}

function objectsIn(value: unknown, path: Path): readonly (readonly [Json, Path])[] {
  if (!isRecord(value)) return [];
  const { kind, items } = value;
  if (!String(kind).endsWith('List') || !Array.isArray(items)) return [[value, path]];
  return items.flatMap((item, index) => objectsIn(item, [...path, 'items', index]));
}

function isLoadBalancer({ kind, apiVersion, spec }: Json): boolean {
  return kind === 'Service' && apiVersion === 'v1' && fieldsOf(spec)['type'] === 'LoadBalancer';
}

function lineIn(document: Document, path: Path, line: (offset: number) => number): (field: string) => number {
  const at = (names: Path): number | undefined => {
    const range = fieldsOf(document.getIn([...path, ...names], true))['range'];
    return Array.isArray(range) ? line(Number(range[0])) : undefined;
  };
  return (field) =>
    at(['metadata', 'annotations', field]) ??
    at(field.split(/[.[\]]+/).filter((name) => name !== '')) ??
    at(['metadata', 'name']) ??
    at(['kind']) ??
    1;
}

function readService(object: Json, lineOf: (field: string) => number): ReadService {
  const metadata = withoutNull(object['metadata']);
  const { ports, ...spec } = withoutNull(object['spec']);
  const { generateName, name = generateName ?? 'unnamed', namespace = 'default', annotations } = metadata;
  const given = Object.entries(fieldsOf(annotations));
  const noTexts = given
    .filter(([, value]) => typeof value !== 'string')
    .map(([field, value]) => strange(field, value, 'is not a text', ': write the value in quotes'));
  const texts = given.map(([key, value]) => [key, textOr(value, JSON.stringify(value))] as const);
  const service = {
    metadata: {
      ...{ uid: '', resourceVersion: '', name, namespace },
      annotations: isRecord(annotations) ? Object.fromEntries(texts) : annotations,
    },
    spec: { ...spec, ports: Array.isArray(ports) ? ports.map(withProtocol) : ports },
  };
  const stray = SERVICE(service);
  return {
    name: `${textOr(namespace, 'default')}/${textOr(name, 'unnamed')}`,
    ...(!stray && { service: service as unknown as Service }),
    problems: [
      ...noTexts,
      ...(stray ? [strange(stray.field.slice(1), stray.value, `must be ${stray.wanted}`)] : []),
    ],
    lineOf,
  };
}

const transport = typed('TCP, UDP or SCTP', (value) => ['TCP', 'UDP', 'SCTP'].includes(String(value)));

/** The types that Kubernetes gives what levelset reads of a Service. */
const SERVICE = fields({
  metadata: fields({ name: string, namespace: string, annotations: maybe(texts) }),
  spec: fields({
    type: string,
    ports: maybe(
      listOf(
        fields({
          ...{ port: number, protocol: transport, name: maybe(string) },
          ...{ nodePort: maybe(number), appProtocol: maybe(string) },
        }),
      ),
    ),
    ipFamilies: maybe(listOf(string)),
    loadBalancerSourceRanges: maybe(listOf(string)),
    loadBalancerClass: maybe(string),
    loadBalancerIP: maybe(string),
    sessionAffinity: maybe(string),
    sessionAffinityConfig: maybe(fields({ clientIP: maybe(fields({ timeoutSeconds: maybe(number) })) })),
    externalTrafficPolicy: maybe(string),
    healthCheckNodePort: maybe(number),
  }),
});

function strange(field: string, value: unknown, what: string, remedy = ''): Problem {
  const text = value === undefined ? '' : JSON.stringify(value);
  return { field, value: text, message: `${what}, and Kubernetes takes no Service with it${remedy}` };
}

function withoutNull(value: unknown): Json {
  return Object.fromEntries(Object.entries(fieldsOf(value)).filter(([, its]) => its !== null));
}

function withProtocol(port: unknown): unknown {
  return isRecord(port) ? { protocol: 'TCP', ...withoutNull(port) } : port;
}

function textOr(value: unknown, otherwise: string): string {
  return typeof value === 'string' ? value : otherwise;
}
