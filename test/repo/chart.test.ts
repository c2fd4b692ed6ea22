/** The chart, its schema and the manifests that are rendered from it say the same. */
import { expect, test } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { manifestsIn, SUMS, sumsOf } from '../../infra/charts/render.ts';
import { OWN_FLAGS, valuesSchema } from '../../infra/charts/values-schema.ts';
import { type Flag, FLAGS } from '../../shared/config/flags.ts';
import { filesOf, textOf } from './files.ts';

const CHART = 'infra/charts/levelset';
const values = parse(textOf(`${CHART}/values.yaml`)) as Readonly<Record<string, unknown>>;

test('the manifests are the rendering of the chart as it is; if not: npm run generate', () => {
  const sums = textOf(SUMS);
  expect(manifestsIn(sums).length).toBeGreaterThan(6);
  expect(sumsOf(manifestsIn(sums))).toBe(sums);
});

interface Shape {
  readonly properties?: Readonly<Record<string, Shape>>;
}

/** Paths of all values, as deep as the schema names them. */
const named = ({ properties }: Shape, path = ''): readonly string[] =>
  properties
    ? Object.entries(properties).flatMap(([name, shape]) => named(shape, `${path}.${name}`))
    : [path];
const given = (value: unknown, { properties }: Shape, path = ''): readonly string[] =>
  properties && typeof value === 'object' && value !== null
    ? Object.entries(value).flatMap(([name, inner]) =>
        given(inner, properties[name] ?? {}, `${path}.${name}`),
      )
    : [path];

test('values.yaml has every value of the schema, and no other', () => {
  const { flags, global, ...own } = (JSON.parse(valuesSchema()) as Required<Shape>).properties;
  expect([flags, global]).not.toContain(undefined);
  const schema = { properties: { ...own, flags: {} } };
  expect([...given(values, schema)].sort()).toEqual([...named(schema)].sort());
});

interface Pod {
  readonly tolerations: readonly Readonly<Partial<Record<'key' | 'operator' | 'effect', string>>>[];
  readonly containers: readonly { readonly args: readonly string[] }[];
  readonly volumes: readonly object[];
}

const { spec } = parse(textOf('infra/kubernetes/deployment.yaml')) as {
  readonly spec: { readonly template: { readonly spec: Pod } };
};
const pod = spec.template.spec;

/** As the scheduler asks, whether a Pod of levelset may come onto a Node with these taints, each KEY:EFFECT. */
const isLetOnto = (taints: readonly string[]): boolean =>
  taints.every((taint) => {
    const [key, effect] = taint.split(':');
    return pod.tolerations.some(
      (one) => one.operator === 'Exists' && one.key === key && [undefined, effect].includes(one.effect),
    );
  });

const CLOUD = 'node.cloudprovider.kubernetes.io/uninitialized:NoSchedule';
const CONTROL_PLANE = 'node-role.kubernetes.io/control-plane:NoSchedule';
const NOT_READY = 'node.kubernetes.io/not-ready:NoSchedule';

test.each<[boolean, string, readonly string[]]>([
  [true, 'of kubeadm, whose network plugin is not there yet', [CONTROL_PLANE, CLOUD, NOT_READY]],
  [true, 'of k3s', [CLOUD]],
  [true, 'of k3s or RKE2 for nothing but this', [CLOUD, 'CriticalAddonsOnly:NoExecute', NOT_READY]],
  [true, 'of RKE2 with etcd', [CONTROL_PLANE, 'node-role.kubernetes.io/etcd:NoExecute', CLOUD]],
  [
    true,
    'of Cluster API, the first worker of a control plane that is hosted elsewhere',
    [CLOUD, 'node.cluster.x-k8s.io/uninitialized:NoSchedule', NOT_READY],
  ],
  [true, 'of Magnum', [CONTROL_PLANE, CLOUD]],
  [true, 'that Cilium keeps', [CONTROL_PLANE, CLOUD, 'node.cilium.io/agent-not-ready:NoExecute', NOT_READY]],
  [true, 'without a route yet', ['node.kubernetes.io/network-unavailable:NoSchedule']],
  [false, 'that is cordoned', ['node.kubernetes.io/unschedulable:NoSchedule']],
  [false, 'that is switched off', ['node.cloudprovider.kubernetes.io/shutdown:NoSchedule']],
  [false, 'that does not answer', ['node.kubernetes.io/unreachable:NoExecute']],
  [false, 'that is not ready any more', ['node.kubernetes.io/not-ready:NoExecute']],
  [false, 'without room on its disk', ['node.kubernetes.io/disk-pressure:NoSchedule']],
  [false, 'that the autoscaler takes away', ['ToBeDeletedByClusterAutoscaler:NoSchedule']],
  [false, 'for others', ['dedicated:NoSchedule']],
])('%s: levelset runs on a Node %s', (isLet, _, taints) => {
  expect(isLetOnto(taints)).toBe(isLet);
});

