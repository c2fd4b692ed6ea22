/**
 * What a user has been promised, and the one test that holds each. test/README.md says where a new one goes.
 *
 * What has a name (a flag, an option, a code) is a row of one of the program's tables: a new row fails here until it stands beside a test
 * file that says its name, or beside a test by name (`file › name`). Where a test makes its cases of the rows, it holds all of them.
 */
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ENDPOINTS } from '../docs/reference/endpoints-page.ts';
import { REASONS } from '../docs/reference/events-page.ts';
import { program } from '../functions/cli/program.ts';
import { OPTIONS } from '../shared/config/cloud-conf/options.ts';
import { FLAGS } from '../shared/config/flags.ts';
import { camel } from '../shared/config/read-value.ts';
import { VARIABLES } from '../shared/config/read-flags.ts';
import { ERRORS } from '../shared/model/errors.ts';
import { filesOf, ROOT, textOf } from './repo/files.ts';

/** A test file, or `file › name of a test`, by what it holds, with blanks between. */
type Held = Readonly<Record<string, string>>;

// prettier-ignore
const FLAGS_HELD: Held = {
  'test/unit/config/load.test.ts': 'cloud-config cluster-name service-account concurrent-service-syncs',
  'test/unit/config/flags.test.ts': 'regional-provider-id cluster-cidr configure-cloud-routes controllers reach allowed-references',
  'test/unit/kube/find-connection.test.ts': 'kubeconfig',
  'test/unit/service/intent/within-limits.test.ts': 'service-limits',
  'test/laws/drift/drift.test.ts': 'drift',
  'test/laws/drift/deep-sweep.test.ts': 'deep',
  'test/scenarios/reconfigured/every-option.test.ts': 'load-balancer-class state-namespace deletion-share',
  'test/scenarios/orphans/quarantine.test.ts': 'orphan-delay',
  'test/functions/serve/slots.test.ts': 'concurrent-load-balancers',
  'test/functions/serve/serve.test.ts': 'watch',
  'test/functions/serve/listen.test.ts': 'listen allow-plain-http tls-cert-file tls-private-key-file client-ca-file',
  'test/functions/serve/token-files.test.ts': 'audit-tokens-file resync-tokens-file page-tokens-file',
  'test/functions/serve/sender-tokens.test.ts': 'events-senders',
  'test/e2e/install/knative.test.ts': 'events-audience',
  'test/functions/clusters/serve-clusters.test.ts': 'clusters allow-local-servers',
  'test/functions/cli/flags.test.ts': 'sweep-interval v',
  'test/functions/cli/work.test.ts': 'server-url wait',
  'test/functions/cli/clusters.test.ts': 'cluster',
  'test/functions/cli/looks.test.ts': 'output namespace detailed-exitcode report reconcile-timeout dry-run',
  'test/functions/cli/bundle/bundle.test.ts': 'bundle-file',
  'test/functions/cli/gc.test.ts': 'approve unwritten-for',
  'test/functions/cli/program.test.ts': 'serve openstack-release',
};

// prettier-ignore
const VARIABLES_HELD: Held = {
  'test/unit/config/load.test.ts': 'LEVELSET_CLOUD_CONFIG_TEXT LEVELSET_CA_FILE_TEXT',
  'test/unit/clusters/read-settings.test.ts': 'LEVELSET_CERT_FILE_TEXT LEVELSET_KEY_FILE_TEXT',
  'test/unit/config/flags.test.ts': 'OS_CCM_REGIONAL',
  'test/unit/kube/find-connection.test.ts': 'LEVELSET_KUBECONFIG_TEXT',
  'test/http/status.test.ts': 'LEVELSET_AUDIT_TOKENS LEVELSET_RESYNC_TOKENS LEVELSET_PAGE_TOKENS',
  'test/functions/lambda/bundles.test.ts': 'LEVELSET_QUEUE_URL',
  'test/functions/lambda/lambda-worker.test.ts': 'LEVELSET_STACK',
};

