import { asJson, asList, asText, type Json } from '../json.ts';
import { adminUser, nodeControllerUser, type KubeUser } from './kube-access.ts';
import type { KubeApi } from './kube-api.ts';
import { apiVersionOf, resourceTypes, type KubeObject, type ResourceType } from './kube-objects.ts';
import type { AuditTrail } from './audit-trail.ts';
import type { MadeServer, ServerMaker } from '../server-maker.ts';

export interface Registration {
  readonly systemUUID?: string;
  readonly nodeIP?: string;
  readonly ready?: boolean;
  /** Fields of the spec with which the kubelet was told to register, such as taints. */
  readonly spec?: Json;
}

/** Where a call goes, and who makes it if not the administrator. */
interface Place {
  readonly namespace?: string | undefined;
  readonly name?: string | undefined;
  readonly subresource?: string;
  readonly user?: KubeUser;
}

/**
 * The cluster as a test's administrator sees it: no token, but the same rules and the same audit events as over
 * HTTP. Answers that are refusals are thrown as errors.
 */
export class KubeWorld {
  private readonly api: KubeApi;
  private readonly audit: AuditTrail;
  private readonly servers: ServerMaker;

  constructor(api: KubeApi, audit: AuditTrail, servers: ServerMaker) {
    this.api = api;
    this.audit = audit;
    this.servers = servers;
  }

  /** Becomes a copy of another cluster, whose texts `change` changes, such as its ids. */
  fill(from: KubeWorld, change: (text: string) => string): void {
    this.api.fill(from.api, change);
  }

  /** Whether writes to services/status are audited too; the shipped policy leaves them out. */
  set auditServiceStatus(include: boolean) {
    this.audit.includeServiceStatus = include;
  }

  /** Creates, or merges into what is there; a `status` is written through /status. */
  apply(object: Json): KubeObject {
    const type = typeOf(asText(object['kind']));
    const meta = asJson(object['metadata']);
    const namespace = type.namespaced ? asText(meta['namespace']) || 'default' : undefined;
    const name = asText(meta['name']);
    const exists = name !== '' && this.get(type.kind, namespace, name) !== undefined;
    const place = { namespace, name: exists ? name : undefined };
    const written = this.write(exists ? 'patch' : 'create', type, place, object);
    const { status } = object;
    if (status === undefined || !type.status) return written;
    const whole = { namespace, name: written.metadata.name, subresource: 'status' };
    return this.write('patch', type, whole, { status });
  }

  get(kind: string, namespace: string | undefined, name: string): KubeObject | undefined {
    const answer = this.call('get', typeOf(kind), { namespace, name });
    return answer.status === 200 ? structuredClone(answer.body as KubeObject) : undefined;
  }

  list(kind: string, namespace?: string): KubeObject[] {
    const { body } = this.call('list', typeOf(kind), { namespace });
    const items = asList(asJson(body)['items']) as KubeObject[];
    return items.map((item) => ({ ...structuredClone(item), apiVersion: apiVersionOf(typeOf(kind)), kind }));
  }

  /** Deletes an object. With finalizers it stays, marked. An object that does not exist is no error. */
  delete(kind: string, namespace: string | undefined, name: string): void {
    this.call('delete', typeOf(kind), { namespace, name });
  }

  /** Ends all watches, as a restart does; `forgetting` what changed so far, as etcd's compaction does. */
  endWatches({ forgetting = false } = {}): void {
    this.api.endWatches(forgetting);
  }

  /** A ready Node with its Nova server and port, as kubelet and cloud controller leave it. */
  addNode(name: string, options: { readonly address?: string } = {}): KubeObject {
    const server = this.servers.create(name, options.address);
    const addresses = [
      ...server.addresses.map((address) => ({ type: 'InternalIP', address })),
      { type: 'Hostname', address: name },
    ];
    this.apply({
      apiVersion: 'v1',
      kind: 'Node',
      metadata: { name, labels: { ...kubeletLabels(name), ...cloudLabels(server) } },
      spec: { providerID: `openstack:///${server.id}` },
      status: { addresses, conditions: [readyCondition(true)], nodeInfo: nodeInfo(server.id) },
    });
    return this.apply({ kind: 'Node', metadata: { name }, spec: { taints: null } });
  }

