/** The functions as they are deployed: against the sandbox and a stand-in for SQS and SSM, called as Lambda does. */
import type {
  APIGatewayProxyEventV2,
  APIGatewayProxyStructuredResultV2,
  Context,
  SQSRecord,
} from 'aws-lambda';
import { readFile } from 'node:fs/promises';
import { onTestFinished, vi } from 'vitest';
import type { Key, ReconcileRequest } from '../../../shared/model/request.ts';
import { bodyOf, readMessage, type QueuedWork } from '../../../shared/queue/queued-work.ts';
import { startAws, type AwsFake } from './aws-fake.ts';
import { sandboxWorld, type SandboxWorld } from '../sandbox-world.ts';
import { AUDIT_TOKEN, RESYNC_TOKEN, PAGE_TOKEN } from '../../http/tokens.ts';

/** The environment of a function, cold: its secrets are in SSM. */
export async function deployed(pendingMs = 100): Promise<SandboxWorld & { readonly aws: AwsFake }> {
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
  vi.stubEnv('LEVELSET_CA_FILE_TEXT_OPTIONAL_PARAMETER', '/levelset/test/nowhere');
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
  for (const name of ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY', 'AWS_SESSION_TOKEN'])
    vi.stubEnv(name, 'lab');
  vi.stubEnv('AWS_ENDPOINT_URL_SSM', aws.url);
  vi.stubEnv('LEVELSET_QUEUE_URL', `${aws.url}/123456789012/keys.fifo`);
  vi.stubEnv('LEVELSET_STACK', 'arn:aws:cloudformation:eu-central-1:123456789012:stack/levelset-test/1');
  return aws;
}

type Answer = APIGatewayProxyStructuredResultV2;

/** An HTTP API's request, payload 2.0. */
export async function call(name: string, event: Partial<APIGatewayProxyEventV2> & { method: string }) {
  const { handler } = (await import(`../../../functions/lambda/${name}.ts`)) as {
    handler: (event: unknown, context: Context) => Promise<Answer>;
  };
  const { method, rawPath = '/' } = event;
  const requestContext = { http: { method, path: rawPath, sourceIp: '192.0.2.1' }, stage: '$default' };
  const full = { version: '2.0', rawPath, rawQueryString: '', headers: {}, isBase64Encoded: false };
  return handler({ ...full, requestContext, ...event }, contextOf());
}

/** JSON from whoever has this token. */
export function post(name: string, rawPath: string, token: string, body: unknown): Promise<Answer> {
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${token}` };
  return call(name, { method: 'POST', rawPath, headers, body: JSON.stringify(body) });
}

/** A message about an object, of an event. */
export const asked = (
  key: Key = 'service/default/web',
  more: Partial<ReconcileRequest> = {},
): QueuedWork => ({ request: { key, trigger: 'audit', cause: 'audit-1', ...more } });

/** A message as Lambda hands it over, as far as levelset reads it (docs/sources/tools.md, "Messages that a function gets"). */
export function record(work: QueuedWork, change: Partial<SQSRecord> = {}): SQSRecord {
  const { messageId = '0' } = change;
  const attributes = { SentTimestamp: String(Date.now()) };
  const own = { messageId, receiptHandle: `receipt-${messageId}`, body: bodyOf(work), attributes };
  return { ...own, ...change } as SQSRecord;
}

/** Messages, each in an invocation of its own; the ids of those that SQS shows again. */
export function work(...messages: readonly QueuedWork[]): Promise<readonly string[]> {
  return deliver(messages.map((message, index) => record(message, { messageId: String(index) })));
}

/** The same for messages as Lambda hands them over, in invocations with so much time. */
export async function deliver(records: readonly SQSRecord[], context = contextOf()) {
  const { handler } = await import('../../../functions/lambda/reconcile.ts');
  const failed = records.map((one) =>
    handler({ Records: [one] }, context).then(
      () => [],
      () => [one.messageId],
    ),
  );
  return (await Promise.all(failed)).flat();
}

/** The schedule starts the sweep. */
export async function tick(context = contextOf()): Promise<void> {
  const { handler } = await import('../../../functions/lambda/sweep.ts');
  await handler({ trigger: 'sweep' }, context);
}

/** An invocation that Lambda ends after so many milliseconds, once the function is loaded and asks. */
export function contextOf(timeoutMs = 60_000, fields: Partial<Context> = {}): Context {
  let end: number | undefined;
  const getRemainingTimeInMillis = (): number => (end ??= performance.now() + timeoutMs) - performance.now();
  return { getRemainingTimeInMillis, ...fields } as Context;
}

const now = Date.now.bind(Date);
/** From here on the time of day is so many seconds later than it is. */
export const after = (seconds: number) =>
  vi.spyOn(Date, 'now').mockImplementation(() => now() + seconds * 1_000);

/** What was sent since the last time. */
export function taken(aws: AwsFake): readonly QueuedWork[] {
  return aws.sent.splice(0).flatMap(({ body }) => {
    const item = readMessage(body);
    return 'unreadable' in item ? [] : [item];
  });
}

/** What the function has logged since it was deployed, by stdout and stderr. */
export function logged(): string {
  const written = [vi.spyOn(process.stdout, 'write'), vi.spyOn(process.stderr, 'write')];
  return written.flatMap(({ mock }) => mock.calls.map(([text]) => String(text))).join('');
}
