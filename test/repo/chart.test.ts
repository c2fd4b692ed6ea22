/** The chart, its schema and the manifests that are rendered from it say the same. */
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { manifestsIn, SUMS, sumsOf } from '../../infra/charts/render.ts';
import { OWN_FLAGS, valuesSchema } from '../../infra/charts/values-schema.ts';
import type { Flag } from '../../shared/config/flag.ts';
import { FLAGS } from '../../shared/config/flags.ts';
import { filesOf, textOf } from './files.ts';

const CHART = 'infra/charts/levelset';
const values = parse(textOf(`${CHART}/values.yaml`)) as Readonly<Record<string, unknown>>;

test('values.schema.json says what its table says; if not: npm run generate', () => {
  expect(JSON.parse(textOf(`${CHART}/values.schema.json`))).toEqual(JSON.parse(valuesSchema()));
});

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

interface ForRelays {
  readonly then: { readonly properties: { readonly flags: { readonly propertyNames: { enum: string[] } } } };
}

test('`flags` of a relay are those of the program that no other value gives', () => {
  const { then } = JSON.parse(valuesSchema()) as ForRelays;
  const rows = Object.entries(FLAGS) as readonly (readonly [string, Flag])[];
  const ofRelay = rows.flatMap(([name, { commands }]) => (commands.includes('relay') ? [name] : []));
  const template = textOf(`${CHART}/templates/deployment.yaml`);
  const rest = ofRelay.filter((name) => !OWN_FLAGS.includes(name) && !template.includes(`--${name}=`));
  expect(then.properties.flags.propertyNames.enum).toEqual(rest);
});

test('the relay is deployed as levelset is, with no credentials of OpenStack', () => {
  const [own, relay] = ['', 'relay/'].map(
    (folder) => parse(textOf(`infra/kubernetes/${folder}deployment.yaml`)) as Deployment,
  );
  const secured = ({ spec }: Deployment): unknown => {
    const { securityContext, containers, tolerations } = spec.template.spec;
    return [securityContext, tolerations, containers[0]?.securityContext, containers[0]?.livenessProbe];
  };
  if (!own || !relay) throw new Error('no Deployment');
  expect(secured(relay)).toEqual(secured(own));
  const { containers, volumes } = relay.spec.template.spec;
  expect(JSON.stringify([containers, volumes])).not.toMatch(/cloud/i);
  expect(volumes.map(({ secret }) => secret?.secretName)).toEqual(['levelset-relay']);
  expect(relay.spec.selector).not.toEqual(own.spec.selector);
});

interface Deployment {
  readonly spec: {
    readonly selector: object;
    readonly template: {
      readonly spec: {
        readonly securityContext: object;
        readonly tolerations: readonly object[];
        readonly containers: readonly { readonly securityContext: object; readonly livenessProbe: object }[];
        readonly volumes: readonly { readonly secret?: { readonly secretName: string } }[];
      };
    };
  };
}

test('levelset runs where the cloud has initialised no Node yet, is not the first to be evicted, and says how it stands', () => {
  const { spec } = parse(textOf('infra/kubernetes/deployment.yaml')) as Deployment;
  expect(spec.template.spec).toMatchObject({
    priorityClassName: 'system-cluster-critical',
    tolerations: expect.arrayContaining([
      { effect: 'NoSchedule', key: 'node.cloudprovider.kubernetes.io/uninitialized', operator: 'Exists' },
      { effect: 'NoSchedule', key: 'node-role.kubernetes.io/control-plane', operator: 'Exists' },
    ]) as unknown,
    containers: [
      {
        readinessProbe: { httpGet: { path: '/readyz' } },
        livenessProbe: { httpGet: { path: '/healthz' } },
      },
    ],
  });
  // the old Pod ends when the new one is ready
  expect(spec).toMatchObject({ strategy: { rollingUpdate: { maxUnavailable: 0 } } });
});

test('each flag of serve is a value of its own or one of `flags`, and those without a value are known to the template', () => {
  const rows = Object.entries(FLAGS) as readonly (readonly [string, Flag])[];
  expect(OWN_FLAGS.filter((name) => !rows.some(([known]) => known === name))).toEqual([]);
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
  const ofMonitoring = ['prometheus-rule', 'scaled-object', 'service-monitor'];
  const forValues = ['cloud-config', 'disruption-budget', ...ofMonitoring, 'tls-secrets'];
  expect(waiting).toEqual(forValues.map((name) => `${name}.yaml`));
});
