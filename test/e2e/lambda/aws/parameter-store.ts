import { once } from 'node:events';
import http, { type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/** How it is in trouble: every call fails, is throttled, or has no answer. */
export type Trouble = 'fails' | 'throttles' | 'hangs';

export interface ParameterStore {
  readonly url: string;
  /** SecureStrings by name. */
  readonly values: Map<string, string>;
  /** The actions that were asked for. */
  readonly calls: string[];
  trouble: Trouble | undefined;
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
      store.calls.push(String(request.headers['x-amz-target']).replace('AmazonSSM.', ''));
      if (store.trouble === 'hangs') return;
      const { status, body: answer } = answerTo(request, JSON.parse(body) as Fields, store);
      response
        .writeHead(status, { 'content-type': 'application/x-amz-json-1.1' })
        .end(JSON.stringify(answer));
    });
  });
  const store = {
    url: '',
    values: new Map(Object.entries(values)),
    calls: [] as string[],
    trouble: undefined as Trouble | undefined,
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

function answerTo({ headers }: IncomingMessage, body: Fields, { values, trouble }: ParameterStore): Answer {
  if (trouble === 'fails')
    return refused(500, 'InternalServerError', 'An error occurred on the server side.');
  if (trouble === 'throttles') return refused(400, 'ThrottlingException', 'Rate exceeded');
  if (
    !/^AWS4-HMAC-SHA256 Credential=[^/]+\/\d{8}\/[\w-]+\/ssm\/aws4_request, /.test(
      headers.authorization ?? '',
    )
  )
    return refused(400, 'MissingAuthenticationToken', 'Missing Authentication Token');
  if (headers['x-amz-target'] === 'AmazonSSM.GetParametersByPath') return byPath(body, values);
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

/** The token of a page is where it begins. Values were written long ago. */
function byPath(body: Fields, values: ReadonlyMap<string, string>): Answer {
  const { Path: path, Recursive: isRecursive, WithDecryption: isDecrypted, MaxResults: most = 10 } = body;
  const { NextToken: token = '0' } = body;
  if (typeof path !== 'string' || !path.startsWith('/') || !NAME.test(path))
    return refused(400, 'ValidationException', 'invalid path');
  if (!Number.isInteger(most) || Number(most) < 1 || Number(most) > MOST_NAMES)
    return refused(400, 'ValidationException', `Member must have value less than or equal to ${MOST_NAMES}`);
  if (typeof token !== 'string' || !/^\d+$/.test(token)) return refused(400, 'InvalidNextToken', '');
  const prefix = path.endsWith('/') ? path : `${path}/`;
  const below = [...values].filter(
    ([name]) => name.startsWith(prefix) && (isRecursive === true || !name.slice(prefix.length).includes('/')),
  );
  const end = Number(token) + Number(most);
  const found = below.slice(Number(token), end).map(([Name, value]) => ({
    ...{ Name, Type: 'SecureString', Version: 1, LastModifiedDate: 1_700_000_000 },
    Value: isDecrypted === true ? value : 'AQICAHh-encrypted',
  }));
  return { status: 200, body: { Parameters: found, ...(end < below.length && { NextToken: String(end) }) } };
}

function refused(status: number, type: string, message: string): Answer {
  return { status, body: { __type: type, message } };
}
