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
import { readMessage, type QueuedWork } from '../../../shared/queue/queued-work.ts';
import { startAws, type AwsFake } from './aws-fake.ts';
import { sandboxWorld, type SandboxWorld } from '../sandbox-world.ts';
import { sqsRecord } from './sqs-record.ts';
import { AUDIT_TOKEN, RESYNC_TOKEN, PAGE_TOKEN } from '../../http/tokens.ts';

export const CONTEXT = { getRemainingTimeInMillis: () => 60_000 } as Context;

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
  vi.stubEnv('LEVELSET_QUEUE_URL', `${aws.url}/123456789012/keys.fifo`);
  vi.stubEnv('LEVELSET_STACK', 'arn:aws:cloudformation:eu-central-1:123456789012:stack/levelset-test/1');
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

/** Messages, each in an invocation of its own; the ids of those that SQS shows again. */
export function work(...messages: readonly QueuedWork[]): Promise<readonly string[]> {
  return deliver(messages.map((message, index) => sqsRecord(String(index), message)));
}

/** The same for messages as Lambda hands them over, in invocations with so much time. */
export async function deliver(
  records: readonly SQSRecord[],
  context: Context = CONTEXT,
): Promise<readonly string[]> {
  const { handler } = await import('../../../functions/lambda/reconcile.ts');
  const failed = records.map((record) =>
    handler({ Records: [record] }, context).then(
      () => [],
      () => [record.messageId],
    ),
  );
  return (await Promise.all(failed)).flat();
}

/** An invocation that Lambda ends after so many milliseconds, once the function is loaded and asks. */
export function contextOf(timeoutMs: number, fields: Partial<Context> = {}): Context {
  let end: number | undefined;
  const getRemainingTimeInMillis = (): number => (end ??= performance.now() + timeoutMs) - performance.now();
  return { getRemainingTimeInMillis, ...fields } as Context;
}

/** An invocation whose worker begins no run any more when something is so. */
export function contextUntil(isSo: () => boolean): Context {
  return { getRemainingTimeInMillis: () => (isSo() ? 14_000 : 60_000) } as Context;
}

const now = Date.now.bind(Date);
/** From here on the time of day is so many seconds later than it is. */
export const after = (seconds: number) =>
  vi.spyOn(Date, 'now').mockImplementation(() => now() + seconds * 1_000);

export function request(name: string, trigger: ReconcileRequest['trigger'] = 'audit'): ReconcileRequest {
  return { key: `service/default/${name}`, trigger, cause: 'audit-1' };
}

/** What was sent since the last time, by queue. */
export function taken(aws: AwsFake): readonly (QueuedWork & { readonly queue: string })[] {
  return aws.sent.splice(0).flatMap(({ queue, body }) => {
    const item = readMessage(body);
    return 'unreadable' in item ? [] : [{ queue, ...item }];
  });
}

/** What the function has logged since it was deployed, by stdout and stderr. */
export function logged(): string {
  const written = [vi.spyOn(process.stdout, 'write'), vi.spyOn(process.stderr, 'write')];
  return written.flatMap(({ mock }) => mock.calls.map(([text]) => String(text))).join('');
}
