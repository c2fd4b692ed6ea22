import { Readable } from 'node:stream';
import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2, Context } from 'aws-lambda';
import type { Endpoint, HttpRequest } from '../http/exchange.ts';
import { answerError, noSuchPath } from '../http/http-error.ts';
import { environment, madeFrom } from './environment.ts';
import { log, logInvocation } from './function-log.ts';

export type HttpFunction = (
  event: APIGatewayProxyEventV2,
  context: Context,
) => Promise<APIGatewayProxyStructuredResultV2>;

/** One endpoint behind an HTTP API (payload 2.0), without express. */
export function httpFunction(build: (env: NodeJS.ProcessEnv) => Promise<Endpoint>): HttpFunction {
  return bySecrets(async (env) => {
    const endpoint = await build(env);
    return async (event) => {
      const request = requestOf(event);
      const answer = (await endpoint(request)) ?? answerError(noSuchPath(request), request, log);
      return { statusCode: answer.status, headers: answer.headers, body: answer.body };
    };
  });
}

/**
 * A function that the first invocation builds, and later ones find until a secret changes. A token that is refused may be a
 * new one: then the secrets are read again, and the request is answered again by them.
 */
export function bySecrets(build: (env: NodeJS.ProcessEnv) => Promise<HttpFunction>): HttpFunction {
  const answerBy = madeFrom('tokens', build);
  return async (event, context) => {
    logInvocation(context);
    const env = await environment.read();
    const answer = await (await answerBy(env))(event, context);
    if (answer.statusCode !== 401) return answer;
    const now = await environment.readAgain();
    return now === env ? answer : await (await answerBy(now))(event, context);
  };
}

/** An HTTP API gives names of headers in lower case, and what is no text in base64. */
function requestOf(event: APIGatewayProxyEventV2): HttpRequest {
  const { rawPath, headers, body = '', isBase64Encoded, requestContext } = event;
  const { method, sourceIp } = requestContext.http;
  const bytes = Buffer.from(body, isBase64Encoded ? 'base64' : 'utf8');
  return {
    method,
    path: rawPath,
    headers,
    from: sourceIp,
    body: Readable.from(bytes, { objectMode: false }),
  };
}
