import { once } from 'node:events';
import http, { type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

export interface ParameterStore {
  readonly url: string;
  /** SecureStrings by name. */
  readonly values: Map<string, string>;
  stop(): Promise<void>;
}

type Fields = Readonly<Record<string, unknown>>;
interface Answer {
  readonly status: number;
  readonly body: unknown;
}

const MOST_NAMES = 10;
const NAME = /^[\w.\-/]{1,1011}$/;

/** SSM Parameter Store as far as functions call it: it refuses what the real one refuses. */
export async function startParameterStore(values: Readonly<Record<string, string>>): Promise<ParameterStore> {
  const server = http.createServer((request, response) => {
    void text(request).then((body) => {
      const { status, body: answer } = answerTo(request, JSON.parse(body) as Fields, store);
      response
        .writeHead(status, { 'content-type': 'application/x-amz-json-1.1' })
        .end(JSON.stringify(answer));
    });
  });
  const store = {
    url: '',
    values: new Map(Object.entries(values)),
    async stop() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  store.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return store;
}

function answerTo({ headers }: IncomingMessage, body: Fields, { values }: ParameterStore): Answer {
  if (
    !/^AWS4-HMAC-SHA256 Credential=[^/]+\/\d{8}\/[\w-]+\/ssm\/aws4_request, /.test(
      headers.authorization ?? '',
    )
  )
    return refused(400, 'MissingAuthenticationToken', 'Missing Authentication Token');
  if (headers['x-amz-target'] !== 'AmazonSSM.GetParameters')
    return refused(400, 'UnknownOperationException', '');
  const names = body['Names'];
  if (!Array.isArray(names) || names.length === 0 || names.length > MOST_NAMES)
    return refused(400, 'ValidationException', `Member must have length less than or equal to ${MOST_NAMES}`);
  const asked = names.map(String);
  if (asked.some((name) => !NAME.test(name)) || new Set(asked).size < asked.length)
    return refused(400, 'ValidationException', 'invalid parameter name');
  const isDecrypted = body['WithDecryption'] === true;
  const found = asked.flatMap((Name) => {
    const value = values.get(Name);
    if (value === undefined) return [];
    return [
      {
        ...{ Name, Type: 'SecureString', Version: 1, LastModifiedDate: 1_700_000_000 },
        Value: isDecrypted ? value : 'AQICAHh-encrypted',
      },
    ];
  });
  const InvalidParameters = asked.filter((name) => !values.has(name));
  return { status: 200, body: { Parameters: found, InvalidParameters } };
}

function refused(status: number, type: string, message: string): Answer {
  return { status, body: { __type: type, message } };
}
