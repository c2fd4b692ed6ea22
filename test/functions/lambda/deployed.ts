/** The functions as they are deployed: against the sandbox and a stand-in for SQS and SSM, called as Lambda does. */
import type {
  APIGatewayProxyEventV2,
  APIGatewayProxyStructuredResultV2,
  Context,
  SQSRecord,
} from 'aws-lambda';
import { readFile } from 'node:fs/promises';
import { onTestFinished, vi } from 'vitest';
import type { ReconcileRequest } from '../../../shared/model/request.ts';
import { readBody, type QueuedWork } from '../../../shared/queue/queued-work.ts';
import { startAws, type AwsFake } from './aws-fake.ts';
import { sandboxWorld, type SandboxWorld } from '../sandbox-world.ts';
import { sqsRecord } from './sqs-record.ts';
import { AUDIT_TOKEN, RESYNC_TOKEN, PAGE_TOKEN } from '../../http/tokens.ts';

export const CONTEXT = { getRemainingTimeInMillis: () => 30_000 } as Context;

export interface Deployed extends SandboxWorld {
  readonly aws: AwsFake;
}

/** The environment of a function, cold: its secrets are in SSM. */
export async function deployed(pendingMs = 100): Promise<Deployed> {
  const aws = await coldFunctions();
  const world = await sandboxWorld({ pendingMs });
  const secrets = {
    CLOUD_CONFIG_TEXT: await readFile(world.flags.cloudConfig, 'utf8'),
    KUBECONFIG_TEXT: await readFile(world.flags.kubeconfig, 'utf8'),
    AUDIT_TOKENS: AUDIT_TOKEN,
    RESYNC_TOKENS: RESYNC_TOKEN,
    PAGE_TOKENS: PAGE_TOKEN,
  };
  for (const [name, value] of Object.entries(secrets)) {
    aws.parameters.set(`/levelset/test/${name}`, value);
    vi.stubEnv(`LEVELSET_${name}_PARAMETER`, `/levelset/test/${name}`);
  }
  return { ...world, aws };
}

/** What all functions have of AWS, none of them loaded yet. */
export async function coldFunctions(): Promise<AwsFake> {
  vi.resetModules();
  for (const stream of ['stdout', 'stderr'] as const)
    vi.spyOn(process[stream], 'write').mockReturnValue(true);
  onTestFinished(() => {
    vi.unstubAllEnvs();
    vi.restoreAllMocks();
  });
  const aws = await startAws();
  onTestFinished(() => aws.close());
  vi.stubEnv('AWS_REGION', 'eu-central-1');
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'id');
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'secret');
  vi.stubEnv('AWS_SESSION_TOKEN', 'session');
  vi.stubEnv('AWS_ENDPOINT_URL_SSM', aws.url);
  vi.stubEnv('LEVELSET_TRIGGER_QUEUE_URL', `${aws.url}/123456789012/triggers.fifo`);
  vi.stubEnv('LEVELSET_BACKGROUND_QUEUE_URL', `${aws.url}/123456789012/background`);
  vi.stubEnv('LEVELSET_TRIGGER_DEAD_LETTERS_URL', `${aws.url}/123456789012/triggers-dead.fifo`);
  vi.stubEnv('LEVELSET_BACKGROUND_DEAD_LETTERS_URL', `${aws.url}/123456789012/background-dead`);
  return aws;
}

/** An HTTP API's request, payload 2.0. */
export async function call(
  name: string,
  event: Partial<APIGatewayProxyEventV2> & { method: string },
  context: Context = CONTEXT,
): Promise<APIGatewayProxyStructuredResultV2> {
  const { handler } = (await import(`../../../functions/lambda/${name}.ts`)) as {
    handler: (event: unknown, context: Context) => Promise<APIGatewayProxyStructuredResultV2>;
  };
  const { method, rawPath = '/', headers = {} } = event;
  const path = rawPath;
  const http = { method, path, protocol: 'HTTP/1.1', sourceIp: '192.0.2.1', userAgent: 'test' };
  const full = { version: '2.0', routeKey: '$default', rawQueryString: '', isBase64Encoded: false };
  return handler(
    { ...full, ...event, rawPath, headers, requestContext: { http, stage: '$default' } },
    context,
  );
}

/** A batch of messages; the ids of those that must come again. */
export function work(...messages: readonly QueuedWork[]): Promise<readonly string[]> {
  return deliver(messages.map((message, index) => sqsRecord(String(index), message)));
}

/** The same for messages as Lambda hands them over, in an invocation with so much time. */
export async function deliver(
  records: readonly SQSRecord[],
  context: Context = CONTEXT,
): Promise<readonly string[]> {
  const { handler } = await import('../../../functions/lambda/reconcile.ts');
  const { batchItemFailures } = await handler({ Records: [...records] }, context);
  return batchItemFailures.map(({ itemIdentifier }) => itemIdentifier);
}

/** An invocation that Lambda ends after so many milliseconds. */
export function contextOf(timeoutMs: number, fields: Partial<Context> = {}): Context {
  const end = performance.now() + timeoutMs;
  return { getRemainingTimeInMillis: () => end - performance.now(), ...fields } as Context;
}

export function request(name: string, trigger: ReconcileRequest['trigger'] = 'audit'): ReconcileRequest {
  return { key: `service/default/${name}`, trigger, cause: 'audit-1' };
}

/** What was sent since the last time, by queue. */
export function taken(aws: AwsFake): readonly (QueuedWork & {
  readonly queue: string;
  readonly delaySeconds: number | undefined;
})[] {
  return aws.sent.splice(0).flatMap(({ queue, body, delaySeconds }) => {
    const item = readBody(body);
    return 'unreadable' in item ? [] : [{ queue, delaySeconds, ...item }];
  });
}

/** What the function has logged since it was deployed, by stdout and stderr. */
export function logged(): string {
  const written = [vi.spyOn(process.stdout, 'write'), vi.spyOn(process.stderr, 'write')];
  return written.flatMap(({ mock }) => mock.calls.map(([text]) => String(text))).join('');
}
