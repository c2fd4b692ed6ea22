/** Ten requests of a hundred dry runs each start a thousand runs at once: POST /resync passes by the queue and its limit. */
import { serve } from '../../../functions/serve.ts';
import { pause, startSandboxWorld } from '../../support/sandbox-world.ts';
import { show, SILENT } from '../show.ts';

const it = await startSandboxWorld();
const serving = await serve({
  flags: { kubeconfig: it.kubeconfig, cloudConfig: it.cloudConfig, listen: '127.0.0.1:0' },
  env: { LEVELSET_RESYNC_TOKENS: 'resync-token' },
  log: SILENT,
});
await pause(500);
const before = it.sandbox.requests.length;
const objects = Array.from({ length: 100 }, (_, at) => `service/default/z${at}`);
const started = performance.now();
await Promise.all(
  Array.from({ length: 10 }, async () => {
    const answer = await fetch(`${serving.url}/resync`, {
      method: 'POST',
      headers: { authorization: 'Bearer resync-token', 'content-type': 'application/json' },
      body: JSON.stringify({ objects, dryRun: true }),
    });
    await answer.text();
  }),
);
show('requests to the APIs', it.sandbox.requests.length - before);
show('time', `${Math.round(performance.now() - started)} ms`);
await serving.stop();
await it.close();
