import { ask, NoReply, type Asked } from '../../infra/sandbox/in-process.ts';
import type { SandboxInside } from '../../infra/sandbox/sandbox.ts';
import { NoAnswer, type Transport } from '../../shared/openstack/openstack-http.ts';

/** Where Keystone is in a world without sockets. */
export const AUTH_URL = 'http://sandbox.invalid/identity/v3';

/** What takes the place of sockets below the client for OpenStack; it waits by the sandbox's clock. */
export function cloudTransport({ fronts, clock }: SandboxInside): Transport {
  const own = { 'user-agent': 'levelset', accept: 'application/json' };
  return {
    async send({ method, url, headers, body }, limitMs) {
      const type = body === undefined ? {} : { 'content-type': 'application/json' };
      const sent = { ...own, ...type, ...headers };
      const asked = { method, url, headers: sent, body, timeoutMs: limitMs };
      return ask(fronts.openstack, asked).catch((error: unknown) => {
        throw error instanceof NoReply ? new NoAnswer(error.message, error.timedOut) : error;
      });
    },
    pause: (ms) => clock.pause(ms),
    now: () => clock.millis(),
  };
}

/** `fetch` of the OpenStack of a sandbox, without sockets. */
export function cloudFetch({ fronts }: SandboxInside): typeof fetch {
  return async (url, { method = 'GET', headers, body } = {}) => {
    const asked: Asked = {
      ...{ method, url: new Request(url).url, timeoutMs: 60_000 },
      headers: Object.fromEntries(new Headers(headers)),
      ...(typeof body === 'string' ? { body: parsed(body) } : {}),
    };
    const { status, headers: answered, text } = await ask(fronts.openstack, asked);
    return new Response(text === '' ? null : text, { status, headers: answered });
  };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
