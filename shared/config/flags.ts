import {
  type Read,
  allowedReferences,
  cidrs,
  clustersFrom,
  goBoolean,
  hostPort,
  milliseconds,
  oneWordOf,
  orZero,
  percent,
  serverUrl,
  serviceAccount,
  serviceAccounts,
  text,
  whole,
} from './read-value.ts';
import { CONTROLLER_NAMES, controllersList } from './config.ts';

export type CommandName =
  | 'serve'
  | 'sweep'
  | 'reconcile'
  | 'plan'
  | 'drift'
  | 'explain'
  | 'gc'
  | 'lint'
  | 'doctor'
  | 'support-bundle'
  | 'replay'
  | 'adopt'
  | 'sandbox';

export const FLAG_TOPICS = [
  'cluster and cloud',
  'Services',
  'Nodes',
  'routes',
  'runs',
  'server',
  'one run',
] as const;

export interface Flag {
  readonly topic: (typeof FLAG_TOPICS)[number];
  readonly short?: string;
  /** The placeholder of the value in `--help`. A flag without one is a switch. */
  readonly value?: string;
  readonly read?: Read<unknown>;
  readonly help: string;
  /** The value that counts without the flag, as it would be written. */
  readonly default?: string;
  /** What `--help` says about the flag's absence, if that has no single value. */
  readonly without?: string;
  /** A second one adds to the list of the first. */
  readonly repeatable?: true;
  readonly commands: readonly CommandName[];
  /** It is about one cluster: where a deployment serves several, each of them may have its own value. */
  readonly cluster?: true;
  readonly lambda?: true;
  /** The Go programs that have the flag: cloud-controller-manager, kube-controller-manager. */
  readonly go?: 'CCM' | 'KCM' | 'CCM, KCM';
}

/** The commands that talk to the cluster and the cloud. */
const WORKING = [
  'serve',
  'sweep',
  'reconcile',
  'plan',
  'drift',
  'explain',
  'doctor',
  'support-bundle',
  'adopt',
] as const;

const LINTING = [...WORKING, 'lint'] as const;

const CONNECTING = [...WORKING, 'gc'] as const;

