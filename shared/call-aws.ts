/** Calls of AWS's JSON APIs, SQS and Parameter Store, on node:http: loading `fetch` would take each cold start 20 ms. */
import http from 'node:http';
import https from 'node:https';
import { setTimeout as sleep } from 'node:timers/promises';
import aws4 from 'aws4';
import { withoutCredentials } from './proxy.ts';

/** How often a call is sent, when AWS is busy (429) or in trouble (5xx). */
const ATTEMPTS = 3;
const FIRST_DELAY_MS = 100;

export interface AwsAccess {
  readonly region: string;
  readonly credentials: {
    readonly accessKeyId: string;
    readonly secretAccessKey: string;
    readonly sessionToken?: string;
  };
}

interface AwsCall {
  readonly service: 'sqs' | 'ssm';
  readonly url: string;
  readonly target: string;
  readonly version: '1.0' | '1.1';
  readonly fields: object;
}

export interface AwsAnswer {
  readonly status: number;
  readonly text: string;
}

/** Resolves with any answer. Rejects when none came, with a TimeoutError after `limitMs` for all attempts together. */
export async function callAws(call: AwsCall, access: AwsAccess, limitMs: number): Promise<AwsAnswer> {
  const signal = AbortSignal.timeout(Math.ceil(limitMs));
  for (let attempt = 1; ; attempt += 1) {
    const answer = await send(call, access, signal);
    if (attempt === ATTEMPTS || (answer.status < 500 && answer.status !== 429)) return answer;
    await sleep(Math.random() * FIRST_DELAY_MS * 2 ** (attempt - 1));
  }
}

function send(call: AwsCall, access: AwsAccess, signal: AbortSignal): Promise<AwsAnswer> {
  const { promise, resolve, reject } = Promise.withResolvers<AwsAnswer>();
  const fail = (error: Error): void => {
    reject(signal.aborted ? signal.reason : withoutCredentials(error));
  };
  const url = new URL(call.url);
  const body = JSON.stringify(call.fields);
  const options = { method: 'POST', headers: signedHeaders(call, url, body, access), signal };
  const request = (url.protocol === 'http:' ? http : https).request(url, options, (response) => {
    let text = '';
    response
      .setEncoding('utf8')
      .on('data', (part: string) => (text += part))
      .on('end', () => {
        resolve({ status: response.statusCode ?? 0, text });
      })
      .on('error', fail);
  });
  request.on('error', (error: NodeJS.ErrnoException) => {
    // a connection that was kept open is closed by the other end, as while Lambda has the environment frozen
    if (request.reusedSocket && ['ECONNRESET', 'EPIPE'].includes(error.code ?? ''))
      resolve(send(call, access, signal));
    else fail(error);
  });
  request.end(body);
  return promise;
}

function signedHeaders(
  { service, target, version }: AwsCall,
  { host, pathname }: URL,
  body: string,
  { region, credentials }: AwsAccess,
): http.OutgoingHttpHeaders {
  const headers = {
    host,
    'content-type': `application/x-amz-json-${version}`,
    'x-amz-target': target,
  };
  const request = { service, region, method: 'POST', path: pathname, headers, body };
  return aws4.sign(request, credentials).headers ?? {};
}
