/**
 * With --controllers=route a failed list of Nodes has nobody who waits for it; with --controllers=cloud-node the same holds for
 * the cluster's id. Node ends the process for either. Here a handler prints it instead.
 */
import { serve } from '../../../functions/serve.ts';
import { sweep } from '../../../shared/sweep.ts';
import { aConfig } from '../../support/config.ts';
import { pause, startSandboxWorld } from '../../support/sandbox-world.ts';
import { show, SILENT } from '../show.ts';

process.on('unhandledRejection', (reason) => {
  show('UNHANDLED REJECTION', String(reason));
});
const it = await startSandboxWorld();
const world = await it.another({
  ...aConfig(it.sandbox.authUrl),
  controllers: ['node-route-controller'],
  route: { routerId: it.sandbox.cloud.routerId },
  clusterCidrs: ['10.244.0.0/16'],
});
await sweep(world);
const restore = it.sandbox.fault({
  match: { side: 'kube', method: 'GET', path: /\/nodes/ },
  kind: 'fail-before',
  times: 100,
});
show('sweep of routes alone, Nodes cannot be listed', (await sweep(world)).failed ?? 'no failure');
await pause(3_000);
restore();
it.sandbox.fault({
  match: { side: 'kube', method: 'GET', path: /namespaces\/kube-system$/ },
  kind: 'fail-before',
  status: 403,
  body: { kind: 'Status', status: 'Failure', message: 'forbidden', reason: 'Forbidden', code: 403 },
  times: 100,
});
const { kubeconfig, cloudConfig } = it;
const serving = await serve({
  flags: { kubeconfig, cloudConfig, controllers: 'cloud-node', listen: '127.0.0.1:0' },
  env: {},
  log: SILENT,
});
await pause(1_500);
await serving.stop();
await it.close();
