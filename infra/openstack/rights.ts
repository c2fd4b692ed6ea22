/**
 * Every call that levelset makes to OpenStack: the source of access-rules.json and of docs/rights.md. Each names the smallest
 * scenario of test/rights/scenarios.ts that fails without it.
 */
export interface CloudRight {
  /** Type of the service in the catalog. */
  readonly service: 'load-balancer' | 'network' | 'compute' | 'key-manager';
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** As access rules are written: `*` stands for one part of the path. */
  readonly path: string;
  /** What for, and which setting asks for it where not everybody needs it. */
  readonly why: string;
  readonly scenario: string;
  /** What people get to read without the rule, where it is not the rule's own name. */
  readonly told?: string;
  /** Only a user with a password makes it (decision 15), so that it is no access rule. */
  readonly password?: true;
}

type Row = readonly [
  ...[method: CloudRight['method'], path: string, why: string, scenario: string],
  more?: Pick<CloudRight, 'told' | 'password'>,
];

const BALANCERS = '/v2.0/lbaas/loadbalancers';
const LISTENERS = '/v2.0/lbaas/listeners';
const POOLS = '/v2.0/lbaas/pools';
const MONITORS = '/v2.0/lbaas/healthmonitors';
const POLICIES = '/v2.0/lbaas/l7policies';

