import { Readable } from 'node:stream';
import type {
  ALBEvent,
  APIGatewayProxyEventV2,
  APIGatewayProxyStructuredResultV2,
  Context,
} from 'aws-lambda';
import { type ServedEndpoint, type ReceivedRequest, errorAnswer, noSuchPath } from '../http/exchange.ts';
import { environment, madeFrom } from './environment.ts';
import { log, logInvocation } from './function-log.ts';

export type HttpFunction = (
  event: APIGatewayProxyEventV2,
  context: Context,
) => Promise<APIGatewayProxyStructuredResultV2>;

export function httpFunction(build: (env: NodeJS.ProcessEnv) => Promise<ServedEndpoint>): HttpFunction {
  return bySecrets(async (env) => {
    const endpoint = await build(env);
    return async (event) => {
      const request = requestOf(event);
      const answer = (await endpoint(request)) ?? errorAnswer(noSuchPath(request), request, log);
      return { statusCode: answer.status, headers: answer.headers, body: answer.body };
    };
  });
}

/** A function that is built anew when a secret changes. What a token is refused by (429: names are guessed) may be old: fresh secrets answer again. */
export function bySecrets(build: (env: NodeJS.ProcessEnv) => Promise<HttpFunction>): HttpFunction {
  const answerBy = madeFrom('tokens', build);
  return async (event, context) => {
    logInvocation(context);
    const env = await environment.read();
    const answer = await (await answerBy(env))(event, context);
    if (answer.statusCode !== 401 && answer.statusCode !== 429) return answer;
    const now = await environment.readAgain();
    return now === env ? answer : await (await answerBy(now))(event, context);
  };
}

/** An HTTP API, also below a stage of its own; else a REST API (payload 1.0) or a load balancer, which keep the case of headers. */
function requestOf(event: APIGatewayProxyEventV2 | ALBEvent): ReceivedRequest {
  const bytes = Buffer.from(event.body ?? '', event.isBase64Encoded ? 'base64' : 'utf8');
  const body = Readable.from(bytes, { objectMode: false });
  if ('rawPath' in event) {
    const { stage, http } = event.requestContext;
    const { rawPath, headers } = event;
    const path = rawPath.startsWith(`/${stage}/`) ? rawPath.slice(stage.length + 1) : rawPath;
    return { method: http.method, path, headers, from: http.sourceIp, body };
  }
  const { httpMethod: method, path } = event;
  const given = Object.entries(event.multiValueHeaders ?? event.headers ?? {});
  const headers = Object.fromEntries(given.map(([name, value]) => [name.toLowerCase(), String(value)]));
  return { method, path, headers, from: headers['x-forwarded-for'], body };
}
