import type { RequestListener } from 'node:http';
import express from 'express';
import { FLAGS } from '../../shared/config/flags.ts';
import type { Flags } from '../../shared/config/read-flags.ts';
import { isSettledWithin } from '../../shared/deadline.ts';
import type { Home } from '../../shared/kube/home.ts';
import type { LeaderLease, Leading } from '../../shared/kube/leader-lease.ts';
import type { Report } from '../../shared/model/outcome.ts';
import type { Log } from '../../shared/ports.ts';
import { answerErrors } from '../http/on-express.ts';
import { HttpError } from '../http/exchange.ts';
import type { Metrics } from '../metrics.ts';
import { probes, type ProbeOptions } from '../status.ts';
import { endpointLoads } from '../world.ts';
import { listen, parseListen } from './listen.ts';
import type { FollowedTokens } from './followed-files.ts';

export interface ServeOptions {
  readonly flags: Flags;
  readonly env: NodeJS.ProcessEnv;
  readonly log: Log;
  /** Called for every run that ended, after the log and the metrics. */
  readonly reported?: (report: Report) => void;
}

export interface Serving {
  readonly url: string;
  /** True when no key is queued, running or waiting for Octavia, and no sweep runs or is about to run. */
  readonly idle: () => boolean;
  /** Ends within seconds: finishes the write that is under way, and leads no more. */
  stop(): Promise<void>;
}

export interface Led {
  readonly handler: RequestListener;
  readonly isIdle: () => boolean;
  stop(): Promise<void>;
}

const AGAIN_S = 2;

interface LeadOrFollow extends Pick<ServeOptions, 'flags' | 'log'>, Pick<ProbeOptions, 'ready'> {
  /** Undefined: this is the only process. */
  readonly home: Home | undefined;
  readonly tokens: FollowedTokens;
  readonly metrics: () => Pick<Metrics, 'setLeader' | 'setEndpoints' | 'scrape'>;
  readonly lead: (options: ProbeOptions, leading: Leading | undefined) => Promise<Led>;
}

/** So long the start waits to see whether this process leads. */
const FIRST_LOOK_MS = 2_000;

/** Listens, and serves what is led while this process holds the Lease of its home; a dry run needs none. */
export async function leadOrFollow(options: LeadOrFollow): Promise<Serving> {
  const { flags, lead, ready, tokens, log } = options;
  const home = flags.dryRun ? undefined : options.home;
  const { listen: address = FLAGS.listen.default, allowPlainHttp } = flags;
  let lease: LeaderLease | undefined;
  const metrics = (): ReturnType<ProbeOptions['metrics']> => {
    const now = options.metrics();
    now.setLeader(lease?.leads ?? true);
    now.setEndpoints(endpointLoads());
    return now.scrape();
  };
  const probing = {
    ...{ open: parseListen(address).loopback, pageTokens: tokens.pageTokens, ready, metrics },
  };
  const leader = (): string => lease?.holder ?? 'nobody';
  const follower = followerServer({ ...probing, notes: () => [`follows: ${leader()} leads`] }, leader, log);
  let led: Led | undefined;
  let turn = Promise.resolve();
  /** Resolves when the process does what one does that leads, or that does not. Changes come one after the other. */
  const change = (leads: boolean): Promise<void> => {
    turn = turn
      .then(async () => {
        if (leads) led ??= await lead(probing, lease);
        else {
          const before = led;
          led = undefined;
          await before?.stop();
        }
      })
      .catch((error: unknown) => {
        log.error(leads ? 'the work cannot start' : 'the work cannot stop', {
          reason: String(error),
        });
      });
    return turn;
  };
  const handler: RequestListener = (request, response) => {
    (led?.handler ?? follower)(request, response);
  };
  await home?.labelPod(false); // before it is ready: its process may have led before
  const listening = await listen(handler, address, flags, { log });
  if (home) {
    const { promise: changed, resolve } = Promise.withResolvers<undefined>();
    lease = await home.lease((leads) => {
      resolve(Promise.all([change(leads), home.labelPod(leads)]).then(() => undefined));
    });
    lease.start();
    await isSettledWithin(changed, FIRST_LOOK_MS);
  } else await change(true);
  const { url } = listening;
  if (flags.dryRun)
    log.warn('dry run: levelset shows what it would do, and writes nothing to Kubernetes or OpenStack');
  if (allowPlainHttp && url.startsWith('http:'))
    log.warn('--allow-plain-http: tokens pass in the clear, unless a proxy in front ends TLS', { url });
  return {
    url,
    idle: () => led?.isIdle() ?? false,
    stop: async () => {
      tokens.stop();
      await Promise.all([listening.close(), change(false)]);
      await lease?.stop();
    },
  };
}

/** The endpoints of a process that follows: it is alive and ready, and says who leads; another one answers all else. */
function followerServer(options: ProbeOptions, leader: () => string, log: Log): RequestListener {
  const app = express().disable('x-powered-by').disable('etag');
  app.use(probes(options));
  app.use(() => {
    const message = `this process does not lead, ${leader()} does: send the request again`;
    throw new HttpError(503, message, { headers: { 'Retry-After': String(AGAIN_S) } });
  });
  return app.use(answerErrors(log));
}
