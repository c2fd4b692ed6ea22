/**
 * One namespace has a thousand Services that are blocked, and touches them all. A Service of another namespace waits until
 * levelset has run every one of them: the queue knows no fairness between namespaces.
 */
import { serve } from '../../../functions/serve.ts';
import { pause, startSandboxWorld } from '../../support/sandbox-world.ts';
import { aService } from '../../support/service.ts';
import { show, SILENT } from '../show.ts';

const MANY = 1_000;
const SUBNET = 'loadbalancer.openstack.org/subnet-id';
const it = await startSandboxWorld();
const { kube } = it.sandbox;
kube.apply({ kind: 'Namespace', metadata: { name: 'evil' } });
const names = Array.from({ length: MANY }, (_, at) => `b${at}`);
for (const name of names)
  kube.apply(
    aService({ namespace: 'evil', name, annotations: { [SUBNET]: '6d0f0d8e-1d1a-4f4a-9a51-0d7a2a3b4c5d' } }),
  );
const done: string[] = [];
const serving = await serve({
  flags: { kubeconfig: it.kubeconfig, cloudConfig: it.cloudConfig, listen: '127.0.0.1:0' },
  env: { LEVELSET_AUDIT_TOKENS: 'audit-token' },
  log: SILENT,
  reported: ({ request }) => {
    done.push(request.key);
  },
});
const send = async (namespace: string, touched: readonly string[]): Promise<void> => {
  const items = touched.map((name) => ({
    auditID: name,
    stage: 'ResponseComplete',
    requestURI: '/',
    verb: 'update',
    user: { username: 'someone' },
    objectRef: { resource: 'services', namespace, name },
    responseStatus: { code: 200 },
  }));
  await fetch(`${serving.url}/audit/kubernetes`, {
    method: 'POST',
    headers: { authorization: 'Bearer audit-token', 'content-type': 'application/json' },
    body: JSON.stringify({ kind: 'EventList', apiVersion: 'audit.k8s.io/v1', items }),
  });
};
await pause(200);
const started = performance.now();
await send('evil', names);
kube.apply(aService());
await send('default', ['web']);
while (!done.includes('service/default/web') && performance.now() - started < 100_000) await pause(100);
show('the other namespace waited', `${Math.round(performance.now() - started)} ms`);
show('runs before its own', done.indexOf('service/default/web'));
await serving.stop();
await it.close();
