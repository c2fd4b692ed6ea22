/** A Service as the simulators have it, its condition and Events, and the requests that they recorded. */
import type { KubeObject, Sandbox, SandboxInside } from '../../infra/sandbox/sandbox.ts';
import type { Condition, LoadBalancerIngress, Service } from '../../shared/model/kubernetes.ts';

export function serviceOf(sandbox: Pick<Sandbox, 'kube'>, name = 'web', namespace = 'default') {
  return sandbox.kube.get('Service', namespace, name) as Service | undefined;
}

export function ingressOf(sandbox: Pick<Sandbox, 'kube'>, name = 'web'): readonly LoadBalancerIngress[] {
  return serviceOf(sandbox, name)?.status?.loadBalancer?.ingress ?? [];
}

export const addressOf = (sandbox: Pick<Sandbox, 'kube'>, name = 'web') => ingressOf(sandbox, name)[0]?.ip;

export function readyOf(sandbox: Pick<Sandbox, 'kube'>, name = 'web'): Condition | undefined {
  return serviceOf(sandbox, name)?.status?.conditions?.find(({ type }) => type.endsWith('/Ready'));
}

export function eventsAt({ kube }: Pick<Sandbox, 'kube'>, name: string): readonly KubeObject[] {
  const isOf = ({ involvedObject }: KubeObject) => (involvedObject as { name: string }).name === name;
  return kube.list('Event', 'default').filter(isOf);
}

/** `REASON xCOUNT`, sorted. */
export const eventsOf = (sandbox: Pick<Sandbox, 'kube'>, name = 'web'): readonly string[] =>
  eventsAt(sandbox, name)
    .map(({ reason, count }) => `${String(reason)} x${String(count)}`)
    .sort();

/** `REASON: MESSAGE` of each warning. */
export function warningsOf({ kube }: Pick<Sandbox, 'kube'>): readonly string[] {
  const warnings = kube.list('Event', 'default').filter(({ type }) => type === 'Warning');
  return warnings.map(({ reason, message }) => `${String(reason)}: ${String(message)}`);
}

/** `METHOD PATH` of every write to OpenStack, ids and queries left out. */
export function cloudWrites(sandbox: Pick<Sandbox, 'requests'>): readonly string[] {
  return sandbox.requests
    .filter(({ write, side }) => write && side === 'openstack')
    .map(({ method, path }) => {
      const bare = path.replace(/\?.*/, '').replace(/^.*\/(lbaas|v2\.0)\//, '');
      return `${method} ${bare.replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, 'ID')}`;
    });
}

/** What tells the requests to OpenStack since it was asked last, `METHOD PATH`, ids and queries left out. */
export function callsSince({ requests }: Pick<Sandbox, 'requests'>, from = 0): () => readonly string[] {
  let seen = from;
  return () => {
    const made = requests
      .slice(seen)
      .filter(({ side, service }) => side === 'openstack' && service !== 'keystone');
    seen = requests.length;
    return made.map(
      ({ method, path }) => `${method} ${path.replace(/[0-9a-f-]{36}/g, 'ID').split('?')[0] ?? ''}`,
    );
  };
}

/** Takes the Service away at once, as `--force` with the finalizers edited out does. */
export function forceDelete(sandbox: Pick<Sandbox, 'kube'>, name = 'web'): KubeObject {
  const its = sandbox.kube.apply({
    kind: 'Service',
    metadata: { name, namespace: 'default', finalizers: [] },
  });
  sandbox.kube.delete('Service', 'default', name);
  return its;
}

/** What is left of us in OpenStack and Kubernetes; all empty when everything was taken back. */
export function leftovers({ cloud }: Pick<SandboxInside, 'cloud'>): Readonly<Record<string, number>> {
  const counts = {
    loadbalancers: cloud.loadbalancers.length,
    listeners: cloud.listeners.length,
    pools: cloud.pools.length,
    members: cloud.members.length,
    healthmonitors: cloud.healthmonitors.length,
    floatingips: cloud.floatingips.length,
    vipPorts: cloud.ports.filter(({ device_owner }) => device_owner === 'Octavia').length,
  };
  return Object.fromEntries(Object.entries(counts).filter(([, count]) => count > 0));
}