// prettier-ignore
const OPTIONS_HELD: Held = {
  'test/unit/config/cloud-conf.test.ts': 'global.auth-url global.password global.tenant-id global.user-id global.username global.tenant-name global.domain-id global.domain-name global.user-domain-id global.user-domain-name global.tenant-domain-id global.tenant-domain-name global.os-endpoint-type global.application-credential-id global.application-credential-name global.application-credential-secret global.ca-file global.use-clouds global.clouds-file global.cloud loadbalancer.lb-provider loadbalancer.lb-method loadbalancer.subnet-id loadbalancer.member-subnet-id loadbalancer.network-id loadbalancer.floating-network-id loadbalancer.floating-subnet-id loadbalancer.floating-subnet loadbalancer.floating-subnet-tags loadbalancer.node-selector loadbalancer.create-monitor loadbalancer.monitor-delay loadbalancer.monitor-timeout loadbalancer.monitor-max-retries loadbalancer.monitor-max-retries-down loadbalancer.container-store loadbalancer.enable-ingress-hostname loadbalancer.ingress-hostname-suffix loadbalancer.cascade-delete loadbalancer.provider-requires-serial-api-calls loadbalancer.lb-version metadata.request-timeout networking.public-network-name networking.internal-network-name networking.ipv6-support-disabled networking.address-sort-order route.router-id metadata.search-order',
  'test/unit/config/load.test.ts': 'global.cert-file global.key-file global.region global.tls-insecure',
  'test/unit/service/intent/service-config.test.ts': 'loadbalancerclass.subnet-id loadbalancerclass.member-subnet-id loadbalancerclass.network-id loadbalancerclass.floating-network-id loadbalancerclass.floating-subnet-id loadbalancerclass.floating-subnet loadbalancerclass.floating-subnet-tags',
  'test/unit/service/desired/desire-offers.test.ts': 'loadbalancer.flavor-id loadbalancer.availability-zone',
  'test/unit/service/intent/ports.test.ts': 'loadbalancer.default-tls-container-ref',
  'test/repo/reference.test.ts › [Global] %s is refused': 'global.token global.trust-id global.trustee-id global.trustee-password',
  'test/scenarios/reconfigured/every-option.test.ts': 'loadbalancer.enabled loadbalancer.manage-security-groups',
  'test/scenarios/takeover/approval.test.ts': 'loadbalancer.internal-lb',
  'test/scenarios/sharing/sharing.test.ts': 'loadbalancer.max-shared-lb',
};

// prettier-ignore
const COMMANDS_HELD: Held = {
  'test/functions/cli/work.test.ts': 'sweep reconcile',
  'test/functions/cli/looks.test.ts': 'plan drift adopt',
  'test/functions/cli/mistakes.test.ts': 'explain',
  'test/functions/cli/gc.test.ts': 'gc',
  'test/functions/cli/doctor/doctor.test.ts': 'doctor',
  'test/functions/cli/bundle/bundle.test.ts': 'support-bundle replay',
  'test/functions/cli/lint.test.ts': 'lint',
  'test/functions/cli/program.test.ts': 'serve sandbox',
  'test/functions/cli/npm-pack.test.ts': 'version',
};

// prettier-ignore
const ENDPOINTS_HELD: Held = {
  'test/http/audit-webhook.test.ts': '/audit/:cluster',
  'test/http/events.test.ts': '/events/:cluster',
  'test/http/resync.test.ts': '/resync',
  'test/http/status.test.ts': '/ /metrics /healthz /readyz',
  'test/functions/page/pages.test.ts › the page of a Service has its tree': '/objects/*names',
  'test/functions/clusters/serve-clusters.test.ts › the token of a cluster opens that one alone': '/resync/:cluster /clusters/:cluster /clusters/:cluster/objects/*names',
};

// prettier-ignore
const REASONS_HELD: Held = {
  'test/scenarios/trouble/rejected.test.ts': 'SyncLoadBalancerFailed',
  'test/scenarios/trouble/reports.test.ts': 'EnsuringLoadBalancer EnsuredLoadBalancer UpdatedLoadBalancer LoadBalancerBlocked DeletingLoadBalancer DeletedLoadBalancer',
  'test/scenarios/reconfigured/load-balancer-class.test.ts': 'Released TakenOver',
  'test/scenarios/node/node-initialisation.test.ts': 'Synced SyncNodeFailed',
  'test/scenarios/node/node-lifecycle.test.ts': 'DeletingNode',
  'test/scenarios/routes/routes.test.ts': 'RouteCreated NoRouteCreated FailedToCreateRoute',
  'test/functions/status-rows.test.ts': 'NodeBlocked UnAvailableLoadBalancer',
  'test/laws/drift/drift.test.ts': 'DriftRepaired DriftReported',
};

