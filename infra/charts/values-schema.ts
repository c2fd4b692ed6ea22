/** What values.schema.json says: the shape of values.yaml, and the flags of `levelset serve` by their real names. */
import { writeFileSync } from 'node:fs';
import { type Flag, FLAGS } from '../../shared/config/flags.ts';

/** The keys of the Secret with tokens. Each is the content of a file, which a flag names. */
const TOKEN_KEYS = ['audit-tokens', 'resync-tokens', 'page-tokens'];

/** Flags that the chart sets from values of their own. */
export const OWN_FLAGS: readonly string[] = [
  'kubeconfig',
  'cloud-config',
  'cluster-name',
  'clusters',
  'state-namespace',
  'service-account',
  'listen',
  'watch',
  'tls-cert-file',
  'tls-private-key-file',
  'allow-plain-http',
  'client-ca-file', // the kubelet's probes show no certificate
  ...TOKEN_KEYS.map((key) => `${key}-file`),
];

const text = { type: 'string' };
const bool = { type: 'boolean' };
const anObject = { type: 'object' };
const objects = { type: 'array', items: anObject };
const texts = { type: 'object', additionalProperties: text };
const closed = (properties: object): object => ({ type: 'object', additionalProperties: false, properties });

/** By what stands for the value in --help. */
const TYPES: Readonly<Record<string, object>> = {
  number: { type: 'integer' },
  level: { type: 'integer' },
  bool: { type: ['boolean', 'string'], enum: [true, false, 'true', 'false'] },
  list: { type: ['string', 'array'], items: text },
  cidrs: { type: ['string', 'array'], items: text },
};

function flagSchema({ help, value, repeatable }: Flag): object {
  const type = value === undefined ? bool : (TYPES[repeatable ? 'list' : value] ?? text);
  return { description: help, ...type };
}

/** The whole file. */
export function valuesSchema(): string {
  const rows = Object.entries(FLAGS) as readonly (readonly [string, Flag])[];
  const ofServe = rows.filter(
    ([name, { commands }]) => commands.includes('serve') && !OWN_FLAGS.includes(name),
  );
  const schema = {
    $schema: 'http://json-schema.org/draft-07/schema#',
    description: 'Written by npm run generate from infra/charts/values-schema.ts.',
    ...closed({
      global: anObject,
      enabled: bool,
      image: closed({
        repository: { type: 'string', minLength: 1 },
        tag: text,
        digest: { type: 'string', pattern: '^(sha256:[0-9a-f]{64})?$' },
        pullPolicy: { enum: ['Always', 'IfNotPresent', 'Never'] },
      }),
      imagePullSecrets: objects,
      clusterName: { type: 'string', minLength: 1 },
      cloudConfig: closed({ content: text, secretName: text }),
      clusters: closed({ from: { enum: ['', 'secrets', 'folder'] }, volume: anObject }),
      privateCA: closed({ configMapName: text, secretName: text, key: { type: 'string', minLength: 1 } }),
      watch: bool,
      tls: closed({ secretName: text }),
      tokens: closed({
        secretName: text,
        keys: { type: 'array', items: { enum: TOKEN_KEYS }, uniqueItems: true, minItems: 1 },
      }),
      tlsSecrets: {
        type: 'object',
        additionalProperties: { type: 'array', items: { type: 'string', minLength: 1 }, minItems: 1 },
      },
      flags: closed(Object.fromEntries(ofServe.map(([name, flag]) => [name, flagSchema(flag)]))),
      env: objects,
      proxy: closed({ http: text, https: text, noProxy: text }),
      rbac: closed({ create: bool, nodes: bool, pods: bool }),
      serviceAccount: closed({ create: bool, name: text, annotations: texts }),
      replicas: { type: 'integer', minimum: 0 },
      port: { type: ['integer', 'null'], minimum: 1024, maximum: 65535 },
      hostNetwork: { type: ['boolean', 'null'] },
      dnsPolicy: { enum: ['', 'Default', 'ClusterFirst', 'ClusterFirstWithHostNet'] },
      networkPolicy: closed({ enabled: bool, from: objects }),
      monitoring: closed({
        serviceMonitor: closed({
          enabled: bool,
          interval: { type: 'string', pattern: '^[0-9]+(ms|s|m)$' },
          labels: texts,
          tlsConfig: anObject,
        }),
        prometheusRule: closed({ enabled: bool, labels: texts }),
        runbookURL: { type: 'string', pattern: '^(https?://.+)?$' },
      }),
      resources: anObject,
      priorityClassName: text,
      nodeSelector: texts,
      tolerations: objects,
      affinity: anObject,
      topologySpreadConstraints: objects,
      podAnnotations: texts,
      podLabels: texts,
      extraVolumes: objects,
      extraVolumeMounts: objects,
    }),
  };
  return JSON.stringify(schema, null, 2);
}

if (import.meta.main) writeFileSync(new URL('levelset/values.schema.json', import.meta.url), valuesSchema());