/** Every flag of the command line: `--help`, the variables, the functions on AWS and docs/flags.md follow from this table. */
// prettier-ignore
export const FLAGS = {
  'kubeconfig': {
    topic: 'cluster and cloud', value: 'file', read: text, commands: CONNECTING, go: 'CCM, KCM',
    help: 'kubeconfig of the kube-apiserver',
    without: 'KUBECONFIG, else the ServiceAccount of the Pod, else ~/.kube/config',
  },
  'cloud-config': {
    topic: 'cluster and cloud', value: 'file', read: text, commands: [...CONNECTING, 'lint'], lambda: true, go: 'CCM, KCM',
    help: 'cloud.conf, the file that OCCM reads',
    without: 'clouds.yaml, else OS_* variables',
  },
  'clusters': {
    topic: 'cluster and cloud', value: 'where', read: clustersFrom, commands: CONNECTING, lambda: true,
    help: 'the registry of clusters: folder:PATH, with a folder for each cluster; secrets, the Secrets in --state-namespace with the label levelset.openstack.org/cluster; or on AWS parameters:PATH, with the texts of a cluster below PATH/clusters/NAME in Parameter Store', without: 'one cluster, that of --kubeconfig',
  },
  'allow-local-servers': {
    topic: 'cluster and cloud', value: 'bool', read: goBoolean, commands: CONNECTING, lambda: true,
    help: 'with --clusters, entries may lead to addresses of loopback and link-local, such as 127.0.0.1 and 169.254.169.254',
    default: 'false',
  },
  'cluster': {
    topic: 'cluster and cloud', value: 'name', read: text, commands: ['sweep', 'reconcile', 'plan', 'drift', 'explain', 'gc', 'doctor', 'support-bundle', 'adopt'],
    help: 'with --clusters, the name of the entry to work on', without: 'sweep, plan and drift go through all clusters',
  },
  'cluster-name': {
    topic: 'cluster and cloud', value: 'name', read: text, commands: WORKING, cluster: true, lambda: true, go: 'CCM, KCM',
    help: 'name of the cluster: a part of the names of load balancers, and of the path of the audit webhook',
    default: 'kubernetes',
  },
  'controllers': {
    topic: 'cluster and cloud', value: 'list', read: controllersList, repeatable: true, commands: WORKING, cluster: true, lambda: true, go: 'CCM',
    help: `${CONTROLLER_NAMES.join(', ')}; * for all, a - before a name turns it off`,
    default: '*',
  },
  'state-namespace': {
    topic: 'cluster and cloud', value: 'name', read: text, commands: WORKING, cluster: true, lambda: true,
    help: 'namespace of the Leases and ConfigMaps in which levelset keeps its state',
    default: 'levelset',
  },
  'service-account': {
    topic: 'cluster and cloud', value: 'namespace/name', read: serviceAccount, commands: WORKING, cluster: true, lambda: true,
    help: 'ServiceAccount of levelset: audit events about its own writes are ignored',
    default: 'levelset/levelset',
  },
  'load-balancer-class': {
    topic: 'Services', value: 'class', read: text, commands: WORKING, cluster: true, lambda: true,
    help: 'only Services with this spec.loadBalancerClass',
    without: 'only Services without one',
  },
  'reach': {
    topic: 'Services', value: 'reach', read: oneWordOf('open', 'allowed'), commands: LINTING, cluster: true, lambda: true,
    help: 'what Services may name of OpenStack: with open all that the project sees, with allowed what --allowed-references lists',
    default: 'open',
  },
  'allowed-references': {
    topic: 'Services', value: 'list', read: allowedReferences, repeatable: true, commands: LINTING, cluster: true, lambda: true,
    help: 'NAMESPACE/KIND/ID, each of them or *: what Services of a namespace may name of OpenStack; a load balancer that others made needs an entry even with --reach=open, unless its tag consents',
    default: '',
  },
  'drift': {
    topic: 'Services', value: 'what', read: oneWordOf('repair', 'report'), default: 'repair', commands: WORKING, cluster: true, lambda: true,
    help: 'what levelset does about a change that somebody made in OpenStack: repair puts it back and says so, report only says so, and makes what is missing; an annotation of the Service goes first',
  },
  'service-limits': {
    topic: 'Services', value: 'factor', read: whole(1, 100), commands: LINTING, cluster: true, lambda: true,
    help: 'what multiplies the limits of one Service: 200 ports, 1,000 source ranges, 20,000 ports times ranges, 50 names of an annotation, 500 certificates, 50,000 Pods times ports',
    default: '1',
  },
  'regional-provider-id': {
    topic: 'Nodes', value: 'bool', read: goBoolean, commands: WORKING, cluster: true,
    help: 'write providerIDs as openstack://REGION/ID, as OS_CCM_REGIONAL=true does; it needs a region',
    without: 'what OS_CCM_REGIONAL says',
  },
  'deletion-share': {
    topic: 'cluster and cloud', value: 'percent', read: percent, commands: WORKING, cluster: true, lambda: true,
    help: 'how much levelset may delete in an hour: this share of all Nodes, and of all load balancers whose Service is gone though levelset did not see its deletion. It may rebuild the same share of all load balancers in a day because they are in ERROR; 0% allows none', default: '10%',
  },
  'orphan-delay': {
    topic: 'Services', value: 'duration', read: orZero, commands: WORKING, cluster: true, lambda: true,
    help: 'how long levelset keeps, from the first sweep that finds it, what a Service left in OpenStack whose deletion levelset did not see; with 0s it goes at once', default: '1h',
  },
  'cluster-cidr': {
    topic: 'routes', value: 'cidrs', read: cidrs, commands: WORKING, cluster: true, lambda: true, go: 'CCM, KCM',
    help: 'addresses of the pods: one CIDR, or one of each IP family',
    default: '',
  },
  'configure-cloud-routes': {
    topic: 'routes', value: 'bool', read: goBoolean, commands: WORKING, cluster: true, lambda: true, go: 'CCM, KCM',
    help: 'whether levelset makes routes to the pods; it needs --cluster-cidr and a router',
    default: 'true',
  },
  'reconcile-timeout': {
    topic: 'runs', value: 'duration', read: milliseconds, commands: CONNECTING,
    help: 'how long one run may take', default: '1m',
  },
  'concurrent-service-syncs': {
    topic: 'runs', value: 'number', read: whole(1, 999_999), commands: WORKING, cluster: true, go: 'CCM',
    help: 'how many Services levelset works on at once, and as many Nodes beside them', default: '15',
  },
  'concurrent-load-balancers': {
    topic: 'runs', value: 'number', read: whole(1, 999_999), commands: WORKING, cluster: true, lambda: true,
    help: 'levelset makes a load balancer only while Octavia works on fewer of the project than this', default: '6',
  },
  'sweep-interval': {
    topic: 'runs', value: 'duration', read: milliseconds, commands: ['serve'],
    help: 'time between two sweeps', default: '5m',
  },
  'v': {
    topic: 'runs', short: 'v', value: 'level', read: whole(0, 1_000), commands: [...CONNECTING, 'replay'], go: 'CCM, KCM',
    help: 'verbosity of the log: 4 and more show every step; without it, every command but serve logs warnings and errors only',
    default: '0',
  },
  'listen': {
    topic: 'server', value: 'host:port', read: hostPort, commands: ['serve', 'sandbox'],
    help: 'where the HTTP server listens', default: '127.0.0.1:8080',
  },
  'watch': {
    topic: 'server', commands: ['serve'],
    help: 'watch Services, Nodes, and where the members of a Service follow them its EndpointSlices, instead of waiting for the audit webhook',
  },
  'audit-tokens-file': {
    topic: 'server', value: 'file', read: text, commands: ['serve'],
    help: 'tokens of /audit and /events beside LEVELSET_AUDIT_TOKENS, with commas or lines between, read again when the file changes', without: 'none',
  },
  'resync-tokens-file': {
    topic: 'server', value: 'file', read: text, commands: ['serve'], help: 'tokens of /resync beside LEVELSET_RESYNC_TOKENS, in the same form', without: 'none',
  },
  'page-tokens-file': {
    topic: 'server', value: 'file', read: text, commands: ['serve', 'doctor'], help: 'tokens of the status page and /metrics beside LEVELSET_PAGE_TOKENS, with commas or lines between', without: 'none',
  },
  'tls-cert-file': {
    topic: 'server', value: 'file', read: text, commands: ['serve'], go: 'CCM, KCM',
    help: 'certificate of the server, which then speaks HTTPS',
    without: 'plain HTTP',
  },
  'tls-private-key-file': {
    topic: 'server', value: 'file', read: text, commands: ['serve'], go: 'CCM, KCM',
    help: 'private key of the certificate',
  },
  'allow-plain-http': {
    topic: 'server', commands: ['serve', 'sandbox'],
    help: 'listen beyond loopback without a certificate: for a proxy in front that ends TLS',
  },
  'client-ca-file': {
    topic: 'server', value: 'file', read: text, commands: ['serve'], go: 'CCM, KCM',
    help: 'certificates of CAs: only clients with a certificate that one of them signed are let in',
    without: 'no client certificate is asked for',
  },
  'events-audience': {
    topic: 'server', value: 'audience', read: text, commands: ['serve'],
    help: 'audience of the OIDC tokens of the cluster that count at /events, beside LEVELSET_AUDIT_TOKENS: those of Knative\'s sources',
    without: 'none counts',
  },
  'events-senders': {
    topic: 'server', value: 'list', read: serviceAccounts, repeatable: true, commands: ['serve'],
    help: 'ServiceAccounts whose OIDC tokens count at /events: NAMESPACE/NAME, or NAMESPACE/* for all of a namespace',
    without: 'all of --state-namespace',
  },
  'server-url': {
    topic: 'one run', value: 'url', read: serverUrl, commands: ['doctor', 'sweep', 'reconcile'],
    help: 'a running levelset serve: its webhook and watches are looked at, and it does what is asked where it leads', without: 'none is asked',
  },
  'dry-run': {
    topic: 'one run', commands: ['serve', 'sweep', 'reconcile'], help: 'print the plans and change nothing; serve shows them on its page',
  },
  'deep': { topic: 'one run', commands: ['sweep'], help: 'compare every Service with everything on its load balancer, whatever was settled before' },
  'wait': { topic: 'one run', commands: ['reconcile'], help: 'go on until no object is progressing' },
  'output': {
    topic: 'one run', short: 'o', value: 'format', read: oneWordOf('text', 'wide', 'json', 'yaml'), commands: ['plan', 'drift', 'explain', 'gc', 'lint', 'doctor', 'adopt'],
    help: 'how objects are printed: text, wide (plans and gc with ids), json or yaml',
    default: 'text',
  },
  'namespace': { topic: 'one run', short: 'n', value: 'name', read: text, commands: ['reconcile', 'plan', 'drift', 'explain'], help: 'the namespace of svc/NAME; plan and drift without objects go through this namespace', without: 'default' },
  'detailed-exitcode': { topic: 'one run', commands: ['plan'], help: 'end with 2 if there is something to change' },
  'bundle-file': {
    topic: 'one run', short: 'o', value: 'file', read: text, commands: ['support-bundle'],
    help: 'where the bundle goes: JSON, packed with gzip if the name ends in .gz', default: 'levelset-support-bundle.json.gz',
  },
  'report': {
    topic: 'one run', commands: ['adopt'], help: 'a report for the whole cluster',
  },
  'approve': {
    topic: 'one run', value: 'hash', read: text, commands: ['gc'],
    help: 'the hash that the plan has printed: delete what it names', without: 'print the plan and change nothing',
  },
  'unwritten-for': {
    topic: 'one run', value: 'duration', read: milliseconds, commands: ['gc'],
    help: 'how long nothing of a cluster may have been written in OpenStack before it counts as gone', default: '24h',
  },
  'serve': {
    topic: 'one run', commands: ['sandbox'], help: 'run levelset against the simulators, apply the examples and tell what happens',
  },
  'openstack-release': { topic: 'one run', value: 'release', read: oneWordOf('2022.2', '2026.2'), commands: ['sandbox'], help: 'the OpenStack that the simulator is: docs/support.md has what differs', default: '2022.2' },
} as const satisfies Readonly<Record<string, Flag>>;
