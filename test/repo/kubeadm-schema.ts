type Schema = Readonly<Record<string, unknown>>;

const text: Schema = { type: 'string' };
const flag: Schema = { type: 'boolean' };
const listOf = (items: Schema): Schema => ({ type: 'array', items });
const objectOf = (
  properties: Readonly<Record<string, Schema>>,
  required: readonly string[] = [],
): Schema => ({
  type: 'object',
  properties,
  required,
  additionalProperties: false,
});

const args = listOf(objectOf({ name: text, value: text }, ['name', 'value']));
const variables = listOf(objectOf({ name: text, value: text, valueFrom: { type: 'object' } }, ['name']));
const hostPath = objectOf(
  {
    name: text,
    hostPath: text,
    mountPath: text,
    readOnly: flag,
    pathType: {
      enum: [
        '',
        'DirectoryOrCreate',
        'Directory',
        'FileOrCreate',
        'File',
        'Socket',
        'CharDevice',
        'BlockDevice',
      ],
    },
  },
  ['name', 'hostPath', 'mountPath'],
);
const component = { extraArgs: args, extraVolumes: listOf(hostPath), extraEnvs: variables };
const nodeRegistration = objectOf({
  name: text,
  criSocket: text,
  taints: listOf(objectOf({ key: text, value: text, effect: text }, ['key', 'effect'])),
  kubeletExtraArgs: args,
  ignorePreflightErrors: listOf(text),
  imagePullPolicy: { enum: ['Always', 'IfNotPresent', 'Never'] },
  imagePullSerial: flag,
});
const endpoint = objectOf({ advertiseAddress: text, bindPort: { type: 'integer' } });
const anyObject: Schema = { type: 'object' };
const kind = (properties: Readonly<Record<string, Schema>>): Schema =>
  objectOf({ apiVersion: { const: 'kubeadm.k8s.io/v1beta4' }, kind: text, ...properties }, [
    'apiVersion',
    'kind',
  ]);
const ofNode = {
  nodeRegistration,
  skipPhases: listOf(text),
  patches: objectOf({ directory: text }),
  timeouts: anyObject,
  dryRun: flag,
};

/** What kubeadm's v1beta4 takes, by the kind of the document. */
export const KUBEADM_SCHEMAS: Readonly<Record<string, Schema>> = {
  InitConfiguration: kind({
    ...ofNode,
    bootstrapTokens: listOf(anyObject),
    localAPIEndpoint: endpoint,
    certificateKey: text,
  }),
  JoinConfiguration: kind({
    ...ofNode,
    caCertPath: text,
    controlPlane: objectOf({ localAPIEndpoint: endpoint, certificateKey: text }),
    discovery: objectOf({
      bootstrapToken: objectOf(
        {
          apiServerEndpoint: text,
          token: { type: 'string', pattern: '^[a-z0-9]{6}\\.[a-z0-9]{16}$' },
          caCertHashes: listOf({ type: 'string', pattern: '^sha256:[0-9a-f]{64}$' }),
          unsafeSkipCAVerification: flag,
        },
        ['token'],
      ),
      file: objectOf({ kubeConfigPath: text }),
      tlsBootstrapToken: text,
    }),
  }),
  ClusterConfiguration: kind({
    etcd: anyObject,
    networking: objectOf({ serviceSubnet: text, podSubnet: text, dnsDomain: text }),
    kubernetesVersion: text,
    controlPlaneEndpoint: text,
    apiServer: objectOf({ ...component, certSANs: listOf(text) }),
    controllerManager: objectOf(component),
    scheduler: objectOf(component),
    dns: anyObject,
    proxy: anyObject,
    certificatesDir: text,
    imageRepository: text,
    featureGates: { type: 'object', additionalProperties: flag },
    clusterName: text,
    encryptionAlgorithm: text,
    certificateValidityPeriod: text,
    caCertificateValidityPeriod: text,
  }),
};

/** The flags of the kube-apiserver that are about audits. */
export const APISERVER_FLAGS: readonly string[] = [
  'audit-policy-file',
  ...[
    'config-file',
    'initial-backoff',
    'mode',
    'version',
    'batch-buffer-size',
    'batch-max-size',
    'batch-max-wait',
    'batch-throttle-burst',
    'batch-throttle-enable',
    'batch-throttle-qps',
    'truncate-enabled',
    'truncate-max-batch-size',
    'truncate-max-event-size',
  ].map((name) => `audit-webhook-${name}`),
  ...['path', 'format', 'maxage', 'maxbackup', 'maxsize', 'mode', 'compress'].map(
    (name) => `audit-log-${name}`,
  ),
];