  /**
   * A Node as a kubelet with `--cloud-provider=external` registers it: no providerID, no addresses, and the taint that
   * waits for a cloud controller. `systemUUID` is what the machine says of itself, `nodeIP` its `--node-ip`.
   */
  registerNode(name: string, options: Registration = {}): KubeObject {
    const { systemUUID = '', nodeIP, ready = true, spec } = options;
    const annotations = nodeIP === undefined ? {} : { 'alpha.kubernetes.io/provided-node-ip': nodeIP };
    const taints = [
      { key: 'node.cloudprovider.kubernetes.io/uninitialized', value: 'true', effect: 'NoSchedule' },
    ];
    return this.apply({
      apiVersion: 'v1',
      kind: 'Node',
      metadata: { name, labels: kubeletLabels(name), annotations },
      spec: { taints, ...spec },
      status: { conditions: [readyCondition(ready)], nodeInfo: nodeInfo(systemUUID) },
    });
  }

  /** Sets the condition Ready, as Kubernetes' node lifecycle controller does when a kubelet comes or stops. */
  setReady(name: string, ready: boolean): KubeObject {
    const status = { conditions: [readyCondition(ready)] };
    const place = { name, subresource: 'status', user: nodeControllerUser };
    return this.write('patch', typeOf('Node'), place, { status });
  }

  /** Takes the Node and its server away. */
  removeNode(name: string): void {
    const providerId = asText(this.get('Node', undefined, name)?.spec?.['providerID']);
    this.servers.remove(providerId.replace('openstack:///', ''));
    this.delete('Node', undefined, name);
  }

  private write(verb: string, type: ResourceType, place: Place, body: Json): KubeObject {
    const answer = this.call(verb, type, place, body);
    if (answer.status >= 400) throw new Error(asText(asJson(answer.body)['message']));
    return structuredClone(answer.body as KubeObject);
  }

  private call(verb: string, type: ResourceType, place: Place, body?: Json): ReturnType<KubeApi['run']> {
    const { namespace, name, subresource, user = adminUser } = place;
    const prefix = type.group === '' ? '/api/v1' : `/apis/${type.group}/${type.version}`;
    const scope = namespace === undefined ? '' : `/namespaces/${namespace}`;
    const tail = [name, subresource].filter((part) => part !== undefined).map((part) => `/${part}`);
    return this.api.run({
      verb,
      type,
      namespace,
      name,
      subresource,
      user,
      uri: `${prefix}${scope}/${type.plural}${tail.join('')}`,
      userAgent: 'kubectl/v1.36.3 (linux/amd64)',
      contentType: 'application/merge-patch+json',
      accept: 'application/json',
      query: new URLSearchParams(),
      body,
    });
  }
}

const kubeletLabels = (name: string): Json => ({
  'kubernetes.io/hostname': name,
  'kubernetes.io/os': 'linux',
});

/** Without a region: the configurations of the sandbox name none. */
const cloudLabels = ({ zone, type }: MadeServer): Json => ({
  'node.kubernetes.io/instance-type': type,
  'beta.kubernetes.io/instance-type': type,
  'topology.kubernetes.io/zone': zone,
  'failure-domain.beta.kubernetes.io/zone': zone,
});

const nodeInfo = (systemUUID: string): Json => ({ kubeletVersion: 'v1.36.3', systemUUID });

const readyCondition = (ready: boolean): Json =>
  ready
    ? {
        ...{ type: 'Ready', status: 'True', reason: 'KubeletReady' },
        message: 'kubelet is posting ready status',
      }
    : {
        ...{ type: 'Ready', status: 'Unknown', reason: 'NodeStatusUnknown' },
        message: 'Kubelet stopped posting node status.',
      };

function typeOf(kind: string): ResourceType {
  const found = resourceTypes.find((type) => type.kind === kind);
  if (!found) throw new Error(`the sandbox has no kind ${kind}`);
  return found;
}