// prettier-ignore
const ERRORS_HELD: Held = {
  'test/unit/openstack/refusal.test.ts': 'RATE_LIMITED CONFLICT ADDRESSES_EXHAUSTED QUOTA_EXCEEDED NOT_FOUND UNAUTHORIZED FORBIDDEN CHANGED_MEANWHILE LOAD_BALANCER_BUSY GONE REJECTED CLOUD_UNAVAILABLE',
  'test/unit/kube/kube-http.test.ts': 'KUBE_CONFLICT KUBE_UNAVAILABLE KUBE_FORBIDDEN KUBE_DENIED KUBE_WEBHOOK_FAILED KUBE_NAMESPACE_ENDS KUBE_REJECTED',
  'test/unit/kube/deployment-lease.test.ts › the first one has the cluster, and the other one writes nothing': 'CLUSTER_HELD',
  'test/unit/kube/leader-lease.test.ts › a guard that stood open closes': 'LEASE_LOST',
  'test/unit/deadline.test.ts': 'BUDGET_SPENT',
  'test/unit/config/load.test.ts': 'CONFIG_INVALID',
  'test/unit/openstack/cloud.test.ts': 'UNEXPECTED_RESPONSE',
  'test/scenarios/repair/repair.test.ts › a load balancer in ERROR': 'FAILOVER_REFUSED',
  'test/scenarios/repair/repair.test.ts': 'LOAD_BALANCER_ERROR LOAD_BALANCER_STUCK',
};

/** Tables whose rows are the cases of a test. */
const MATRICES: Readonly<Record<string, string>> = {
  ANNOTATIONS: 'test/scenarios/service/annotations.test.ts › does what its example says',
  GO_FLAGS: 'test/functions/cli/flags.test.ts › --%s is taken out, however its value is given',
  CLOUD_RIGHTS: 'test/rights/each-right.test.ts › without $words its scenario fails and names it',
  CLUSTER_RIGHTS: 'test/rights/each-right.test.ts › without $words its scenario fails and names it',
};

