/** What each option of cloud.conf is for, by section and key. `test/repo/reference.test.ts` holds the keys to those that levelset reads. */

interface OptionFact {
  readonly doc: string;
  /** Why levelset ignores the option, or refuses to start with it. Absent: the option works. */
  readonly without?: `ignored: ${string}` | `refused: ${string}`;
}

const TRUST =
  'refused: levelset logs in by a password or an application credential, which Keystone lets expire or be revoked by itself';

// prettier-ignore
export const CLOUD_CONF_FACTS: Readonly<Record<string, Readonly<Record<string, OptionFact>>>> = {
  global: {
    'auth-url': { doc: 'Keystone; levelset adds /v3 where it is missing' },
    region: { doc: 'region of the catalog, of a Node and, with `--regional-provider-id`, of its providerID' },
    'os-endpoint-type': { doc: 'interface of the catalog: public, internal or admin' },
    username: { doc: 'user by name, with its domain' },
    'user-id': { doc: 'user by id' },
    password: { doc: 'password of the user' },
    'tenant-id': { doc: 'project by id' },
    'tenant-name': { doc: 'project by name, with its domain' },
    'domain-id': { doc: 'domain of user and project, where each has none of its own' },
    'domain-name': { doc: 'the same by name' },
    'user-domain-id': { doc: 'domain of the user' },
    'user-domain-name': { doc: 'the same by name' },
    'tenant-domain-id': { doc: 'domain of the project' },
    'tenant-domain-name': { doc: 'the same by name' },
    'application-credential-id': { doc: 'application credential by id' },
    'application-credential-name': { doc: 'application credential by name, with its user' },
    'application-credential-secret': { doc: 'secret of the application credential' },
    'ca-file': { doc: 'PEM file of authorities that levelset believes beside the public ones' },
    'cert-file': { doc: 'certificate that levelset shows; needs `key-file`' },
    'key-file': { doc: 'its private key' },
    'tls-insecure': { doc: '`true` alone turns the check of certificates off' },
    token: { doc: 'token of Keystone', without: 'refused: a token ends, and nothing can renew it' },
    'trust-id': { doc: 'trust to log in by', without: TRUST },
    'trustee-id': { doc: 'user of the trust', without: TRUST },
    'trustee-password': { doc: 'password of that user', without: TRUST },
    'use-clouds': { doc: 'take what the file lacks from clouds.yaml' },
    'clouds-file': { doc: 'path of clouds.yaml' },
    cloud: { doc: 'entry of clouds.yaml' },
  },
  loadbalancer: {
    enabled: { doc: 'false: levelset touches no load balancer' },
    'lb-version': { doc: 'version of the API', without: 'ignored: there is only v2' },
    'lb-provider': { doc: 'provider of Octavia' },
    'lb-method': { doc: 'algorithm of pools' },
    'flavor-id': { doc: 'flavor of load balancers' },
    'availability-zone': { doc: 'availability zone of load balancers' },
    'subnet-id': { doc: 'subnet of the VIP, and of members where nothing else names theirs' },
    'member-subnet-id': { doc: 'subnet of members' },
    'network-id': { doc: 'network of the VIP' },
    'floating-network-id': { doc: 'network of floating IPs; without it the only external one' },
    'floating-subnet-id': { doc: 'subnet of floating IPs' },
    'floating-subnet': { doc: 'subnets of floating IPs by name, glob, or regular expression after `~`; `!` negates' },
    'floating-subnet-tags': { doc: 'subnets of floating IPs by tags: any of them, all after `&`; `!` negates' },
    'node-selector': { doc: 'labels that a Node needs to be a member' },
    'create-monitor': { doc: 'health monitor for each pool' },
    'monitor-delay': { doc: 'time between two checks' },
    'monitor-timeout': { doc: 'time that a check may take' },
    'monitor-max-retries': { doc: 'good checks until a member is up' },
    'monitor-max-retries-down': { doc: 'bad checks until a member is down' },
    'internal-lb': { doc: 'true: every load balancer is internal, whatever its annotation says' },
    'manage-security-groups': { doc: 'open node ports to the load balancer by a security group of its own' },
    'default-tls-container-ref': { doc: 'certificate of every Service without its own: every port ends TLS' },
    'container-store': { doc: 'barbican: levelset looks a certificate up before it uses it; any other word: it does not' },
    'max-shared-lb': { doc: 'how many Services one load balancer may have' },
    'enable-ingress-hostname': { doc: 'publish a hostname in place of the address where members get the PROXY protocol' },
    'ingress-hostname-suffix': { doc: 'end of that hostname' },
    'cascade-delete': { doc: 'delete a load balancer by one call', without: 'ignored: levelset deletes by one call where everything on the load balancer is its own' },
    'provider-requires-serial-api-calls': { doc: 'one call for each object', without: 'ignored: levelset makes a load balancer by one call' },
  },
  loadbalancerclass: {
    'subnet-id': { doc: 'as in [LoadBalancer], for Services that name the class' },
    'member-subnet-id': { doc: 'as in [LoadBalancer]' },
    'network-id': { doc: 'as in [LoadBalancer]' },
    'floating-network-id': { doc: 'as in [LoadBalancer]' },
    'floating-subnet-id': { doc: 'as in [LoadBalancer]' },
    'floating-subnet': { doc: 'as in [LoadBalancer]' },
    'floating-subnet-tags': { doc: 'as in [LoadBalancer]' },
  },
  networking: {
    'public-network-name': { doc: 'network whose addresses are of type ExternalIP; one line each' },
    'internal-network-name': { doc: 'network whose addresses are of type InternalIP; one line each; without it all others' },
    'ipv6-support-disabled': { doc: 'Nodes get no IPv6 addresses' },
    'address-sort-order': { doc: 'CIDRs; addresses in the first one come first' },
  },
  route: {
    'router-id': { doc: 'router of the routes to Pods; without it, and without `--discover-router`, there are none' },
  },
  metadata: {
    'search-order': { doc: 'where a Node asks about itself', without: 'ignored: levelset asks Nova' },
    'request-timeout': { doc: 'time that one call of OpenStack may take' },
  },
};
