import { status } from '../status.ts';
import { readTokens } from '../http/admit.ts';
import { listObjects, statusRows } from '../status-rows.ts';
import { functionClusters } from './clusters/clusters.ts';
import { connectedFunction } from './connected.ts';
import { expressFunction } from './express-function.ts';
import { asFunction } from './invocation.ts';

/** GET / and /readyz, or /clusters/:cluster and /readyz. The page shows Services and Nodes by their status. There are no metrics: nothing runs here. */
export const handler = asFunction(
  expressFunction(async (env) => {
    const clusters = await functionClusters();
    if (clusters) {
      const { statusOfMany } = await import('./clusters/status-of-many.ts');
      return statusOfMany(clusters, env);
    }
    const connected = await connectedFunction();
    const { clock, config } = connected.world;
    return status({
      open: false,
      pageTokens: readTokens(env).pageTokens,
      ready: () => connected.ready(),
      metrics: () => Promise.resolve({ contentType: 'text/plain', body: '' }),
      status: async () => ({
        cluster: config.clusterName,
        generatedAt: new Date(clock.now()).toISOString(),
        rows: statusRows(await listObjects(connected.world), config, new Map()),
      }),
    });
  }),
);
