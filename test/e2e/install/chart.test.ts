/** The chart by the real helm: what it refuses, and what the real apiserver takes. */
import { describe, expect, it, onTestFinished } from 'vitest';
import { define, dryRun, filesOfModule } from '../fixtures/definitions.ts';
import { CHART, renderChart, runHelm, set } from '../fixtures/release.ts';
import { aNamespace, kubectl, removeNamespace } from '../lab/lab.ts';

const TLS = set({ 'tls.secretName': 'levelset-tls', 'tokens.secretName': 'levelset-tokens' });

const CLUSTERS = set({ 'clusters.from': 'secrets' });

/** Of the container, each in another way than the chart has it. */
const OWN_VARIABLES: readonly { readonly name: string; readonly [source: string]: unknown }[] = [
  ...[
    ...['NODE_OPTIONS', 'MALLOC_ARENA_MAX', 'LEVELSET_STATE_NAMESPACE', 'LEVELSET_SERVICE_ACCOUNT'],
    ...['NODE_EXTRA_CA_CERTS', 'http_proxy', 'KUBERNETES_SERVICE_HOST'],
  ].map((name) => ({ name, value: 'of-ours' })),
  { name: 'HTTPS_PROXY', valueFrom: { secretKeyRef: { name: 'proxy', key: 'url' } } },
];

const VALUES: Readonly<Record<string, readonly string[]>> = {
  'nothing said': [],
  'the audit webhook': [...set({ watch: false }), ...TLS],
  'tokens for the page alone': [...TLS, '--set', 'tokens.keys={page-tokens}'],
  'cloud.conf, a private CA and a proxy': [
    ...['--set-string', 'cloudConfig.content=[Global]'],
    ...set({
      'privateCA.configMapName': 'corporate',
      'proxy.https': 'http://proxy:3128',
      'proxy.noProxy': '.lab',
    }),
  ],
  'variables in place of those of the chart, and the proxy in a Secret': [
    ...['--set-json', `env=${JSON.stringify(OWN_VARIABLES)}`],
    ...set({
      'proxy.noProxy': '.shop',
      'proxy.http': 'http://proxy:3128',
      'privateCA.configMapName': 'corporate',
    }),
  ],
  'the DNS of a cluster that runs': set({ dnsPolicy: 'ClusterFirstWithHostNet', port: 10300, enabled: true }),
  'flags of every kind': [
    ...set({ 'flags.v': 4, 'flags.configure-cloud-routes': false, 'flags.dry-run': true }),
    ...['--set', 'flags.controllers={*,-route}', '--set-string', 'flags.cluster-cidr=10.244.0.0/16'],
  ],
  'two replicas on networks of their own': [
    ...set({ replicas: 2, hostNetwork: false, port: 9443, 'rbac.nodes': false, 'rbac.pods': false }),
    ...[
      '--set',
      'topologySpreadConstraints[0].maxSkew=1,topologySpreadConstraints[0].whenUnsatisfiable=DoNotSchedule',
    ],
    ...['--set-string', 'topologySpreadConstraints[0].topologyKey=kubernetes\\.io/hostname'],
    ...[
      '--set',
      'imagePullSecrets[0].name=registry',
      '--set',
      'env[0].name=OS_CCM_REGIONAL',
      '--set-string',
      'env[0].value=true',
    ],
    ...set({ 'image.digest': `sha256:${'a'.repeat(64)}`, 'serviceAccount.name': 'cloud' }),
  ],
  'Secrets of two namespaces': [
    '--set',
    'tlsSecrets.default={web-tls,api-tls},tlsSecrets.kube-public={shop-tls}',
  ],
  'a registry of Secrets': CLUSTERS,
  'a registry in a volume': [
    ...set({ 'clusters.from': 'folder', watch: false }),
    ...[...TLS, ...set({ 'clusters.volume.persistentVolumeClaim.claimName': 'clusters' })],
  ],
  'a private CA in a Secret': set({ 'privateCA.secretName': 'corporate' }),
};

it('has each variable once: that of `env` where both have it, and NO_PROXY after what it refers to', async () => {
  const { stdout } = await renderChart(
    VALUES['variables in place of those of the chart, and the proxy in a Secret'] ?? [],
  );
  const [, env = ''] = /^          env:\n([^]*?)^          ports:/m.exec(stdout) ?? [];
  const names = [...env.matchAll(/- name: (\w+)/g)].map(([, name]) => name);
  expect(names).toEqual([
    ...OWN_VARIABLES.map(({ name }) => name),
    ...['POD_NAMESPACE', 'POD_NAME', 'NO_PROXY'],
  ]);
  expect(env).toContain('$(KUBERNETES_SERVICE_HOST),.svc,.cluster.local,localhost,127.0.0.1,::1,.shop');
});

