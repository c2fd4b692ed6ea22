import express, { type Express } from 'express';
import type { EntryTokens } from '../../shared/clusters/entry.ts';
import { renderClustersPage } from '../../shared/report/page/clusters-page.ts';
import type { ClustersView } from '../../shared/report/page/clusters-page.ts';
import { renderPage } from '../../shared/report/page/objects-page.ts';
import { auditWebhook } from '../audit-webhook.ts';
import { events } from '../events.ts';
import type { Tokens } from '../http/admit.ts';
import type { ServedEndpoint } from '../http/exchange.ts';
import { HttpError } from '../http/http-error.ts';
import { answerErrors, notFound, onExpress } from '../http/on-express.ts';
import type { ServerOptions } from '../http/server-options.ts';
import { resync } from '../resync.ts';
import type { ClusterEndpoints } from '../serve/served-cluster.ts';
import { objectPages, page, probes } from '../status.ts';
import type { ProbeOptions } from '../status.ts';
import { callersBehindNames, REFUSED_AFTER_MS } from './callers-behind-names.ts';
import { openTokens } from './open-tokens.ts';
import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { BoundedMap } from '../../shared/memory/bounded-map.ts';
import { errorText } from '../../shared/model/errors.ts';
import type { Log } from '../../shared/ports.ts';
import type { VerifySender } from '../http/require-sender.ts';

/** A cluster that the registry names. */
interface FoundCluster {
  readonly tokens: EntryTokens;
  /** Undefined: it is not served yet. */
  readonly endpoints: ClusterEndpoints | undefined;
}

interface ClustersServerOptions
  extends Pick<ServerOptions, 'byCertificate' | 'log'>, Omit<ProbeOptions, 'pageTokens'> {
  /** Those of the deployment, which open every cluster. */
  readonly tokens: Tokens;
  readonly find: (name: string) => FoundCluster | undefined;
  readonly status: () => Promise<ClustersView>;
  /** When /resync and /events refuse a token that the kube-apiserver may know. */
  readonly refusedAfterMs?: number;
}

/**
 * The express app of a deployment with several clusters: `/audit`, `/events`, `/resync` and `/clusters` with the name of one. A wrong
 * token and a name that nobody has get the same answer, 401.
 */
export function createClustersServer(options: ClustersServerOptions): Express {
  const app = express().disable('x-powered-by').disable('etag');
  const senders = new SendersBehindNames(options.log, options.refusedAfterMs);
  const deliver: ServedEndpoint = (request) => {
    const name = /^\/(?:audit|events)\/([^/]+)\/?$/.exec(request.path)?.[1] ?? '';
    const its = optionsOf(name, options);
    const verifySender = senders.of(name, its.verifySender);
    return auditWebhook(its)(request) ?? events({ ...its, verifySender })(request);
  };
  app.use(onExpress(deliver));
  app.all('/resync', () => {
    throw new HttpError(404, 'this levelset serves several clusters: name one, /resync/CLUSTER');
  });
  app.all('/resync/:cluster', (request, response, next) => {
    const its = optionsOf(request.params.cluster, options);
    const callers = callersBehindNames(its.callers, options.refusedAfterMs);
    resync({ ...its, callers }, '/resync/:cluster')(request, response, next);
  });
  app.all('/clusters/:cluster', (request, response, next) => {
    const { cluster } = request.params;
    const its = optionsOf(cluster, options);
    const path = `/clusters/${cluster}`;
    page('/clusters/:cluster', its, its.status, renderPage, path)(request, response, next);
  });
  app.all('/clusters/:cluster/objects/*names', (request, response, next) => {
    const its = optionsOf(request.params.cluster, options);
    objectPages('/clusters/:cluster/objects/*names', its)(request, response, next);
  });
  const { pageTokens } = options.tokens;
  const ofAll = { ...options, pageTokens };
  app.use(page('/', ofAll, options.status, renderClustersPage), probes(ofAll));
  return app.use(notFound, answerErrors(options.log));
}

type OptionsOfOne = ClusterEndpoints & Tokens & Pick<ServerOptions, 'byCertificate' | 'open' | 'log'>;

/** What the endpoints of one cluster need. One that nobody has lets nobody in but who may know which there are. */
function optionsOf(
  name: string,
  { tokens, find, byCertificate, open, log }: ClustersServerOptions,
): OptionsOfOne {
  const found = find(name);
  const endpoints = found?.endpoints ?? notServed(name, found !== undefined);
  return {
    ...endpoints,
    ...openTokens(found?.tokens, tokens),
    ...(byCertificate && found && { byCertificate }),
    open,
    log,
  };
}

function notServed(name: string, isKnown: boolean): ClusterEndpoints {
  const refuse = (): Promise<never> =>
    Promise.reject(
      isKnown
        ? new HttpError(503, `the cluster ${name} is not served at the moment: the page says why`, {
            headers: { 'Retry-After': '10' },
          })
        : new HttpError(404, `no such cluster: ${JSON.stringify(name)}`),
    );
  return {
    clusters: isKnown ? [name] : [],
    self: [],
    enqueue: refuse,
    reconcile: refuse,
    status: refuse,
    object: refuse,
  };
}

/** Tokens of one cluster: those of a source's replicas, each new within the hour. */
const MOST_KEPT = 1_000;

/**
 * Who may send events to a cluster. As with callers, a token that was never verified is refused after the same time and in the same words
 * whether there is such a cluster or not, and whether its keys can be read or not. Why is for the log.
 */
class SendersBehindNames {
  readonly #log: Log;
  readonly #refusedAfterMs: number;
  /** The hashes of tokens that were verified once, by who verifies them. */
  readonly #known = new WeakMap<VerifySender, BoundedMap<string, true>>();

  constructor(log: Log, refusedAfterMs = REFUSED_AFTER_MS) {
    this.#log = log;
    this.#refusedAfterMs = refusedAfterMs;
  }

  /** Throws while the keys of the cluster cannot be read, for a token that was verified once. */
  of(cluster: string, verify: VerifySender | undefined): VerifySender {
    return async (token) => {
      const refused = sleep(this.#refusedAfterMs, '', { ref: false });
      if (!verify) return refused;
      const known = this.#known.get(verify) ?? new BoundedMap<string, true>(MOST_KEPT);
      this.#known.set(verify, known);
      const name = createHash('sha256').update(token).digest('base64');
      const wrong = await verify(token).catch((error: unknown) => {
        if (known.has(name)) throw error;
        return errorText(error);
      });
      if (wrong === undefined) {
        known.set(name, true);
        return undefined;
      }
      this.#log.info(`no valid OIDC token: ${wrong}`, { cluster });
      return refused;
    };
  }
}