/** What has no name of its own. */
// prettier-ignore
const PROMISES: Readonly<Record<string, string>> = {
  'a takeover writes nothing but tags before it is approved': 'test/golden/takeover.test.ts › is recognised, and nothing but our tags is added to it',
  'a takeover keeps the published address': 'test/golden/takeover.test.ts › keeps the address that is published',
  'OCCM can have everything back': 'test/scenarios/takeover/takeover.test.ts › handed back, OCCM finds all that it looks for',
  'a change that needs another load balancer waits for its approval': 'test/scenarios/takeover/approval.test.ts › a change that needs another load balancer is refused',
  'approved, the new load balancer serves before the address moves': 'test/scenarios/takeover/approval.test.ts › approved, the new load balancer is complete before the floating IP moves',
  'what belongs to others is neither changed nor deleted': 'test/laws/laws.test.ts › touches what is not ours, not even when the Service leaves',
  'two clusters of one name leave each other alone': 'test/laws/isolation/two-clusters.test.ts › what happens in one of two clusters with the same names',
  'Services on one load balancer leave each other alone': 'test/laws/sharing.test.ts › what Services do on one load balancer touches no other one’s part',
  'whatever a user asks for comes to rest': 'test/laws/laws.test.ts › each comes to rest, and nothing is left to do then',
  'a Service that is deleted leaves nothing': 'test/laws/laws.test.ts › a Service that leaves takes everything along but what it keeps',
  'an annotation that is removed is undone': 'test/laws/no-trace.test.ts › removing an annotation undoes it',
  'a port is open only to whom the Service allows': 'test/laws/security-groups.test.ts › its group opens that and no more',
  'a sweep mends whatever events were lost': 'test/laws/schedules/schedules.test.ts › no schedule breaks a rule',
  'killed at any write, nothing is there twice': 'test/faults/matrix/services.test.ts › whatever call of a create, an update, a replacement or a delete goes wrong, and wherever levelset is killed',
  'any call may fail in any way, and the end is the same': 'test/faults/matrix.test.ts › whatever call of a create or a delete goes wrong',
  'an API that fails holds up only what needs it': 'test/laws/isolation/one-call-fails.test.ts › a call that fails holds up only the units that need it',
  'nothing that is ready waits for ever': 'test/laws/bounded-wait.test.ts › nothing that is ready waits longer than its bound',
  'a load balancer in ERROR is failed over or rebuilt': 'test/scenarios/repair/repair.test.ts › is failed over where the cloud allows it, and is what it was',
  'what was changed by hand is put right': 'test/laws/drift/drift.test.ts › is told by one sweep, and put back or left',
  'a mistake is named, and the rest of the Service works': 'test/scenarios/trouble/reports.test.ts › three mistakes are one condition and one Event of three lines',
  'no secret is told': 'test/laws/secrets/no-content.test.ts › nothing of what stands in a file is told',
  'a support bundle has no secret': 'test/functions/cli/bundle/bundle.test.ts › a bundle has no secret',
  'a settled world is not written to': 'test/scenarios/trouble/never-a-load-balancer.test.ts › a sweep over %i settled Services costs no write and at most ten calls',
  'a Service costs a handful of calls': 'test/scenarios/processes/calls-together.test.ts › of eight together each costs some five calls',
  'a dry run changes nothing': 'test/functions/cli/looks.test.ts › plan shows what a sweep would do and changes nothing',
  'options that change delete nothing that serves': 'test/scenarios/reconfigured/every-option.test.ts › %s, changed and changed back, deletes nothing that serves; what is deleted meanwhile goes as soon as it is right again',
  'a restored cluster keeps its load balancers in the quarantine': 'test/scenarios/reconfigured/restored-cluster.test.ts › loses no load balancer',
  'what Services left goes only after a delay': 'test/scenarios/orphans/quarantine.test.ts › stays for the delay, says until when, and then goes with everything',
  'gc takes only what is of the deleted cluster': 'test/laws/orphans/orphans.test.ts › gc of a cluster that was deleted together with its Services takes all that is its own alone',
  'a Node is deleted only when its server is gone': 'test/laws/nodes.test.ts › events in any order, and runs that break off anywhere, end where the server says',
  'a Node has one route for each podCIDR': 'test/laws/routes.test.ts › each podCIDR has one route and one pair',
  'one process writes at a time': 'test/laws/schedules/schedules.test.ts › no schedule breaks a rule',
  'nobody comes in without a token': 'test/http/audit-webhook.test.ts › 401: nobody comes in while no token is configured',
  'no text of a user costs more than its length': 'test/laws/bounds/linear.test.ts › reading takes linear time',
};

/** What the user has of the tests of a folder. A folder below one of these may have a sentence of its own. */
// prettier-ignore
const HOMES: Readonly<Record<string, string>> = {
  'test': 'every promise has a test',
  'test/conformance': 'the simulators answer as OpenStack, Kubernetes and SQS do, so what holds on them holds on a cloud',
  'test/e2e': 'what is shipped does the same with a real OpenStack, a real kube-apiserver and real packets',
  'test/faults': 'whatever call fails, and wherever levelset is killed, the end is the same',
  'test/functions': 'the program starts, stops and counts as the documents say, on a server and on AWS',
  'test/functions/cli': 'each command prints, changes and returns what its page says',
  'test/functions/clusters': 'one deployment serves many clusters that learn nothing of each other',
  'test/functions/documents': 'what a document tells to type does what it shows',
  'test/functions/lambda': 'the same as on a server, by SQS and functions that end',
  'test/functions/monitoring': 'alerts and dashboards ask for what is measured',
  'test/functions/page': 'the page says what is broken, why, and who must act, in every browser and for everybody',
  'test/functions/release': 'a release is made of what was tested',
  'test/functions/serve': 'the server listens, believes, leads and remembers as its flags say',
  'test/golden': 'plans, words and takeovers of recorded worlds are those that people have read',
  'test/http': 'each endpoint answers, refuses and bounds what comes, on a server and on AWS alike',
  'test/laws': 'what holds in whatever world a seed draws',
  'test/repo': 'documents, manifests and rights say what the program does, and the code keeps its shape',
  'test/rights': 'levelset has the rights that it needs, and no other',
  'test/sandbox': 'the sandbox is a cloud and a cluster for whoever tries levelset',
  'test/scenarios/node': 'Nodes are initialised, labelled, tainted and deleted as their servers are',
  'test/scenarios/orphans': 'what is left without its Service goes, and nothing else does',
  'test/scenarios/processes': 'several processes, late ones and cut ones make nothing twice, by few calls',
  'test/scenarios/reconfigured': 'other flags and another cloud.conf take nothing from who is served',
  'test/scenarios/repair': 'what broke in OpenStack is mended, or waits for a person with the way to do it',
  'test/scenarios/routes': 'Pods reach each other by routes of a router',
  'test/scenarios/service': 'each setting of a Service has its effect, and goes with it',
  'test/scenarios/sharing': 'Services share a load balancer as both agree',
  'test/scenarios/takeover': 'what other controllers made is taken over without an interruption',
  'test/scenarios/trouble': 'mistakes, attacks and outages are told, and harm nobody else',
  'test/unit': 'cases of one function: what it reads, compares or limits',
};

