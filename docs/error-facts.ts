/** What people need to know of each error code besides its row in the table of codes. */
import type { Disposition, ErrorCode } from '../shared/model/errors.ts';

interface ErrorFacts {
  readonly meaning: string;
  /** What does not work meanwhile. */
  readonly impact: string;
  readonly see: string;
  readonly mend: string;
  /** Absent: what its disposition says. */
  readonly itself?: string;
}

const SOON = 'runs again within 30 s';

/** What levelset does by itself, where a code does not say otherwise. */
export const BY_ITSELF: Readonly<Partial<Record<Disposition, string>>> = {
  retry: SOON,
  blocked: 'runs again when the object changes, and in each sweep',
  operator: 'runs again within five minutes, at once after an event',
  bug: SOON,
};

// prettier-ignore
export const ERROR_FACTS: Readonly<Record<ErrorCode, ErrorFacts>> = {
  CLUSTER_HELD: { meaning: 'another deployment of levelset writes to this cluster', impact: 'none, if that one works', see: '`kubectl -n levelset get lease levelset-deployment`', mend: 'stop one of the two; where the other one is gone for good, delete that Lease', itself: 'has the cluster when the other one has not swept for two intervals' },
  LEASE_LOST: { meaning: 'another process leads, as after a pause of this one', impact: 'none', see: 'the log', mend: 'nothing; if it lasts, the process gets too little CPU', itself: SOON },
  CHANGED_MEANWHILE: { meaning: 'somebody else wrote to a port, took a CIDR, or recorded the deletion of a Node', impact: 'none', see: 'the log', mend: 'nothing', itself: 'reads again at once' },
  LOAD_BALANCER_BUSY: { meaning: 'Octavia still works on the load balancer', impact: 'the change waits; what serves, serves on', see: '`openstack loadbalancer show ID`: PENDING', mend: 'nothing; PENDING for many minutes is the cloud operator’s', itself: 'polls Octavia, and goes on when it is done' },
  FAILOVER_REFUSED: { meaning: 'the cloud keeps failovers for administrators, or the provider has none', impact: 'the load balancer stays in ERROR until it is rebuilt', see: 'the page: what waits for an approval', mend: 'approve the rebuild that the plan shows', itself: 'rebuilds where it may, else says who must act' },
  BUDGET_SPENT: { meaning: 'the time of a run was over before OpenStack and the kube-apiserver had answered', impact: 'this object waits', see: 'durations of requests on the dashboard', mend: 'find out what answers slowly; else raise `--reconcile-timeout` (on AWS the timeout of `reconcile`)' },
  KUBE_CONFLICT: { meaning: 'the object changed between reading and writing', impact: 'none', see: 'the log', mend: 'nothing; if it lasts, a second controller writes to it', itself: 'reads again at once' },
  KUBE_UNAVAILABLE: { meaning: 'the kube-apiserver did not answer, or asked for patience', impact: 'nothing is seen or reported', see: '`/readyz`', mend: '[a side that is away](side-away.md)' },
  KUBE_FORBIDDEN: { meaning: '401 or 403 of the kube-apiserver', impact: 'what needs the call fails', see: 'the log names the right', mend: '[a right is missing](right-missing.md)' },
  KUBE_DENIED: { meaning: 'a policy, an admission webhook or a ResourceQuota refused what levelset wrote, or a mutating webhook took the finalizer out of it', impact: 'the object’s status or finalizer is not written; without the finalizer no load balancer is made', see: 'an Event of the object, the log: the name of the policy, webhook or quota', mend: '[a right is missing](right-missing.md)' },
  KUBE_WEBHOOK_FAILED: { meaning: 'an admission webhook that must answer did not', impact: 'what it guards is not written', see: 'an Event of the object, the log: the name of the webhook', mend: '[a right is missing](right-missing.md)' },
  KUBE_NAMESPACE_ENDS: { meaning: 'a namespace that is being deleted takes nothing new', impact: 'none, if it is to go', see: '`kubectl get namespaces`: Terminating', mend: 'nothing; if it is levelset’s own, install levelset anew' },
  KUBE_REJECTED: { meaning: 'the kube-apiserver refused what levelset wrote', impact: 'the object’s status or finalizer is not written', see: 'the log', mend: '[a fault](fault.md)' },
  CLOUD_UNAVAILABLE: { meaning: 'an OpenStack service did not answer, or with 5xx, or a proxy in front of it refuses', impact: 'what needs that service waits', see: 'the message, `/readyz`, the dashboard', mend: '[a side that is away](side-away.md); also `ca-file`' },
  RATE_LIMITED: { meaning: '429 of an OpenStack service, to this request or to one just before', impact: 'requests to it wait', see: '_Requests to OpenStack at a time_ on the dashboard', mend: '[requests that wait](requests-wait.md)', itself: 'sends nothing before the service allows it' },
  GONE: { meaning: 'something vanished between reading and writing', impact: 'none', see: 'the log', mend: 'nothing', itself: 'looks for it again' },
  CONFLICT: { meaning: 'OpenStack says that something is in the way', impact: 'the change waits', see: 'the message', mend: 'remove what it names' },
  ADDRESSES_EXHAUSTED: { meaning: 'a network or subnet has no free address left', impact: 'new load balancers and floating IPs wait', see: '`openstack floating ip list --status DOWN`', mend: '[no room](room-missing.md)', itself: 'tries all subnets that a pattern matches, and goes on when one has room' },
  QUOTA_EXCEEDED: { meaning: 'the project has no room; nothing was created', impact: 'new load balancers wait', see: '`openstack loadbalancer quota show PROJECT`', mend: '[no room](room-missing.md)', itself: 'goes on when there is room' },
  LOAD_BALANCER_ERROR: { meaning: 'the load balancer is in ERROR, and levelset may not repair it by itself', impact: 'it may serve or not', see: '`levelset plan`: what waits for an approval', mend: '[a broken load balancer](load-balancer-broken.md)', itself: 'repairs what nobody else uses, within a budget' },
  LOAD_BALANCER_STUCK: { meaning: 'Octavia left the load balancer in PENDING for more than an hour', impact: 'no change reaches it; it serves as it did', see: 'the message', mend: '[a broken load balancer](load-balancer-broken.md)', itself: 'goes on when Octavia lets go' },
  REJECTED: { meaning: 'OpenStack does not take a value', impact: 'what needs it is not changed, members follow the Nodes', see: 'the condition: OpenStack’s message', mend: 'change the Service' },
  NOT_FOUND: { meaning: 'something that was named is not there, or the project may not see it', impact: 'this object is not changed', see: 'the condition', mend: 'name another' },
  UNAUTHORIZED: { meaning: 'Keystone or a service refused the credentials', impact: 'nothing of OpenStack can be read or changed', see: '`openstack token issue` with the same credentials', mend: '[credentials](credentials-refused.md)', itself: 'takes another password within 10 s; tries the same one again every 1 to 5 minutes' },
  FORBIDDEN: { meaning: 'the user may not do this', impact: 'what needs the call fails', see: 'the message names the access rule that is missing', mend: '[a right is missing](right-missing.md)' },
  CONFIG_INVALID: { meaning: 'the configuration cannot be used', impact: 'at the start: nothing runs; later: what needs it fails', see: 'the message names file, line and key, or the flag', mend: 'correct it', itself: 'reads files that it follows again' },
  UNEXPECTED_RESPONSE: { meaning: 'an answer that is not what the API promises, often a proxy’s page; or a fault of levelset', impact: 'this object waits', see: 'the log', mend: '[a fault](fault.md)' },
};
