import { setTimeout as pause } from 'node:timers/promises';
import type { Flags } from '../../shared/config/read-flags.ts';
import { createGot, timeouts } from '../../shared/http.ts';
import { errorText, ReconcileError } from '../../shared/model/errors.ts';
import { fieldsOf, parseJson } from '../../shared/model/json.ts';
import type { Key } from '../../shared/model/request.ts';
import { attempt } from '../../shared/observe/reads.ts';
import { proxyFromEnv } from '../../shared/proxy.ts';
import { readTokens } from '../http/admit.ts';
import type { Connected } from '../world.ts';

const LOOK_MS = 100;
const ANSWER_MS = 10_000;

/** What a command that writes does, in the words of `POST /resync`. */
export type Order = { readonly all: true } | { readonly objects: readonly Key[] };

/** Runs a command as the one process that leads; after a killed one it waits until the Lease stood still. Throws where another leads. */
export async function leadFor<T>({ world, home }: Connected, run: () => Promise<T>): Promise<T> {
  const leader = await home.lease(() => undefined);
  leader.start();
  try {
    for (let looks = 0; !leader.leads; looks += 1) {
      if (leader.isHeldByAnother) throw heldBy(leader.holder);
      if (leader.trouble !== undefined) throw new ReconcileError('KUBE_UNAVAILABLE', leader.trouble);
      if (looks === 30) world.log.warn(`waiting for ${leader.holder ?? 'the Lease'}, which may have ended`);
      await pause(LOOK_MS);
    }
    return await run();
  } finally {
    await attempt(world.kube.deployment.release()); // what ended the run is told, not that the Lease was lost
    await leader.stop();
  }
}

function heldBy(holder = 'another process'): ReconcileError {
  return new ReconcileError(
    'CLUSTER_HELD',
    `${holder} leads and writes to this cluster: give --server-url URL to let it do the work (or POST /resync with {"all": true} or {"objects": ["service/shop/web"]}), or stop it first; --dry-run writes nothing`,
  );
}

export interface ServerAnswer {
  readonly status: number;
  readonly text: string;
  readonly trouble?: string;
}

/** What a running levelset answers in so many milliseconds to a GET, or to a POST of JSON. Never throws. */
export async function askServer(
  url: string,
  ms: number,
  token: string | undefined,
  env: NodeJS.ProcessEnv,
  json?: object,
): Promise<ServerAnswer> {
  const client = createGot({ proxyFor: proxyFromEnv(env) });
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const options = { headers, timeout: timeouts(ms), ...(json && { method: 'POST' as const, json }) };
  try {
    const { statusCode, body } = await client(url, options);
    return { status: statusCode, text: body };
  } catch (error) {
    return { status: 0, text: '', trouble: errorText(error) };
  }
}

interface Answer {
  readonly queued?: readonly Key[];
  readonly page?: string;
  readonly error?: string;
}

export async function askLeader(
  json: Order,
  { serverUrl = '' }: Flags,
  env: NodeJS.ProcessEnv,
  cluster: string | undefined,
): Promise<{ readonly code: number; readonly text?: string; readonly errors?: readonly string[] }> {
  const server = serverUrl.replace(/\/+$/, '');
  const url = `${server}/resync${cluster === undefined ? '' : `/${cluster}`}`;
  const [token] = readTokens(env).resyncTokens;
  const { status, text, trouble } = await askServer(url, ANSWER_MS, token, env, json);
  const answer: Answer = fieldsOf(parseJson(text));
  if (answer.queued)
    return {
      code: 2,
      text: `${url} has queued ${answer.queued.join(', ')}; ${server}${answer.page} shows what becomes of it`,
    };
  const why = trouble ?? `HTTP ${status}: ${answer.error ?? 'no levelset answers'}`;
  return { code: 1, errors: [`POST ${url}: ${why}`] };
}
