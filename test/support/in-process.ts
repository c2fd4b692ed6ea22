import { ask, NoReply, type Asked } from '../../infra/sandbox/in-process.ts';
import type { SandboxInside } from '../../infra/sandbox/sandbox.ts';
import type { Config } from '../../shared/config/config.ts';
import { budgetSpent } from '../../shared/deadline.ts';
import { answerError, statusMessage, readAnswer, type KubeHttp } from '../../shared/kube/kube-http.ts';
import { KubeClient } from '../../shared/kube/kube-client.ts';
import { newMemory } from '../../shared/memory/memory.ts';
import { ReconcileError } from '../../shared/model/errors.ts';
import { connectCloud } from '../../shared/openstack/connect-cloud.ts';
import { NoAnswer, type Transport } from '../../shared/openstack/openstack-http.ts';
import type { Cloud, Kube, Log, World } from '../../shared/ports.ts';

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
    pause: (ms, signal) => clock.pause(ms, signal),
    now: () => clock.millis(),
  };
}

/** What takes the place of sockets between the client for Kubernetes and the apiserver of a sandbox. */
export function kubeHttp({ fronts, kubeToken, clock }: SandboxInside): KubeHttp {
  return async (request) => {
    const { method, path, query = {}, body, doing, expected } = request;
    const leftMs = request.leftMs?.() ?? Infinity;
    if (leftMs <= 0) throw budgetSpent(`cannot ${doing}`);
    const search = new URLSearchParams(
      Object.entries(query).map(([name, value]): [string, string] => [name, String(value)]),
    );
    const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
    const { status, headers, text } = await ask(fronts.kube, {
      method,
      url: `http://sandbox.invalid${path}?${search.toString()}`,
      headers: { authorization: `Bearer ${kubeToken}`, 'content-type': type },
      body,
      timeoutMs: Math.min(30_000, leftMs),
    }).catch((error: unknown) => {
      if (!(error instanceof NoReply)) throw error;
      throw new ReconcileError('KUBE_UNAVAILABLE', `cannot ${doing}: ${error.message}`);
    });
    const isExpected = expected?.includes(status) && statusMessage(text) !== undefined;
    if (status >= 300 && !isExpected) throw answerError(doing, { status, headers, text });
    const answer = readAnswer(request, { status, headers, text });
    return { ...answer, serverTimeMs: Math.floor(clock.millis() / 1000) * 1000 };
  };
}

/** One process in a world without sockets, whose time is the sandbox's. */
export function inProcessWorld(
  inside: SandboxInside,
  config: Config,
  log: Log,
  transport: Transport = cloudTransport(inside),
): World {
  const { cloud, calls } = connectCloud(config.openstack, { transport });
  const kube = new KubeClient(kubeHttp(inside), { namespace: config.stateNamespace, log });
  const clock = { now: (): number => inside.clock.millis() };
  return { kube, cloud, calls, clock, log, config, memory: newMemory() };
}

/** A port with calls of a test in the place of some, also in the World of a run. */
export function replaced<T extends Cloud | Kube>(port: T, callsOf: (its: T) => Partial<T>): T {
  const own: Partial<T> = {
    ...callsOf(port),
    during: (run: Parameters<T['during']>[0]) => replaced(port.during(run) as T, callsOf),
  };
  return new Proxy(port, { get: (_, name) => Reflect.get(name in own ? own : port, name) as unknown });
}

/** `fetch` of the OpenStack of a sandbox, without sockets. */
export function cloudFetch({ fronts }: SandboxInside): typeof fetch {
  return async (url, { method = 'GET', headers, body } = {}) => {
    const asked: Asked = {
      ...{ method, url: new Request(url).url, timeoutMs: 60_000 },
      headers: Object.fromEntries(new Headers(headers)),
      ...(typeof body === 'string' && { body: JSON.parse(body) as unknown }),
    };
    const { status, headers: answered, text } = await ask(fronts.openstack, asked);
    return new Response(text === '' ? null : text, { status, headers: answered });
  };
}