/** As documents write them, with all that a test may call them. */
const word = (name: string): readonly string[] => [name, camel(name)];

const TABLES: Readonly<Record<string, readonly [names: readonly string[], held: Held]>> = {
  flag: [Object.keys(FLAGS), FLAGS_HELD],
  variable: [Object.keys(VARIABLES), VARIABLES_HELD],
  'option of cloud.conf': [
    Object.entries(OPTIONS).flatMap(([section, all]) =>
      Object.keys(all).map((key) => `${section.toLowerCase()}.${key}`),
    ),
    OPTIONS_HELD,
  ],
  command: [program({}, () => undefined).commands.map((command) => command.name()), COMMANDS_HELD],
  endpoint: [Object.keys(ENDPOINTS), ENDPOINTS_HELD],
  'reason of a condition or an Event': [Object.keys(REASONS), REASONS_HELD],
  'error code': [Object.keys(ERRORS), ERRORS_HELD],
};

const words = (text: string): readonly string[] => text.split(/\s+/).filter(Boolean);

/** Why this is no test that holds that name. */
function complaintsOf(place: string, name = ''): readonly string[] {
  const [file = '', title] = place.split(' › ');
  if (!existsSync(join(ROOT, file))) return [`${file} is not there`];
  const text = textOf(file);
  const isTitled = ["'", '`'].some((quote) => text.includes(quote + (title ?? '')));
  if (title !== undefined) return isTitled ? [] : [`${file} has no test '${title}'`];
  if (name === '') return [];
  const isNamed = word(name.split('.').at(-1) ?? '').some((one) =>
    new RegExp(`(?<!\\w|\\w-)${one.replace(/[.*]/g, String.raw`\$&`)}(?![\\w-])`).test(text),
  );
  return isNamed ? [] : [`${file} does not name ${name}`];
}

describe.each(Object.entries(TABLES))('each %s', (_, [names, held]) => {
  test('has a test', () => {
    const all = Object.values(held).flatMap(words);
    expect(names.filter((name) => !all.includes(name))).toEqual([]);
  });
  test('has one test only, and is there', () => {
    const all = Object.values(held).flatMap(words);
    expect(all.filter((name, at) => !names.includes(name) || all.indexOf(name) !== at)).toEqual([]);
  });
  test('is named where it is said to be held', () => {
    const wrong = Object.entries(held).flatMap(([place, its]) =>
      words(its).flatMap((name) => complaintsOf(place, name)),
    );
    expect(wrong).toEqual([]);
  });
});

describe('a promise without a name of its own', () => {
  test.each(Object.entries(PROMISES))('%s', (_, place) => {
    expect(complaintsOf(place)).toEqual([]);
  });
});

test.each(Object.entries(MATRICES))('the rows of %s are the cases of a test', (table, place) => {
  expect(complaintsOf(place)).toEqual([]);
  expect(textOf(place.split(' › ')[0] ?? '')).toMatch(new RegExp(`\\b${table}\\b`));
});

describe('each test file', () => {
  const folders = new Set(filesOf('test/**/*.test.ts').map((file) => dirname(file)));
  const homeOf = (folder: string): string => (folder in HOMES ? folder : homeOf(dirname(folder)));
  test('is in a folder of which a user has something', () => {
    // a promise of test/ alone is none for a new folder
    expect([...folders].filter((folder) => folder !== 'test' && homeOf(folder) === 'test')).toEqual([]);
  });
  test('has a folder that is there', () => {
    const homes = new Set([...folders].map(homeOf));
    expect(Object.keys(HOMES).filter((folder) => !homes.has(folder))).toEqual([]);
  });
});
