import type { Answer } from '../exchange.ts';
import { asJson, asList, asText, type Json } from '../json.ts';
import { authorize, type KubeUser } from './kube-access.ts';
import { resourceTypes } from './kube-objects.ts';

/** TokenReviews and SubjectAccessReviews: who a user is, and what they may do. They are answered, and not kept. */
const reviews: Readonly<Record<string, string>> = {
  '/apis/authentication.k8s.io/v1/tokenreviews': 'tokenreviews.authentication.k8s.io',
  '/apis/authorization.k8s.io/v1/subjectaccessreviews': 'subjectaccessreviews.authorization.k8s.io',
};

/** Undefined: the request asks for no review. */
export function reviewAnswer(
  call: { readonly method: string; readonly path: string; readonly body: unknown },
  asking: KubeUser,
  users: ReadonlyMap<string, KubeUser>,
): Answer | undefined {
  const [plural = '', ...group] = reviews[call.path]?.split('.') ?? [];
  if (plural === '' || call.method !== 'POST') return undefined;
  const rest = { namespaced: false, status: false, createOnUpdate: false, version: 'v1', kind: '' };
  const type = { ...rest, plural, group: group.join('.') };
  authorize(asking, { verb: 'create', type, namespace: undefined, name: undefined, subresource: undefined });
  const body = asJson(call.body);
  const spec = asJson(body['spec']);
  const status = plural === 'tokenreviews' ? tokenStatus(spec, users) : accessStatus(spec, users);
  return { status: 201, body: { ...body, status } };
}

function tokenStatus(spec: Json, users: ReadonlyMap<string, KubeUser>): Json {
  const user = users.get(asText(spec['token']));
  if (!user) return { user: {}, error: 'invalid bearer token' };
  const { username, groups } = user;
  return { authenticated: true, user: { username, uid: `uid-${username}`, groups: [...groups] } };
}

function accessStatus(spec: Json, users: ReadonlyMap<string, KubeUser>): Json {
  const wanted = asJson(spec['resourceAttributes']);
  const text = (field: string): string | undefined => asText(wanted[field]) || undefined;
  const type = resourceTypes.find(({ plural }) => plural === text('resource'));
  const username = asText(spec['user']);
  const user = [...users.values()].find((one) => one.username === username);
  const groups = asList(spec['groups']).map(asText);
  if (!type) return { allowed: false };
  try {
    const [verb = '', namespace, name] = [text('verb'), text('namespace'), text('name')];
    authorize(
      { grants: [], ...user, username, groups },
      { verb, type, namespace, name, subresource: undefined },
    );
    return { allowed: true };
  } catch {
    return { allowed: false, reason: 'no rule allows it' };
  }
}