// prettier-ignore
const ROWS: Readonly<Record<CloudRight['service'], readonly Row[]>> = {
  'load-balancer': [
    ['GET', BALANCERS, 'finds load balancers by their tags', 'a sweep with nothing to do'],
    ['POST', BALANCERS, 'makes one, with everything on it', 'an internal Service'],
    ['GET', `${BALANCERS}/*`, 'looks for the one that a Service names and no list has', 'a load balancer that somebody deleted'],
    ['PUT', `${BALANCERS}/*`, 'sets its tags and its QoS policy', 'a QoS policy'],
    ['DELETE', `${BALANCERS}/*`, 'deletes it', 'an internal Service, deleted'],
    ['GET', `${BALANCERS}/*/status`, 'reads for its page the state of it and of all that is on it', 'the page of an internal Service'],
    ['PUT', `${BALANCERS}/*/failover`, 'repairs one in ERROR; without the right it is rebuilt, or somebody told (decision 310)', 'a load balancer in ERROR, failed over'],
    ['GET', LISTENERS, 'compares them', 'an internal Service, deleted'],
    ['POST', LISTENERS, 'makes one for a new port', 'a port more'],
    ['PUT', `${LISTENERS}/*`, 'changes one', 'source ranges'],
    ['DELETE', `${LISTENERS}/*`, 'deletes one whose port is gone', 'a port less'],
    ['GET', POOLS, 'compares them', 'an internal Service, deleted'],
    ['POST', POOLS, 'makes one for a new port', 'a port more'],
    ['PUT', `${POOLS}/*`, 'changes one', 'session affinity'],
    ['DELETE', `${POOLS}/*`, 'deletes one whose port is gone', 'a port less'],
    ['GET', `${POOLS}/*/members`, 'compares the members', 'a pool that somebody changed, where drift is reported'],
    ['POST', `${POOLS}/*/members`, 'adds a single member', 'a Node more'],
    ['PUT', `${POOLS}/*/members`, 'sets many members in one call', 'a Node in the place of another'],
    ['PUT', `${POOLS}/*/members/*`, 'changes a single member', 'a Pod on one of two Nodes of a Service with externalTrafficPolicy Local'],
    ['DELETE', `${POOLS}/*/members/*`, 'takes a single member out', 'a Node less'],
    ['POST', POLICIES, 'makes a redirect (`redirect-http`)', 'a redirect'],
    ['GET', `${POLICIES}/*`, 'compares it (`redirect-http`)', 'a redirect to another host'],
    ['PUT', `${POLICIES}/*`, 'changes it (`redirect-http`)', 'a redirect to another host'],
    ['DELETE', `${POLICIES}/*`, 'takes it back (`redirect-http`)', 'a redirect less'],
    ['GET', `${POLICIES}/*/rules`, 'compares its rule (`redirect-http`)', 'a redirect to another host'],
    ['POST', `${POLICIES}/*/rules`, 'says that it is for all requests (`redirect-http`)', 'a redirect'],
    ['PUT', `${POLICIES}/*/rules/*`, 'puts that back, and mends it in ERROR (`redirect-http`)', 'a redirect whose rule somebody changed'],
    ['DELETE', `${POLICIES}/*/rules/*`, 'takes out what somebody added to it (`redirect-http`)', 'a redirect to whose rules somebody added one'],
    ['GET', MONITORS, 'counts them where they are limited', 'an internal Service with a health monitor, where all is limited'],
    ['POST', MONITORS, 'makes one for a new port (`create-monitor`)', 'a port more with a health monitor'],
    ['GET', `${MONITORS}/*`, 'compares it (`create-monitor`)', 'another delay of the health monitor'],
    ['PUT', `${MONITORS}/*`, 'changes it (`create-monitor`)', 'another delay of the health monitor'],
    ['DELETE', `${MONITORS}/*`, 'takes it away', 'the health monitor switched off'],
    ['GET', '/v2.0/lbaas/quotas/*', 'reads the limits before a create, which would fail half-way', 'an internal Service'],
    ['GET', '/v2.0/lbaas/quotas/*/default', 'reads the limits of everybody (Octavia before 11)', 'an internal Service on an Octavia that has no limit of its own for the project'],
    ['GET', '/v2.0/lbaas/flavors', 'finds a flavor by its name (`flavor`)', 'a flavor by its name'],
    ['GET', '/v2.0/lbaas/availabilityzones', 'checks that the zone is there (`availability-zone`)', 'an availability zone'],
  ],
  network: [
    ['GET', '/v2.0/networks', 'finds the external network', 'a Service'],
    ['GET', '/v2.0/networks/*', 'Octavia asks for it with the token of its caller (`network-id`)', 'network-id', { told: 'create load balancer kube_service_kubernetes_default_web: Network' }],
    ['GET', '/v2.0/subnets', 'finds the subnets of a network (`floating-subnet`), and external networks with IPv4', 'floating-subnet by its name'],
    ['GET', '/v2.0/subnets/*', 'reads the subnet of the VIP; so does Octavia with the token of its caller', 'a sweep with nothing to do'],
    ['GET', '/v2.0/ports', 'finds the ports of servers', 'a Node that joins'],
    ['GET', '/v2.0/ports/*', 'reads the port that is to be the VIP (`port-id`)', 'port-id'],
    ['PUT', '/v2.0/ports/*', 'sets address pairs (routes) and security groups (`manage-security-groups`)', 'a route'],
    ['GET', '/v2.0/qos/policies/*', 'checks that the policy is there (`vip-qos-policy-id`)', 'a QoS policy'],
    ['GET', '/v2.0/security-groups', 'finds groups of Services (`manage-security-groups`)', 'security groups, and the Service deleted'],
    ['POST', '/v2.0/security-groups', 'makes one (`manage-security-groups`)', 'security groups'],
    ['PUT', '/v2.0/security-groups/*/tags', 'says whose it is (`manage-security-groups`)', 'security groups'],
    ['DELETE', '/v2.0/security-groups/*', 'deletes it (`manage-security-groups`)', 'security groups, and the Service deleted'],
    ['POST', '/v2.0/security-group-rules', 'lets the load balancer in (`manage-security-groups`)', 'security groups'],
    ['DELETE', '/v2.0/security-group-rules/*', 'takes that back (`manage-security-groups`)', 'security groups, a port less'],
    ['GET', '/v2.0/floatingips', 'finds floating IPs of Services', 'an internal Service, deleted'],
    ['POST', '/v2.0/floatingips', 'makes one', 'a Service'],
    ['PUT', '/v2.0/floatingips/*', 'puts it on another VIP', 'a floating IP that was there'],
    ['DELETE', '/v2.0/floatingips/*', 'gives it back', 'a Service, deleted'],
    ['PUT', '/v2.0/floatingips/*/tags', 'says whose it is', 'a Service'],
    ['GET', '/v2.0/routers/*', 'reads the routes (routes)', 'a route'],
    ['PUT', '/v2.0/routers/*', 'writes them where single ones cannot change (routes, an old Neutron)', 'a route on an old Neutron'],
    ['PUT', '/v2.0/routers/*/add_extraroutes', 'adds routes (routes)', 'a route'],
    ['PUT', '/v2.0/routers/*/remove_extraroutes', 'takes routes out (routes)', 'a route less'],
    ['GET', '/v2.0/extensions', 'asks whether single routes can change (routes)', 'a route'],
  ],
  compute: [
    ['GET', '/v2.1/servers/*', 'reads the server of a Node, and as `detail` lists servers (Nodes)', 'a Node whose server is gone'],
    ['GET', '/v2.1/flavors/*', 'reads the name of its flavor (Nodes, a Nova before 2.47)', 'a Node that joins on an old Nova'],
  ],
  'key-manager': [
    ['GET', '/v1/secrets', 'finds the certificates that levelset stored', 'a Service with a certificate of a Secret, deleted'],
    ['POST', '/v1/secrets', 'stores a certificate (`tls-secret`)', 'a certificate of a Secret', { password: true }],
    ['GET', '/v1/secrets/*', 'checks a reference (`tls-container-refs`, `client-ca-tls-container-ref`)', 'a Service with the reference of a secret'],
    ['GET', '/v1/secrets/*/payload', 'reads when a certificate that stands by itself ends, and never a private key; without the right nobody is warned, and nothing else is missing', 'a Service whose certificate of Barbican ends soon', { told: '' }],
    ['DELETE', '/v1/secrets/*', 'deletes a certificate that levelset stored', 'a Service with a certificate of a Secret, deleted'],
    ['GET', '/v1/containers/*', 'checks a reference (`tls-container-refs`)', 'a Service with a certificate of Barbican'],
  ],
};

export const CLOUD_RIGHTS: readonly CloudRight[] = Object.entries(ROWS).flatMap(([service, rows]) =>
  rows.map(([method, path, why, scenario, more]) => ({
    service: service as CloudRight['service'],
    ...{ method, path, why, scenario, ...more },
  })),
);
