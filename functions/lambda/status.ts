import { status } from '../status.ts';
import { statusRows } from '../status-rows.ts';
import { readTokens } from '../tokens.ts';
import { connectedFunction } from './connected.ts';
import { httpFunction } from './http-function.ts';

/** GET / and /readyz: the Services as their own status tells. Nothing runs here that /metrics could be read of. */
export const handler = httpFunction(async () => {
  const connected = await connectedFunction();
  const { kube, clock, config } = connected.world;
  return status({
    open: false,
    pageTokens: readTokens(connected.env).pageTokens,
    ready: () => connected.ready(),
    metrics: () => Promise.resolve({ contentType: 'text/plain', body: '' }),
    status: async () => ({
      cluster: config.clusterName,
      generatedAt: new Date(clock.now()).toISOString(),
      rows: statusRows(await kube.listServices(), config, new Map()),
    }),
  });
});
