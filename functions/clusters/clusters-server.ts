import express from 'express';
import type { Express } from 'express';
import type { Tokens } from '../../shared/config/tokens.ts';
import { renderClustersPage, type ClustersView } from '../../shared/report/page/clusters-page.ts';
import { renderPage } from '../../shared/report/page/objects-page.ts';
import { auditWebhook } from '../audit-webhook.ts';
import { events } from '../events.ts';
import { openTokens, type VerifySender, type ServerOptions } from '../http/admit.ts';
import { type ServedEndpoint, HttpError } from '../http/exchange.ts';
import { answerErrors, notFound, onExpress } from '../http/on-express.ts';
import { resync } from '../resync.ts';
import type { ClusterEndpoints } from '../serve/served-cluster.ts';
import { objectPages, page, probes, type ProbeOptions } from '../status.ts';

interface FoundCluster {
  readonly tokens: Tokens;
  /** Undefined: it is not served yet. */
  readonly endpoints: ClusterEndpoints | undefined;
}

interface ClustersServerOptions extends Pick<ServerOptions, 'log'>, Omit<ProbeOptions, 'pageTokens'> {
  /** Those of the deployment, which open every cluster. */
  readonly tokens: Tokens;
  readonly find: (name: string) => FoundCluster | undefined;
  readonly status: () => Promise<ClustersView>;
}

/** The app for several clusters: the endpoints with a cluster's name. A wrong token and an unknown name get one answer, 401. */
export function createClustersServer(options: ClustersServerOptions): Express {
  const app = express().disable('x-powered-by').disable('etag');
  const deliver: ServedEndpoint = (request) => {
    const name = /^\/(?:audit|events)\/([^/]+)\/?$/.exec(request.path)?.[1] ?? '';
    const its = optionsOf(name, options);
    return auditWebhook(its)(request) ?? events(tellingLog(name, its))(request);
  };
  app.use(onExpress(deliver));
  app.all('/resync', () => {
    throw new HttpError(404, 'this levelset serves several clusters: name one, /resync/CLUSTER');
  });
  app.all('/resync/:cluster', (request, response, next) => {
    const { cluster } = request.params;
    const its = optionsOf(cluster, options);
    resync(its, `/clusters/${cluster}`, '/resync/:cluster')(request, response, next);
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

type OptionsOfOne = ClusterEndpoints & Tokens & Pick<ServerOptions, 'open' | 'log'>;

/** What the endpoints of one cluster need. One that nobody has lets nobody in but who may know which there are. */
function optionsOf(name: string, { tokens, find, open, log }: ClustersServerOptions): OptionsOfOne {
  const found = find(name);
  const endpoints = found?.endpoints ?? notServed(name, found !== undefined);
  return {
    ...endpoints,
    ...openTokens(found?.tokens, tokens),
    open,
    log,
  };
}

/** Why an OIDC token is wrong is for the log alone: an answer with it would say that there is such a cluster. */
function tellingLog(cluster: string, { verifySender: verify, ...its }: OptionsOfOne): OptionsOfOne {
  if (!verify) return its;
  const verifySender: VerifySender = async (token) => {
    const wrong = await verify(token);
    if (wrong !== undefined) its.log.info(`the OIDC token is not valid: ${wrong}`, { cluster });
    return wrong && '';
  };
  return { ...its, verifySender };
}

function notServed(name: string, isKnown: boolean): ClusterEndpoints {
  const refuse = (): Promise<never> =>
    Promise.reject(
      isKnown
        ? new HttpError(503, `the cluster ${name} is not served at the moment: the page says why`, {
            headers: { 'Retry-After': '10' },
          })
        : new HttpError(404, `there is no cluster ${JSON.stringify(name)}`),
    );
  return {
    clusters: isKnown ? [name] : [],
    self: [],
    enqueue: refuse,
    dryRun: refuse,
    status: refuse,
    object: refuse,
  };
}
