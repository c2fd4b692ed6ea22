import { basename, join } from 'node:path';
import { ACCOUNT, Intrinsics, REGION, type Json, type Referred, type TemplateText } from './intrinsics.ts';

/** What the template says of a function. */
export interface FunctionSettings {
  readonly name: string;
  /** FILE.EXPORT, in the zip. */
  readonly handler: string;
  readonly zip: string;
  readonly timeoutSeconds: number;
  readonly memoryMb: number;
  readonly reservedConcurrency: number | undefined;
  readonly environment: Readonly<Record<string, string>>;
}

export interface QueueSettings {
  readonly id: string;
  readonly name: string;
  /** As CreateQueue takes them. */
  readonly attributes: Readonly<Record<string, string>>;
}

export interface MappingSettings {
  readonly queue: string;
  readonly function: string;
  readonly batchSize: number;
  readonly maximumConcurrency: number;
}

export interface RouteSettings {
  /** METHOD and path with {parameters}. */
  readonly key: string;
  readonly function: string;
  readonly timeoutMs: number;
}

export interface ScheduleSettings {
  readonly function: string;
  /** The event, as text. */
  readonly input: string;
}

/** All that is deployed, with the lab's values for what AWS would give. */
export interface Template {
  readonly functions: readonly FunctionSettings[];
  readonly queues: readonly QueueSettings[];
  readonly mappings: readonly MappingSettings[];
  readonly routes: readonly RouteSettings[];
  readonly schedules: readonly ScheduleSettings[];
  /** Names of what the stack tells of itself. */
  readonly outputs: readonly string[];
}

export interface Place {
  /** Where SQS is. */
  readonly sqsUrl: string;
  /** Before the name of each queue, so that several deployments share one SQS. */
  readonly prefix: string;
  /** Where the zips are. */
  readonly zips: string;
}

/** Reads a template as CloudFormation would. Throws for what it does not know. */
export function readTemplate(text: TemplateText, place: Place): Template {
  const all = new Intrinsics(text, (resource, attribute) => physical(resource, attribute, place));
  const integrations = all.ofType('AWS::ApiGatewayV2::Integration');
  const queues = [...all.ofType('AWS::SQS::Queue')].map(([id, queue]) => queueSettings(id, queue, place));
  return {
    functions: [...all.ofType('AWS::Lambda::Function').values()].map((one) => functionSettings(one, place)),
    queues: queues.toSorted(
      (a, b) => Number('RedrivePolicy' in a.attributes) - Number('RedrivePolicy' in b.attributes),
    ),
    mappings: [...all.ofType('AWS::Lambda::EventSourceMapping').values()].map(mappingSettings),
    routes: [...all.ofType('AWS::ApiGatewayV2::Route').values()].map((route) =>
      routeSettings(route, integrations),
    ),
    outputs: Object.keys(text.Outputs ?? {}),
    schedules: [...all.ofType('AWS::Scheduler::Schedule').values()].map(({ Target }) => {
      const { Arn, Input } = Target as Json;
      return { function: functionOf(Arn), input: String(Input) };
    }),
  };
}

function physical(resource: Referred, attribute: string | undefined, place: Place): string {
  const { id, type } = resource;
  const property = (name: string): string => String(resource.property(name));
  const arn = (service: string, rest: string): string => `arn:aws:${service}:${REGION}:${ACCOUNT}:${rest}`;
  switch (`${type} ${attribute ?? 'Ref'}`) {
    case 'AWS::SQS::Queue Ref':
      return `${place.sqsUrl}/${ACCOUNT}/${place.prefix}${property('QueueName')}`;
    case 'AWS::SQS::Queue Arn':
      return arn('sqs', place.prefix + property('QueueName'));
    case 'AWS::Lambda::Function Ref':
      return property('FunctionName');
    case 'AWS::Lambda::Function Arn':
      return arn('lambda', `function:${property('FunctionName')}`);
    case 'AWS::Lambda::Version Ref':
    case 'AWS::Lambda::Alias Ref':
      return arn('lambda', `function:${functionOf(property('FunctionName'))}:${id}`);
    case 'AWS::IAM::Role Arn':
      return `arn:aws:iam::${ACCOUNT}:role/${id}`;
    case 'AWS::ApiGatewayV2::Api Ref':
    case 'AWS::ApiGatewayV2::Integration Ref':
    case 'AWS::Logs::LogGroup Ref':
    case 'AWS::S3::Bucket Ref':
      return id;
    default:
      throw new Error(`the lab has no ${attribute ?? 'Ref'} of a ${type} (${id})`);
  }
}

