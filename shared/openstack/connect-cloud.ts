import type { Credentials, OpenStackConfig } from '../config/config.ts';
import type { CallRecorder, Cloud } from '../ports.ts';
import { createCloud } from './cloud.ts';
import type { EndpointSemaphores } from './endpoint-semaphore.ts';
import { followCredentials, createKeystone, type Keystone } from './keystone.ts';
import {
  createOpenStackHttp,
  overSockets,
  type HttpAnswer,
  type Observer,
  type Transport,
  type Call,
} from './openstack-http.ts';
import { createSession, type Session } from './session.ts';
import { AsyncLocalStorage } from 'node:async_hooks';

interface CloudConnection {
  readonly cloud: Cloud;
  /** OpenStack itself, for what no controller asks of it. */
  readonly session: Session;
  readonly calls: CallRecorder;
  /** Resolves when there is a token and the catalog has Octavia and Neutron; otherwise, or when no time is left, throws a ReconcileError. */
  readonly ready: (leftMs?: () => number) => Promise<void>;
  /** What tells apart the projects of all clouds: Octavia's endpoint and region, and the id of the project. Needs a token. */
  readonly project: () => Promise<string>;
}

export type ShareLogin = (
  config: OpenStackConfig,
  observe: Observer,
  make: (observe: Observer) => Keystone,
) => Keystone;

export interface ConnectCloudOptions {
  readonly observe?: Observer;
  readonly transport?: Transport;
  /** Those of the process. Without them the connection has its own. */
  readonly semaphores?: EndpointSemaphores<HttpAnswer>;
  readonly readCredentials?: () => Promise<Credentials | undefined>;
  readonly loginRefused?: (credentials: Credentials) => void;
  /** Returns a login with this configuration that there is already, or makes one, whose calls what it is given sees. */
  readonly shareLogin?: ShareLogin;
}

/** OpenStack for one process: one HTTP client and one token. Sends nothing by itself. */
export function connectCloud(
  config: OpenStackConfig,
  {
    observe: seen,
    transport = overSockets(config),
    semaphores,
    readCredentials = () => Promise.resolve(undefined),
    loginRefused,
    shareLogin = (_config, own, make) => make(own),
  }: ConnectCloudOptions = {},
): CloudConnection {
  const { recorder, note } = createCallRecorder();
  const observe: Observer = (call) => {
    note(call);
    seen?.(call);
  };
  const now = (): number => transport.now();
  const http = createOpenStackHttp(config, observe, transport, semaphores);
  const keystoneOf = (credentials: Credentials): Keystone => {
    const its = { ...config, credentials };
    return shareLogin(its, observe, (seenBy) =>
      createKeystone({
        ...{ config: its, http: createOpenStackHttp(its, seenBy, transport, semaphores), now },
        ...(loginRefused && { loginRefused }),
      }),
    );
  };
  const { credentials } = config;
  const keystone = followCredentials({ credentials, readCredentials, keystoneOf, now });
  const session = createSession(config, keystone, http);
  return {
    cloud: createCloud(session, transport),
    session,
    calls: recorder,
    async ready(leftMs = () => Infinity) {
      const its = session.during({ remainingMs: leftMs });
      await its.requireService('load-balancer');
      await its.requireService('network');
    },
    project: () => session.project(),
  };
}

interface Tally {
  calls: number;
  readonly failedRequestIds: string[];
}

/** Counts the calls of one run, those after an `await` as well. */
function createCallRecorder(): { readonly recorder: CallRecorder; readonly note: Observer } {
  const runs = new AsyncLocalStorage<Tally>();
  return {
    recorder: {
      async record(run) {
        const tally: Tally = { calls: 0, failedRequestIds: [] };
        const value = await runs.run(tally, run);
        return { value, ...tally };
      },
    },
    note(call) {
      const tally = runs.getStore();
      if (tally === undefined) return;
      tally.calls += 1;
      if (call.requestId !== undefined && isFailure(call)) tally.failedRequestIds.push(call.requestId);
    },
  };
}

/** A 404 to a GET or DELETE is an answer and no failure. */
function isFailure({ method, status }: Call): boolean {
  return status >= 400 && !(status === 404 && (method === 'GET' || method === 'DELETE'));
}
