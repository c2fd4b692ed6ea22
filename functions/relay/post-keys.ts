import { randomUUID } from 'node:crypto';
import { RequestError, type Got } from 'got';
import type { CredentialSource } from '../../shared/kube/connection/connection.ts';
import { createGot, retryAfterMs, timeouts } from '../../shared/http.ts';
import { fieldsOf, parseJson } from '../../shared/model/json.ts';
import type { Key } from '../../shared/model/request.ts';
import { readNamedFile } from '../../shared/named-file.ts';
import { RELAYED } from '../../shared/trigger/keys-from-cloud-event.ts';

/** Posts keys within a time; throws NotTaken. */
export type Post = (keys: readonly Key[], limitMs: number) => Promise<void>;

/** The receiver did not take keys. They are posted again, after `retryAfterMs` at the earliest. */
export class NotTaken extends Error {
  override readonly name = 'NotTaken';
  readonly retryAfterMs: number;

  constructor(message: string, waitMs = 0) {
    super(message);
    this.retryAfterMs = waitMs;
  }
}

export interface PostOptions {
  /** `/events/CLUSTER` of the receiver. */
  readonly url: string;
  readonly credential: CredentialSource;
  readonly caFile?: string;
  /** Called for each answer; without a status there was none. */
  readonly observe?: (status: number | undefined) => void;
}

/** Posts keys as one CloudEvent each time. Throws CONFIG_INVALID if the CA cannot be read. */
export async function createPost(options: PostOptions): Promise<Post> {
  const { url, credential, caFile, observe } = options;
  const clientNow = caFile === undefined ? always(createGot({})) : await believing(caFile);
  const send = async (body: string, authorization: string | undefined, limitMs: number) => {
    const client = await clientNow();
    try {
      const answer = await client.post(url, {
        body,
        timeout: timeouts(limitMs),
        headers: {
          'content-type': 'application/cloudevents+json',
          ...(authorization !== undefined && { authorization }),
        },
      });
      observe?.(answer.statusCode);
      return answer;
    } catch (error) {
      observe?.(undefined);
      // got's own error holds the request with its token
      throw new NotTaken(`no answer from ${url}${error instanceof RequestError ? ` (${error.code})` : ''}`);
    }
  };
  let isRefused = false;
  return async (keys, limitMs) => {
    const event = { specversion: '1.0', type: RELAYED, source: 'levelset/relay', id: randomUUID() };
    const body = JSON.stringify({ ...event, datacontenttype: 'application/json', data: { keys } });
    const { authorization } = await credential(isRefused);
    const answer = await send(body, authorization, limitMs);
    isRefused = answer.statusCode === 401;
    if (answer.statusCode !== 202) throw refusal(url, answer.statusCode, answer.body, answer.headers);
    const taken = fieldsOf(parseJson(answer.body))['keys'];
    if (taken !== keys.length)
      throw new NotTaken(`${url} took ${String(taken)} of ${keys.length} keys: it may be an older levelset`);
  };
}

const always = (client: Got) => () => Promise.resolve(client);

/** A client that believes the CA in a file as it is then; the last one, while the file cannot be read. */
async function believing(caFile: string): Promise<() => Promise<Got>> {
  const read = () => readNamedFile('--events-ca-file', caFile);
  const clientFor = (certificateAuthority: string): Got => createGot({ https: { certificateAuthority } });
  let known = await read();
  let client = clientFor(known);
  return async () => {
    const text = await read().catch(() => known);
    if (text !== known) [known, client] = [text, clientFor(text)];
    return client;
  };
}

const LONGEST_REASON = 300;

function refusal(
  url: string,
  status: number,
  text: string,
  headers: { readonly 'retry-after'?: string | undefined },
): NotTaken {
  const { error } = fieldsOf(parseJson(text));
  const reason = typeof error === 'string' ? `: ${error.slice(0, LONGEST_REASON)}` : '';
  return new NotTaken(`${url} answered ${status}${reason}`, retryAfterMs(headers['retry-after']));
}
