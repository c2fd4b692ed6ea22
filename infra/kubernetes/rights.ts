/**
 * Every right of levelset in Kubernetes: docs/rights.md is made of it, and the manifests of this folder grant exactly these. Each
 * names the smallest scenario of test/rights that fails without it.
 */
export interface ClusterRight {
  /** Of this folder, without `.yaml`. */
  readonly manifest: string;
  readonly verb: string;
  /** `RESOURCE.GROUP` or `RESOURCE/SUBRESOURCE`. */
  readonly resource: string;
  /** Only the object of this name; `levelset-state-N` is one of eight. */
  readonly name?: string;
  /** Only there: levelset's own namespace, and one that opts in. */
  readonly namespace?: 'levelset' | 'default';
  readonly why: string;
  readonly scenario: string;
}

type Row = readonly [verbs: string, what: string, why: string, scenario: string];

/** What: the resource, for one object its name, for one namespace `in` it. */
// prettier-ignore
const ROWS: Readonly<Record<string, readonly Row[]>> = {
  rbac: [
    ['get', 'services', 'reads the Service that a run is about', 'a Service with a certificate of Barbican'],
    ['list', 'services', 'finds Services of which an event was lost', 'a sweep with nothing to do'],
    ['patch', 'services/status', 'writes address and condition, finalizer and annotations in one call', 'a Service, deleted'],
    ['list', 'nodes', 'knows the members', 'a route less'],
    ['list', 'endpointslices.discovery.k8s.io', 'knows the members of a Service that follow its Pods', 'a Pod on one of two Nodes of a Service with externalTrafficPolicy Local'],
    ['get', 'namespaces kube-system', 'its UID is the identity of the cluster', 'a Service with a certificate of Barbican'],
    ['create', 'events', 'tells what was done, and what failed', 'a Node that joins'],
    ['get', 'events', 'counts an Event that comes again', 'a Service with the same Event again'],
    ['patch', 'events', 'counts an Event that comes again', 'a Service with the same Event again'],
    ['get', 'leases.coordination.k8s.io in levelset', 'knows which deployment writes to the cluster, and which of its processes leads', 'a process that leads'],
    ['create', 'leases.coordination.k8s.io in levelset', 'makes the Leases of a process that leads, and of a deployment', 'a process that leads'],
    ['update', 'leases.coordination.k8s.io in levelset', 'goes on to lead, and gives it back', 'a process that leads'],
    ['list', 'pods in levelset', 'finds the Pod that led before', 'a process that leads'],
    ['patch', 'pods in levelset', 'gives the Pod that leads the label which the Service selects', 'a process that leads'],
    ['list', 'configmaps in levelset', 'knows which Services are settled', 'a sweep with nothing to do'],
    ['create', 'configmaps in levelset', 'makes a record that is not there yet', 'a route'],
    ['get', 'configmaps levelset-state-N in levelset', 'tells drift from what is still to do', 'a pool that somebody changed, where drift is reported'],
    ['patch', 'configmaps levelset-state-N in levelset', 'keeps that a Service is settled', 'an internal Service'],
    ['get', 'configmaps levelset-deletions in levelset', 'counts what was deleted in the last hour', 'a Node whose server is gone'],
    ['patch', 'configmaps levelset-deletions in levelset', 'counts what was deleted in the last hour', 'a second Node whose server is gone'],
    ['get', 'configmaps levelset-place in levelset', 'knows the project and the region of the load balancers', 'a Service with a certificate of Barbican'],
    ['patch', 'configmaps levelset-place in levelset', 'adds a region to a record without one', 'a Service as it was before regions were recorded'],
  ],
  'rbac-nodes': [
    ['get', 'nodes', 'reads the Node that a run is about', 'a Node that joins'],
    ['patch', 'nodes', 'sets providerID and labels, and takes the taint away', 'a Node that joins'],
    ['delete', 'nodes', 'deletes one whose server is gone', 'a Node whose server is gone'],
    ['patch', 'nodes/status', 'sets addresses and conditions', 'a route'],
    ['get', 'configmaps levelset-routes in levelset', 'knows which routes it wrote', 'a route less'],
    ['patch', 'configmaps levelset-routes in levelset', 'keeps which routes it wrote', 'a route less'],
  ],
  'rbac-pods': [
    ['list', 'pods', 'checks whose an address is (`allocateLoadBalancerNodePorts: false`)', 'a Service whose members are Pods'],
  ],
  'rbac-watch': [
    ['watch', 'services', 'hears of changes (`--watch`)', 'the watches'],
    ['watch', 'nodes', 'hears of changes (`--watch`)', 'the watches'],
    ['watch', 'endpointslices.discovery.k8s.io', 'hears of changes, once members follow them (`--watch`)', 'the watches'],
  ],
  'rbac-clusters': [
    ['get', 'leases.coordination.k8s.io in levelset', 'knows which of its processes leads (`--clusters`)', 'a process that leads'],
    ['create', 'leases.coordination.k8s.io in levelset', 'makes the Lease of the one that leads (`--clusters`)', 'a process that leads'],
    ['update', 'leases.coordination.k8s.io in levelset', 'goes on to lead, and gives it back (`--clusters`)', 'a process that leads'],
    ['list', 'pods in levelset', 'finds the Pod that led before (`--clusters`)', 'a process that leads'],
    ['patch', 'pods in levelset', 'gives the Pod that leads the label which the Service selects (`--clusters`)', 'a process that leads'],
    ['list', 'secrets in levelset', 'knows the entries of the registry (`--clusters=secrets`)', 'the registry of Secrets'],
    ['watch', 'secrets in levelset', 'hears of entries that come, change and go (`--clusters=secrets`)', 'the registry of Secrets'],
  ],
  'tls-secrets.example': [
    ['get', 'secrets in default', 'reads a certificate (`tls-secret`)', 'a certificate of a Secret'],
  ],
};

export const CLUSTER_RIGHTS: readonly ClusterRight[] = Object.entries(ROWS).flatMap(([manifest, rows]) =>
  rows.map(([verb, what, why, scenario]) => {
    const [, resource = '', name, namespace] = /^(\S+)(?: (?!in )(\S+))?(?: in (\S+))?$/.exec(what) ?? [];
    return {
      ...{ manifest, verb, resource, why, scenario },
      ...(name !== undefined && { name }),
      ...(namespace !== undefined && { namespace: namespace as 'levelset' | 'default' }),
    };
  }),
);
