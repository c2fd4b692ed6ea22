import type { SandboxInside } from '../../../infra/sandbox/sandbox.ts';

const KINDS = ['Service', 'Node', 'ConfigMap', 'Lease', 'Event', 'Secret', 'Namespace'];

/** All objects of a cluster, and everything in OpenStack that is its own, field by field. @param uid of the cluster */
export function everythingOf({ kube, cloud }: Pick<SandboxInside, 'kube' | 'cloud'>, uid: string): unknown {
  const tag = `levelset-cluster=${uid}`;
  const isIts = ({ tags }: { readonly tags: readonly string[] }): boolean => tags.includes(tag);
  const loadbalancers = cloud.loadbalancers.filter(isIts);
  const ids = new Set(loadbalancers.map(({ id }) => id));
  const pools = cloud.pools.filter(({ loadbalancer_id: id }) => ids.has(id));
  const poolIds = new Set(pools.map(({ id }) => id));
  const servers = kube.list('Node').map(({ spec }) => String(spec?.['providerID']).split('/').at(-1));
  const securityGroups = cloud.securityGroups.filter(isIts);
  const groupIds = new Set(securityGroups.map(({ id }) => id));
  return structuredClone({
    objects: KINDS.flatMap((kind) => kube.list(kind)),
    loadbalancers: [...loadbalancers],
    pools: [...pools],
    listeners: [...cloud.listeners.filter(({ loadbalancer_id: id }) => ids.has(id))],
    members: [...cloud.members.filter(({ pool_id: id }) => poolIds.has(id))],
    monitors: [...cloud.healthmonitors.filter(({ pool_id: id }) => poolIds.has(id))],
    floatingips: [...cloud.floatingips.filter(isIts)],
    securityGroups: [...securityGroups],
    rules: [...cloud.securityGroupRules.filter(({ security_group_id: id }) => groupIds.has(id))],
    ports: [
      ...cloud.ports.filter(
        ({ device_id: device }) => servers.includes(device) || [...ids].some((id) => device === `lb-${id}`),
      ),
    ],
  });
}