test('levelset waits for no network and no DNS of Pods, in a namespace that lets it', () => {
  expect(parse(textOf('infra/kubernetes/namespace.yaml'))).toMatchObject({
    metadata: { labels: { 'pod-security.kubernetes.io/enforce': 'privileged' } },
  });
  const probe = (path: string): object => ({ httpGet: { host: '127.0.0.1', path, port: 'http' } });
  expect(pod).toMatchObject({
    ...{ hostNetwork: true, dnsPolicy: 'Default' },
    containers: [{ readinessProbe: probe('/readyz'), livenessProbe: probe('/healthz') }],
  });
  const [{ args } = { args: [] }] = pod.containers;
  expect(args.find((arg) => arg.startsWith('--listen='))).toMatch(/^--listen=127\.0\.0\.1:\d+$/);
  expect(args).not.toContain('--allow-plain-http');
});

test('but for that network its Pod is as the Pod security standard `restricted` wants it', () => {
  const restricted = { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } };
  expect(pod).toMatchObject({
    securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
    containers: [{ securityContext: { ...restricted, readOnlyRootFilesystem: true } }],
  });
  expect(pod.volumes.map((volume) => Object.keys(volume).filter((key) => key !== 'name'))).toEqual([
    ['secret'],
  ]);
  expect(Object.keys(pod).filter((key) => key.startsWith('host'))).toEqual(['hostNetwork']);
});

test('levelset is not the first to be evicted, and a rollout ends on one Node, whose port is taken until the old Pod ends', () => {
  expect(pod).toMatchObject({ priorityClassName: 'system-cluster-critical' });
  expect(spec).toMatchObject({ strategy: { rollingUpdate: { maxUnavailable: 1, maxSurge: 0 } } });
});

test('each flag of serve is a value of its own or one of `flags`, and those without a value are known to the template', () => {
  const rows = Object.entries<Flag>(FLAGS);
  expect(OWN_FLAGS.filter((name) => !(name in FLAGS))).toEqual([]);
  const bare = rows.filter(
    ([name, { value, commands }]) =>
      value === undefined && commands.includes('serve') && !OWN_FLAGS.includes(name),
  );
  const template = textOf(`${CHART}/templates/deployment.yaml`);
  const special = [...template.matchAll(/eq \$flag "([\w-]+)"/g)].map(([, name]) => name);
  expect(special).toEqual(bare.map(([name]) => name));
});

test('its version is that of the program, and every template is rendered or waits for a value', () => {
  const { version, appVersion } = parse(textOf(`${CHART}/Chart.yaml`)) as Record<string, string>;
  const program = (JSON.parse(textOf('package.json')) as { readonly version: string }).version;
  expect([version, appVersion]).toEqual([program, program]);
  const rendered = manifestsIn(textOf(SUMS)).map((path) => path.replace('infra/kubernetes/', ''));
  const waiting = filesOf(`${CHART}/templates/**/*.yaml`)
    .map((path) => path.replace(`${CHART}/templates/`, ''))
    .filter((name) => !rendered.includes(name));
  const forValues = [
    ...['cloud-config', 'disruption-budget', 'network-policy', 'prometheus-rule'],
    ...['service', 'service-monitor', 'tls-secrets'],
  ];
  expect(waiting.toSorted()).toEqual(forValues.map((name) => `${name}.yaml`).toSorted());
});

test('no write fails where the policy cannot be read, and only Services of type LoadBalancer are looked at', () => {
  const [policy] = parseAllDocuments(textOf('infra/kubernetes/admission-policy.yaml')).map(
    (document) => document.toJS() as unknown,
  );
  expect(policy).toMatchObject({
    spec: {
      failurePolicy: 'Ignore',
      matchConstraints: { resourceRules: [{ apiGroups: [''], resources: ['services'] }] },
      matchConditions: [
        { expression: "object.spec.type == 'LoadBalancer' && !has(object.metadata.deletionTimestamp)" },
        { expression: '!has(object.spec.loadBalancerClass)' },
      ],
    },
  });
});
