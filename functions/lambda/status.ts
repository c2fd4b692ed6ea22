import { status } from '../status.ts';
import { allRows, listObjects } from '../all-rows.ts';
import { readTokens } from '../tokens.ts';
import { connectedFunction } from './connected.ts';
import { httpFunction } from './http-function.ts';

/** GET / and /readyz: Services and Nodes as their own status tells. Nothing runs here that /metrics could be read of. */
export const handler = httpFunction(async () => {
  const connected = await connectedFunction();
  const { clock, config } = connected.world;
  return status({
    open: false,
    pageTokens: readTokens(connected.env).pageTokens,
    ready: () => connected.ready(),
    metrics: () => Promise.resolve({ contentType: 'text/plain', body: '' }),
    status: async () => ({
      cluster: config.clusterName,
      generatedAt: new Date(clock.now()).toISOString(),
      rows: allRows(await listObjects(connected.world), config, new Map()),
    }),
  });
});
