import type { RecordedRequest, Sandbox } from '../../infra/sandbox/sandbox.ts';
import { sweep } from '../../shared/sweep.ts';
import { aService } from '../support/service.ts';
import { aTlsSecret, certificateOf } from '../support/tls-secret.ts';
import { run, startSandboxWorld } from '../support/sandbox-world.ts';

/** A merge patch takes away what is null. */
const GONE = null as unknown as string;
const SECRET = 'levelset.openstack.org/tls-secret';
const CLIENT_CA = 'levelset.openstack.org/client-ca-tls-container-ref';
const ZONE = 'loadbalancer.openstack.org/availability-zone';
const REFERENCES = 'levelset.openstack.org/tls-container-refs';

/** A life with everything in it that levelset has a call for; the requests that came of it. */
export async function recordLifecycle(): Promise<readonly RecordedRequest[]> {
  const it = await startSandboxWorld({ pendingMs: 2 }, { manageSecurityGroups: true });
  const { kube, cloud } = it.sandbox;
  // with limits, what is there is counted before a create
  Object.assign(cloud.quotas, { load_balancer: 9, listener: 99, pool: 99, member: 999, health_monitor: 99 });
  const later = { ...it.world, clock: { now: () => Date.now() + 5_000 } };
  const http = { name: 'http', port: 80, nodePort: 30080 };
  const change = async (wanted: Parameters<typeof aService>[0]): Promise<void> => {
    kube.apply(aService(wanted));
    await it.settle('web');
  };
  try {
    await change({ spec: { ports: [http] } });
    // a record of the place from before regions were recorded
    kube.apply({
      kind: 'ConfigMap',
      metadata: { namespace: 'levelset', name: 'levelset-place' },
      data: { region: GONE },
    });
    await sweep(await it.another());
    await change({ spec: { ports: [http, { name: 'dns', port: 53, protocol: 'UDP' }] } });
    await change({ spec: { ports: [http] } });
    await change({ spec: { sessionAffinity: 'ClientIP', loadBalancerSourceRanges: ['10.0.0.0/8'] } });
    await change({ annotations: { 'loadbalancer.openstack.org/health-monitor-delay': '9' } });
    await change({ annotations: { 'loadbalancer.openstack.org/enable-health-monitor': 'false' } });
    await change({ annotations: { 'loadbalancer.openstack.org/enable-health-monitor': 'true' } });
    const { type, data } = aTlsSecret('one');
    kube.apply({ kind: 'Secret', metadata: { name: 'web-tls' }, type, data: { ...data } });
    await change({ annotations: { [SECRET]: 'web-tls' } });
    await change({ annotations: { [SECRET]: GONE, [REFERENCES]: cloud.secrets[0]?.id ?? '' } });
    const text = { payload: certificateOf('one'), payload_content_type: 'text/plain' };
    const { id } = await it.world.cloud.create('secret', { ...text, secret_type: 'certificate' });
    await change({ annotations: { [CLIENT_CA]: id } });
    await change({ annotations: { [REFERENCES]: GONE, [CLIENT_CA]: GONE } });
    const qos = 'levelset.openstack.org/vip-qos-policy-id';
    await change({ annotations: { [qos]: 'aaaaaaaa-0000-4000-8000-000000000001' } });
    await change({ annotations: { [qos]: GONE } });
    await it.sweepUntilSettled();
    for (const node of ['node-4', 'node-5', 'node-6']) {
      kube.addNode(node);
      if (node !== 'node-5') await it.settle('web');
    }
    for (const node of ['node-4', 'node-3', 'node-2', 'node-1', 'node-5']) {
      kube.removeNode(node);
      await it.settle('web');
    }
    kube.addNode('node-7');
    await change({ spec: { ports: [http], externalTrafficPolicy: 'Local' } });
    // one of two nodes has the Pod, so that one member changes and not all of a pool
    kube.apply(theEndpoint('node-7'));
    await it.settle('web');
    await change({ spec: { ports: [http], externalTrafficPolicy: 'Cluster' } });
    cloud.flavors.push({ id: cloud.newId(), name: 'large', description: '', enabled: true });
    cloud.availabilityZones.push({ name: 'az1', description: '', enabled: true });
    const annotations = { 'levelset.openstack.org/flavor': 'large', [ZONE]: 'az1' };
    kube.apply(aService({ name: 'pods', annotations, spec: { allocateLoadBalancerNodePorts: false } }));
    await it.settle('pods');
    kube.delete('Service', 'default', 'pods');
    await it.settle('pods');
    const redirect = { 'levelset.openstack.org/redirect-http': 'true' };
    const host = 'levelset.openstack.org/redirect-host';
    await change({ annotations: { 'levelset.openstack.org/protocol': 'http' } });
    await change({ annotations: { ...redirect, [host]: 'app.example.org' } });
    await change({ annotations: { ...redirect, [host]: 'www.example.org' } });
    await change({ annotations: { 'levelset.openstack.org/redirect-http': 'false' } });
    await change({ annotations: { 'service.beta.kubernetes.io/openstack-internal-load-balancer': 'true' } });
    await change({
      annotations: {
        'service.beta.kubernetes.io/openstack-internal-load-balancer': 'false',
        'loadbalancer.openstack.org/floating-subnet': 'public-*',
      },
    });
    await run({ key: 'service/default/web', trigger: 'resync' }, later);
    await sweep(later);
    await it.sweepUntilSettled(later);
    // listeners of somebody else keep a load balancer alive, and it loses our tags
    const [lb] = cloud.loadbalancers;
    const [listener] = cloud.listeners;
    if (lb && listener)
      cloud.listeners.push({ ...listener, id: cloud.newId(), tags: [], protocol_port: 9100 });
    kube.delete('Service', 'default', 'web');
    await it.settle('web');
    const { floating_ip_address } = cloud.addFloatingIp();
    kube.apply(aService({ name: 'dns', spec: { loadBalancerIP: floating_ip_address } }));
    await it.settle('dns');
    const dns = cloud.loadbalancers.at(-1);
    if (dns) cloud.setStatus(dns.id, 'ERROR');
    await it.settle('dns');
    kube.delete('Service', 'default', 'dns');
    await it.sweepUntilSettled();
    return it.sandbox.requests;
  } finally {
    await it.close();
  }
}

function theEndpoint(nodeName: string): Parameters<Sandbox['kube']['apply']>[0] {
  const endpoint = { addresses: ['10.244.0.1'], nodeName, conditions: { ready: true } };
  return {
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: {
      name: 'web-x7k2p',
      namespace: 'default',
      labels: { 'kubernetes.io/service-name': 'web' },
    },
    endpoints: [endpoint],
  };
}
