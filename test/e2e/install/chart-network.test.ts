/** On which network a release runs, where it listens there, and that an upgrade keeps it or says why not. */
import { expect, it, onTestFinished } from 'vitest';
import { parse } from 'yaml';
import { CHART, renderChart, runHelm, set } from '../fixtures/release.ts';
import { aNamespace, kubectl, removeNamespace } from '../lab/lab.ts';

const TLS = set({ 'tls.secretName': 'levelset-tls', 'tokens.secretName': 'levelset-tokens' });
const CLUSTERS = set({ 'clusters.from': 'secrets' });

interface Rendered {
  readonly hostNetwork: boolean;
  readonly dns: string | undefined;
  readonly listen: string | undefined;
  readonly probes: number;
  readonly service: boolean;
  readonly policy: boolean;
  readonly surge: string | undefined;
}

const shapeOf = (text: string): Rendered => ({
  hostNetwork: text.includes('hostNetwork: true'),
  dns: /dnsPolicy: (\w+)/.exec(text)?.[1],
  listen: /--listen=(\S+)/.exec(text)?.[1],
  probes: text.match(/host: 127.0.0.1/g)?.length ?? 0,
  service: text.includes('kind: Service\n'),
  policy: text.includes('kind: NetworkPolicy'),
  surge: /maxSurge: (\d)/.exec(text)?.[1],
});

const ON_NODE = { hostNetwork: true, dns: 'Default', probes: 2, policy: false, surge: '0' };
const ON_ITS_OWN = { hostNetwork: false, dns: undefined, probes: 0, policy: true, surge: '1' };

it.each([
  ['nothing said', [], { ...ON_NODE, listen: '127.0.0.1:10268', service: false }],
  ['callers', TLS, { ...ON_NODE, listen: ':10268', service: true }],
  ['a port', [...TLS, ...set({ port: 10300 })], { ...ON_NODE, listen: ':10300', service: true }],
  ['a network of its own', set({ hostNetwork: false }), { ...ON_ITS_OWN, listen: ':8080', service: true }],
  [
    'the same and callers',
    [...TLS, ...set({ hostNetwork: false })],
    { ...ON_ITS_OWN, listen: ':8443', service: true },
  ],
  ['many clusters', CLUSTERS, { ...ON_ITS_OWN, listen: ':8080', service: true }],
  [
    'the DNS of the cluster',
    set({ dnsPolicy: 'ClusterFirstWithHostNet' }),
    { ...ON_NODE, dns: 'ClusterFirstWithHostNet', listen: '127.0.0.1:10268', service: false },
  ],
] as const)('with %s listens where its callers are', async (_, values, shape) => {
  expect(shapeOf((await renderChart(values)).stdout)).toEqual(shape);
});

it('waits on no new Node, whatever else a list of tolerations of yours has', async () => {
  const own = [
    { key: 'node.kubernetes.io/not-ready', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 20 },
    { key: 'node.cloudprovider.kubernetes.io/uninitialized', operator: 'Exists', effect: 'NoSchedule' },
  ];
  const { stdout } = await renderChart(['--set-json', `tolerations=${JSON.stringify(own)}`]);
  const [, text = ''] = /^      tolerations:\n([^]*?)^      \w/m.exec(stdout) ?? [];
  const added = ['not-ready', 'network-unavailable'].map((taint) => ({
    ...{ key: `node.kubernetes.io/${taint}`, operator: 'Exists', effect: 'NoSchedule' },
  }));
  expect(parse(text)).toEqual([...own, ...added]);
});

it('keeps the network that a release has, and moves it when somebody says so and the namespace lets it', async () => {
  const namespace = await aNamespace();
  const release = 'levelset-network';
  const helm = (command: string, values: readonly string[]): Promise<string> =>
    runHelm([command, release, CHART, '--namespace', namespace, ...set({ replicas: 0 }), ...values]);
  const upgraded = (values: readonly string[]): Promise<string> =>
    helm('upgrade', ['--dry-run=server', ...values]);
  const enforce = (standard: string): Promise<string> =>
    kubectl([
      'label',
      'namespace',
      namespace,
      '--overwrite',
      `pod-security.kubernetes.io/enforce=${standard}`,
    ]);
  onTestFinished(async () => {
    await runHelm(['uninstall', release, '--namespace', namespace, '--ignore-not-found']);
    await removeNamespace(namespace);
  });
  await helm('install', set({ hostNetwork: false }));
  expect(shapeOf(await upgraded([]))).toMatchObject(ON_ITS_OWN);
  const moved = set({ hostNetwork: true });
  expect(shapeOf(await upgraded(moved))).toMatchObject(ON_NODE);
  for (const standard of ['restricted', 'baseline']) {
    await enforce(standard);
    await expect(upgraded(moved)).rejects.toThrow(
      `${namespace} enforces the Pod Security standard ${standard}`,
    );
    expect(shapeOf(await upgraded([]))).toMatchObject(ON_ITS_OWN);
  }
  await enforce('privileged');
  await helm('upgrade', moved);
  expect(shapeOf(await upgraded([]))).toMatchObject(ON_NODE);
});