const FUNCTION = new Set([
  ...['FunctionName', 'Handler', 'Timeout', 'MemorySize', 'Environment', 'Code', 'Runtime'],
  ...['ReservedConcurrentExecutions', 'Architectures', 'Description', 'DependsOn', 'KmsKeyArn'],
  ...['LoggingConfig', 'Role', 'Tags', 'TracingConfig', 'VpcConfig'],
]);

function functionSettings(given: Json, { zips }: Place): FunctionSettings {
  const { FunctionName, Handler, Timeout = 3, MemorySize = 128, Environment, Code, Runtime } = given;
  const { ReservedConcurrentExecutions: reserved } = given;
  refuseUnknown(`the function ${String(FunctionName)}`, given, FUNCTION);
  const [, major] = /^nodejs(\d+)\.x$/.exec(String(Runtime)) ?? [];
  if (!process.version.startsWith(`v${major ?? ''}.`))
    throw new Error(
      `the function ${String(FunctionName)} runs on ${String(Runtime)}, the lab on Node ${process.version}`,
    );
  const { Variables = {} } = (Environment ?? {}) as { Variables?: Json };
  return {
    name: String(FunctionName),
    handler: String(Handler),
    zip: join(zips, basename(String((Code as Json)['S3Key']))),
    timeoutSeconds: Number(Timeout),
    memoryMb: Number(MemorySize),
    reservedConcurrency: reserved === undefined ? undefined : Number(reserved),
    environment: Object.fromEntries(Object.entries(Variables).map(([name, value]) => [name, String(value)])),
  };
}

const QUEUE = new Set([
  ...['FifoQueue', 'VisibilityTimeout', 'MessageRetentionPeriod', 'RedrivePolicy', 'DelaySeconds'],
  ...['ContentBasedDeduplication', 'ReceiveMessageWaitTimeSeconds', 'MaximumMessageSize'],
]);
/** What ElasticMQ does not have: deduplication ids are unique over the whole queue there, which is stricter. */
const QUEUE_OF_AWS = new Set([
  ...['DeduplicationScope', 'FifoThroughputLimit', 'SqsManagedSseEnabled', 'KmsMasterKeyId'],
  ...['Tags', 'RedriveAllowPolicy'],
]);

function queueSettings(id: string, given: Json, { prefix }: Place): QueueSettings {
  const { QueueName, ...rest } = given;
  refuseUnknown(`the queue ${id}`, rest, new Set([...QUEUE, ...QUEUE_OF_AWS]));
  const attributes = Object.entries(rest).filter(([name]) => QUEUE.has(name));
  return {
    id,
    name: prefix + String(QueueName),
    attributes: Object.fromEntries(
      attributes.map(([name, value]) => [name, typeof value === 'string' ? value : JSON.stringify(value)]),
    ),
  };
}

const MAPPING = new Set([
  ...['EventSourceArn', 'FunctionName', 'BatchSize', 'Enabled', 'ScalingConfig', 'Tags'],
]);

function mappingSettings(given: Json): MappingSettings {
  refuseUnknown('an event source mapping', given, MAPPING);
  const { EventSourceArn, FunctionName, BatchSize = 10, Enabled = true } = given;
  const { ScalingConfig = {} } = given;
  if (Enabled !== true) throw new Error(`the mapping of ${String(EventSourceArn)} is not enabled`);
  return {
    queue: String(EventSourceArn).split(':').at(-1) ?? '',
    function: functionOf(FunctionName),
    batchSize: Number(BatchSize),
    maximumConcurrency: Number((ScalingConfig as Json)['MaximumConcurrency'] ?? 1_000),
  };
}

function routeSettings(route: Json, integrations: ReadonlyMap<string, Json>): RouteSettings {
  const { RouteKey, Target, AuthorizationType = 'NONE' } = route;
  const integration = integrations.get(String(Target).replace('integrations/', '')) ?? {};
  const { IntegrationType, IntegrationUri, PayloadFormatVersion, TimeoutInMillis = 30_000 } = integration;
  const kind = `${String(IntegrationType)} ${String(PayloadFormatVersion)} ${String(AuthorizationType)}`;
  if (kind !== 'AWS_PROXY 2.0 NONE')
    throw new Error(`the lab has no route of the kind ${kind}: ${String(RouteKey)}`);
  return { key: String(RouteKey), function: functionOf(IntegrationUri), timeoutMs: Number(TimeoutInMillis) };
}

/** The name in the ARN of a function, or the name. */
function functionOf(value: unknown): string {
  return /:function:([^:]+)/.exec(String(value))?.[1] ?? String(value);
}

function refuseUnknown(what: string, given: Json, known: ReadonlySet<string>): void {
  const strange = Object.keys(given).filter((name) => !known.has(name));
  if (strange.length > 0) throw new Error(`the lab does not know ${strange.join(', ')} of ${what}`);
}