describe.each(Object.entries(VALUES))('with %s', (_, values) => {
  it('passes helm lint --strict', async () => {
    expect(await runHelm(['lint', '--strict', CHART, ...values])).toContain('0 chart(s) failed');
  });

  it('renders objects that the apiserver takes, with no field that it does not know', async () => {
    const { stdout, stderr } = await renderChart(values, 'default');
    expect(stderr).toBe('');
    const said = await dryRun(stdout);
    expect(said.trim().split('\n')).toHaveLength(stdout.match(/^kind: /gm)?.length ?? 0);
  });
});

it('has Prometheus scrape it and know its alerts, in objects that its operator’s definitions take', async () => {
  const kinds = ['servicemonitor', 'prometheusrule'];
  const folder = 'example/prometheus-operator-crd/monitoring.coreos.com_';
  const definitions = await filesOfModule(
    'github.com/prometheus-operator/prometheus-operator@v0.85.0',
    kinds.map((kind) => `${folder}${kind}s.yaml`),
  );
  onTestFinished(await define(definitions));
  const values = { 'monitoring.serviceMonitor.enabled': true, 'monitoring.prometheusRule.enabled': true };
  const { stdout } = await renderChart([...set(values), ...TLS], 'default');
  const said = await dryRun(stdout);
  for (const kind of kinds)
    expect(said).toContain(`${kind}.monitoring.coreos.com/levelset serverside-applied`);
});

it('may get the Secrets that tlsSecrets names, and no other', async () => {
  const namespace = await aNamespace();
  onTestFinished(() => removeNamespace(namespace));
  const { stdout } = await renderChart(
    ['--set', `tlsSecrets.${namespace}={web-tls}`, '--show-only', 'templates/tls-secrets.yaml'],
    namespace,
  );
  await kubectl(['apply', '-f', '-'], stdout);
  const user = `--as=system:serviceaccount:${namespace}:levelset`;
  const rules = await kubectl(['auth', 'can-i', '--list', '--no-headers', '-n', namespace, user]);
  const ofSecrets = rules.split('\n').filter((line) => /\bsecrets\b/.test(line));
  expect(ofSecrets.map((line) => line.replace(/\s+/g, ' ').trim())).toEqual(['secrets [] [web-tls] [get]']);
});

it.each([
  ['a name that is not there', set({ imge: 'x' }), /imge/],
  ['a flag that serve does not have', set({ 'flags.cluster-cdir': 'x' }), /cluster-cdir/],
  ['a flag that has a value of its own', set({ 'flags.listen': ':1' }), /listen/],
  [
    'words for a number',
    set({ 'flags.concurrent-service-syncs': 'many' }),
    /concurrent-service-syncs[^]*integer/,
  ],
  ['a tag as a digest', set({ 'image.digest': '0.1.0' }), /digest[^]*pattern/],
  ['a port that needs a capability', set({ port: 443 }), /port[^]*1,?024/],
  ['what the probes cannot do', set({ 'flags.client-ca-file': '/ca.crt' }), /client-ca-file/],
  ['a key of tokens that there is not', [...TLS, '--set', 'tokens.keys={audit}'], /tokens[./]keys/],
  [
    'a ServiceMonitor whose Prometheus gets 401',
    set({ 'monitoring.serviceMonitor.enabled': true }),
    /monitoring\.serviceMonitor[^]*tls\.secretName[^]*tokens\.secretName/,
  ],
  [
    'the same with tokens of others alone',
    [...TLS, ...set({ 'monitoring.serviceMonitor.enabled': true }), '--set', 'tokens.keys={audit-tokens}'],
    /page-tokens among tokens\.keys/,
  ],
  [
    'a policy for the network of a Node',
    ['--set-json', 'networkPolicy.from=[{"ipBlock":{"cidr":"10.9.0.0/16"}}]'],
    /networkPolicy\.from[^]*hostNetwork: false/,
  ],
  ['a DNS that there is not', set({ dnsPolicy: 'None' }), /dnsPolicy/],
  ['tokens in the clear', set({ 'tokens.secretName': 'x' }), /tokens\.secretName needs tls\.secretName/],
  ['no way in', set({ watch: false }), /watch: false[^]*tls\.secretName/],
  ['a registry that is nowhere', set({ 'clusters.from': 'secret' }), /clusters[./]from/],
  ['a folder without a volume', set({ 'clusters.from': 'folder' }), /persistentVolumeClaim/],
  ['a registry, and a cluster beside it', [...CLUSTERS, ...set({ clusterName: 'prod' })], /leave out/],
  ['a namespace without names of Secrets', ['--set-json', 'tlsSecrets={"web":[]}'], /tlsSecrets[^]*web/],
  ['one name as a text', set({ 'tlsSecrets.web': 'web-tls' }), /tlsSecrets[^]*web[^]*array/],
  [
    'two cloud.conf',
    set({ 'cloudConfig.content': 'x', 'cloudConfig.secretName': 'y' }),
    /content or secretName/,
  ],
])('refuses %s', async (_, values, words) => {
  const { code, stderr } = await renderChart(values);
  expect(code).not.toBe(0);
  expect(stderr).toMatch(words);
});
