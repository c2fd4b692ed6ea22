import type { Node, NodeCondition } from '../model/kubernetes.ts';
import type { NodePatch, NodeStatusPatch } from '../model/node/node.ts';
import { FIELD_MANAGER } from '../model/ownership.ts';
import { ReconcileError } from '../model/errors.ts';
import { asObject, corePath } from './kube-objects.ts';
import type { KubeHttp } from './kube-http.ts';

export async function getNode(http: KubeHttp, name: string): Promise<Node | undefined> {
  const request = { path: corePath('nodes', undefined, name), doing: `read Node ${name}` };
  const answer = await http({ method: 'GET', ...request, expected: [404] });
  return answer.status === 404 ? undefined : asObject('Node', answer.body, request.doing);
}

/** Patches a Node under its resourceVersion, since a merge patch replaces whole lists. Throws KUBE_CONFLICT. */
export function patchNode(http: KubeHttp, node: Node, patch: NodePatch): Promise<Node> {
  return write(http, node, patch, '');
}

export function patchNodeStatus(
  http: KubeHttp,
  node: Node,
  { conditions, ...status }: NodeStatusPatch,
): Promise<Node> {
  const merged = conditions === undefined ? {} : { conditions: withConditions(node, conditions) };
  return write(http, node, { status: { ...status, ...merged } }, '/status');
}

export async function deleteNode(http: KubeHttp, { metadata }: Node): Promise<void> {
  const { name, uid, resourceVersion } = metadata;
  await http({
    method: 'DELETE',
    path: corePath('nodes', undefined, name),
    body: { preconditions: { uid, resourceVersion } },
    doing: `delete Node ${name}`,
    expected: [404],
  });
}

async function write(
  http: KubeHttp,
  node: Node,
  patch: NodePatch & { readonly status?: object },
  subresource: string,
): Promise<Node> {
  const { name, uid, resourceVersion } = node.metadata;
  const doing = `patch Node ${name}`;
  const answer = await http({
    method: 'PATCH',
    path: corePath('nodes', undefined, name) + subresource,
    query: { fieldManager: FIELD_MANAGER },
    body: { ...patch, metadata: { ...patch.metadata, resourceVersion, uid } },
    doing,
    expected: [404],
  });
  if (answer.status !== 404) return asObject('Node', answer.body, doing);
  throw new ReconcileError('KUBE_CONFLICT', `cannot ${doing}: it is gone`, { status: 404 });
}

function withConditions({ status }: Node, ours: readonly NodeCondition[]): readonly NodeCondition[] {
  const types = new Set(ours.map(({ type }) => type));
  return [...(status?.conditions ?? []).filter(({ type }) => !types.has(type)), ...ours];
}
