import { expect, test, vi } from 'vitest';
import { main } from '../../../functions/cli/main.ts';
import { makeAsGoProvider, makeAsKinx } from '../../support/old-controllers.ts';
import { inEachTest, startSandboxWorld } from '../../support/sandbox-world.ts';
import { serviceOf } from '../../support/told.ts';

const it = inEachTest(() => startSandboxWorld());

test.each([
  ['OCCM', makeAsGoProvider],
  ['kinx', makeAsKinx],
])('a load balancer of %s is changed as the Service and the nodes change', async (_, make) => {
  await make(it);
  await it.settle('web');
  it.kube.addNode('node-9');
  await it.settle('web');
  expect(it.cloud.members).toHaveLength(4);

  it.kube.removeNode('node-1');
  await it.settle('web');
  expect(it.cloud.members).toHaveLength(3);

  it.edit({ spec: { ports: [{ name: 'http', port: 8080, targetPort: 8080 }] } });
  await it.settle('web');
  expect(it.cloud.listeners.map(({ protocol_port }) => protocol_port)).toEqual([8080]);
  expect(it.cloud.loadbalancers).toHaveLength(1);
});

test('a change that kinx never made makes no sweep fail: it ends with 0 and says how many wait', async () => {
  await makeAsKinx(it);
  it.edit({ spec: { sessionAffinity: 'ClientIP' } });
  const out: string[] = [];
  const spy = vi.spyOn(console, 'log').mockImplementation((line: string) => void out.push(line));
  await it.settle('web');

  const code = await main(['sweep', '--kubeconfig', it.kubeconfig, '--cloud-config', it.cloudConfig]);

  spy.mockRestore();
  expect(code).toBe(0);
  expect(out.at(-1)).toMatch(/; 1 changes? waits? for approval$/);
});

test('handed back, OCCM finds all that it looks for', async () => {
  await makeAsGoProvider(it);
  await it.settle('web');
  const { loadbalancers, listeners, pools, healthmonitors, floatingips } = it.cloud;
  const name = 'kube_service_kubernetes_default_web';

  expect(loadbalancers.map((lb) => [lb.name, lb.tags.includes(name)])).toEqual([[name, true]]);
  expect(listeners.map((one) => [one.name, one.tags.includes(name)])).toEqual([[`listener_0_${name}`, true]]);
  const others = [...pools, ...healthmonitors].map((one) => one.name);
  expect(others).toEqual([`pool_0_${name}`, `monitor_0_${name}`]);
  expect(floatingips[0]?.description).toMatch(/^Floating IP for Kubernetes external service default\/web /);
  const id = serviceOf(it)?.metadata.annotations?.['loadbalancer.openstack.org/load-balancer-id'];
  expect(id).toBe(loadbalancers[0]?.id);
});
