import { Router } from 'express';
import { Answers } from '../../../shared/memory/answers.ts';
import { renderPage } from '../../../shared/report/page/objects-page.ts';
import { readTokens } from '../../http/admit.ts';
import { HttpError } from '../../http/http-error.ts';
import { listObjects, statusRows } from '../../status-rows.ts';
import { page, probes } from '../../status.ts';
import { AskedClusters } from './asked-clusters.ts';
import type { FunctionClusters } from './function-clusters.ts';
import { sourceOfFunction } from './source-of-function.ts';

/** For so long it counts whether Parameter Store has answered. */
const READY_MS = 5_000;

/** GET /clusters/:cluster and /readyz. A page of all would read each cluster for who looks at one. Throws CONFIG_INVALID. */
export function statusOfMany(clusters: FunctionClusters, env: NodeJS.ProcessEnv): Router {
  const asked = new AskedClusters(clusters, env);
  const answers = new Answers(1);
  const lifetime = { keepMs: READY_MS, clock: { now: () => Date.now() } };
  return Router()
    .all('/', () => {
      throw new HttpError(404, 'this levelset serves several clusters: name one, /clusters/CLUSTER');
    })
    .all('/clusters/:cluster', async (request, response, next) => {
      const { cluster } = request.params;
      const { tokens, connected } = await asked.find(cluster, 'pageTokens', request.headers);
      const view = async () => {
        const { world } = await connected();
        const rows = statusRows(await listObjects(world), world.config, new Map());
        return { cluster, generatedAt: new Date(world.clock.now()).toISOString(), rows };
      };
      const options = { open: false, pageTokens: tokens.pageTokens };
      const path = `/clusters/${cluster}`;
      page('/clusters/:cluster', options, view, renderPage, path)(request, response, next);
    })
    .use(
      probes({
        open: false,
        pageTokens: readTokens(env).pageTokens,
        ready: () => answers.read('registry', lifetime, () => sourceOfFunction(env).missing()),
        metrics: () => Promise.resolve({ contentType: 'text/plain', body: '' }),
      }),
    );
}
