import { Router } from 'express';
import { renderPage } from '../../shared/report/page/objects-page.ts';
import type { StatusView } from '../../shared/report/page.ts';
import { readTokens } from '../http/admit.ts';
import { HttpError } from '../http/exchange.ts';
import { page, probes } from '../status.ts';
import { listObjects, statusRows } from '../status-rows.ts';
import { functionClusters } from './clusters/clusters.ts';
import { connectedFunction, type ConnectedFunction } from './connected.ts';
import { expressFunction } from './express-function.ts';
import { asFunction } from './invocation.ts';

/** There are none: nothing runs here. */
const metrics = () => Promise.resolve({ contentType: 'text/plain', body: '' });

/** GET /, /readyz and /clusters/:cluster. A page of all clusters would read each of them for whoever looks at one. */
export const handler = asFunction(
  expressFunction(async (env) => {
    const clusters = await functionClusters();
    const ours = { open: false, pageTokens: readTokens(env).pageTokens, metrics };
    if (!clusters) {
      const connected = await connectedFunction();
      return Router().use(
        page('/', ours, () => viewOf(connected), renderPage),
        probes({ ...ours, ready: () => connected.ready() }),
      );
    }
    const ask = clusters.asking(env);
    return Router()
      .all('/', () => {
        throw new HttpError(404, 'this levelset serves several clusters: name one, /clusters/CLUSTER');
      })
      .all('/clusters/:cluster', async (request, response, next) => {
        const { cluster } = request.params;
        const { tokens, connected } = await ask(cluster, 'pageTokens', request.headers);
        const view = async (): Promise<StatusView> => ({ ...(await viewOf(await connected())), cluster });
        const path = `/clusters/${cluster}`;
        page(
          '/clusters/:cluster',
          { ...tokens, open: false },
          view,
          renderPage,
          path,
        )(request, response, next);
      })
      .use(probes({ ...ours, ready: () => clusters.missing() }));
  }),
);

async function viewOf({ world }: ConnectedFunction): Promise<StatusView> {
  const { clock, config } = world;
  const rows = statusRows(await listObjects(world), config, new Map());
  return { cluster: config.clusterName, generatedAt: new Date(clock.now()).toISOString(), rows };
}
