import { setTimeout as sleep } from 'node:timers/promises';
import got from 'got';
import { NAMESPACE } from '../lab/environment.ts';
import { kube } from '../lab/kubernetes.ts';

interface KnativeService {
  readonly spec: { readonly template: { readonly spec: PodTemplate } };
}
interface PodTemplate {
  readonly timeoutSeconds: number;
  readonly automountServiceAccountToken?: boolean;
  readonly containers: readonly {
    readonly securityContext: { readonly runAsUser: number };
    readonly ports: readonly { readonly containerPort: number }[];
    readonly readinessProbe: { readonly httpGet: { readonly path: string } };
    readonly livenessProbe: { readonly httpGet: { readonly path: string } };
  }[];
}
interface Source {
  readonly metadata: { readonly name: string };
  readonly spec: {
    readonly resources?: readonly { readonly apiVersion: string; readonly kind: string }[];
    readonly sink: { readonly uri: string; readonly audience: string };
  };
}
interface Changed {
  readonly metadata: {
    readonly uid: string;
    readonly name: string;
    readonly namespace?: string;
    readonly resourceVersion: string;
  };
}

const SERVING = `/apis/serving.knative.dev/v1/namespaces/${NAMESPACE}/services`;
const SOURCES = `/apis/sources.knative.dev/v1/namespaces/${NAMESPACE}`;
const DEPLOYMENTS = `/apis/apps/v1/namespaces/${NAMESPACE}/deployments`;
const PORT_NAME = 'user-port';

export interface Knative {
  /** What levelset answered to events, but 202. */
  readonly refused: readonly string[];
  stop(): Promise<void>;
}

/**
 * What Knative's controllers do for levelset's namespace: the Service becomes a Deployment and is Ready when that is, the
 * sources tell of each change with a token of a ServiceAccount of their own. It never scales to zero, and has no proxy of its
 * own in the Pod.
 */
export function runKnative(): Knative {
  const over = new AbortController();
  const source = new ChangesSource();
  const loop = (async () => {
    while (!over.signal.aborted) {
      await reconcileService();
      await source.poll();
      await sleep(300);
    }
  })();
  return {
    refused: source.refused,
    async stop() {
      over.abort();
      await loop;
    },
  };
}

async function reconcileService(): Promise<void> {
  const service = await kube.get<KnativeService>(`${SERVING}/levelset`);
  const deployment = await kube.get<{ readonly status?: { readonly availableReplicas?: number } }>(
    `${DEPLOYMENTS}/levelset-00001-deployment`,
  );
  if (!service) {
    if (deployment) await kube.remove(`${DEPLOYMENTS}/levelset-00001-deployment`);
  } else if (!deployment) await kube.create(DEPLOYMENTS, deploymentOf(service));
  else if (deployment.status?.availableReplicas) await sayReady(`${SERVING}/levelset`);
}

/** With the names and defaults that Knative's webhook gives to what the manifest leaves out. */
function deploymentOf({ spec }: KnativeService): object {
  const { containers, timeoutSeconds, ...pod } = spec.template.spec;
  if (timeoutSeconds > 600)
    throw new Error("Knative's webhook refuses timeoutSeconds above its maximum, 600");
  if (pod.automountServiceAccountToken === true)
    throw new Error("Knative's webhook refuses automountServiceAccountToken: true");
  const labels = { 'serving.knative.dev/service': 'levelset' };
  const probe = (path: string): object => ({ httpGet: { path, port: PORT_NAME } });
  const user = containers[0]?.securityContext.runAsUser;
  return {
    metadata: { name: 'levelset-00001-deployment' },
    spec: {
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: {
          ...pod,
          securityContext: { runAsUser: user, runAsGroup: user, fsGroup: user }, // so that the token is the user's
          containers: containers.map((container) => ({
            ...container,
            ports: container.ports.map((port) => ({ ...port, name: PORT_NAME })),
            readinessProbe: probe(container.readinessProbe.httpGet.path),
            livenessProbe: probe(container.livenessProbe.httpGet.path),
          })),
        },
      },
    },
  };
}

/** Of both sources: that of changes says what happened, that of time only is Ready. */
class ChangesSource {
  #versions: Map<string, string> | undefined;
  #token = '';
  readonly refused: string[] = [];

  async poll(): Promise<void> {
    for (const kind of ['pingsources', 'apiserversources'])
      for (const { metadata } of await kube.list<Source>(`${SOURCES}/${kind}`))
        await sayReady(`${SOURCES}/${kind}/${metadata.name}`);
    const [source] = await kube.list<Source>(`${SOURCES}/apiserversources`);
    const [pod] = await kube.list<object>(`/api/v1/namespaces/${NAMESPACE}/pods`);
    if (!source || !pod) return;
    const versions = new Map<string, string>();
    for (const { apiVersion, kind } of source.spec.resources ?? []) {
      const objects = await kube.list<Changed>(`/api/${apiVersion}/${kind.toLowerCase()}s`);
      for (const { metadata } of objects) {
        const { namespace, name, resourceVersion } = metadata;
        const reference = { apiVersion, kind, name, ...(namespace !== undefined && { namespace }) };
        versions.set(JSON.stringify(reference), resourceVersion);
      }
    }
    const known = this.#versions;
    this.#versions = versions;
    for (const [reference, version] of versions) {
      const before = known?.get(reference);
      if (known && before !== version)
        await this.#post(source, before === undefined ? 'add' : 'update', reference);
    }
    for (const reference of known?.keys() ?? [])
      if (!versions.has(reference)) await this.#post(source, 'delete', reference);
  }

  async #post({ metadata, spec: { sink } }: Source, happened: string, reference: string): Promise<void> {
    this.#token ||= await tokenOf(`${metadata.name}-oidc`, sink.audience);
    const { statusCode, body } = await got.post(`http://127.0.0.1:8080${sink.uri}`, {
      headers: {
        ...{
          'ce-specversion': '1.0',
          'ce-type': `dev.knative.apiserver.ref.${happened}`,
          'ce-source': '/lab',
        },
        ...{ 'ce-id': crypto.randomUUID(), authorization: `Bearer ${this.#token}` },
        'content-type': 'application/json',
      },
      body: reference,
      retry: { limit: 0 },
      throwHttpErrors: false,
    });
    if (statusCode !== 202) this.refused.push(`${statusCode} ${body}`);
  }
}

/** Of a ServiceAccount that Knative makes for each source. */
async function tokenOf(account: string, audience: string): Promise<string> {
  const accounts = `/api/v1/namespaces/${NAMESPACE}/serviceaccounts`;
  await kube.create(accounts, { metadata: { name: account } });
  const { status } = await kube.create<{ readonly status: { readonly token: string } }>(
    `${accounts}/${account}/token`,
    { spec: { audiences: [audience] } },
  );
  return status.token;
}

async function sayReady(path: string): Promise<void> {
  const status = { conditions: [{ type: 'Ready', status: 'True' }] };
  await kube.patch(`${path}/status`, { status });
}
