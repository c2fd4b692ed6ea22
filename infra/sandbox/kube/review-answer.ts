import type { Answer } from '../exchange.ts';
import { asJson, asList, asText, type Json } from '../json.ts';
import { authorize, type KubeUser } from './kube-access.ts';

type Users = ReadonlyMap<string, KubeUser>;

/** What a review of a kind answers, and whether everybody may ask it about themselves. */
interface Review {
  readonly status: (spec: Json, asking: KubeUser, users: Users) => Json;
  readonly ofSelf?: true;
}

/** Who a user is, and what they may do. Reviews are answered, and not kept. */
const reviews: Readonly<Record<string, Review>> = {
  'authentication.k8s.io/v1/tokenreviews': { status: (spec, _asking, users) => tokenStatus(spec, users) },
  'authentication.k8s.io/v1/selfsubjectreviews': {
    status: (_spec, { username, groups }) => ({ userInfo: { username, groups: [...groups] } }),
    ofSelf: true,
  },
  'authorization.k8s.io/v1/subjectaccessreviews': {
    status: (spec, _asking, users) => subjectStatus(spec, users),
  },
  'authorization.k8s.io/v1/selfsubjectaccessreviews': { status: accessStatus, ofSelf: true },
};

/** Undefined: the request asks for no review. */
export function reviewAnswer(
  call: { readonly method: string; readonly path: string; readonly body: unknown },
  asking: KubeUser,
  users: Users,
): Answer | undefined {
  const [group = '', version, plural = ''] = call.path.replace('/apis/', '').split('/');
  const review = reviews[[group, version, plural].join('/')];
  if (!review || call.method !== 'POST') return undefined;
  if (!review.ofSelf) authorize(asking, attempt('create', plural, group));
  const body = asJson(call.body);
  const status = review.status(asJson(body['spec']), asking, users);
  return { status: 201, body: { ...body, status } };
}

function tokenStatus(spec: Json, users: Users): Json {
  const user = users.get(asText(spec['token']));
  if (!user) return { user: {}, error: 'invalid bearer token' };
  const { username, groups } = user;
  return { authenticated: true, user: { username, uid: `uid-${username}`, groups: [...groups] } };
}

/** Somebody with a name and groups; who has no token here has no grants either. */
function subjectStatus(spec: Json, users: Users): Json {
  const username = asText(spec['user']);
  const user = [...users.values()].find((one) => one.username === username);
  return accessStatus(spec, { grants: [], ...user, username, groups: asList(spec['groups']).map(asText) });
}

function accessStatus(spec: Json, user: KubeUser): Json {
  const wanted = asJson(spec['resourceAttributes']);
  const text = (field: string): string | undefined => asText(wanted[field]) || undefined;
  try {
    const [namespace, name, subresource] = [text('namespace'), text('name'), text('subresource')];
    const about = attempt(text('verb') ?? '', text('resource') ?? '', text('group') ?? '');
    authorize(user, { ...about, namespace, name, subresource });
    return { allowed: true };
  } catch {
    return { allowed: false, reason: 'no rule allows it' };
  }
}

/** On all objects of a resource, which need not be one that is served here. */
function attempt(verb: string, plural: string, group: string): Parameters<typeof authorize>[1] {
  const rest = {
    kind: '',
    version: 'v1',
    namespaced: false,
    status: false,
    createOnUpdate: false,
    shortNames: [],
  };
  return {
    verb,
    type: { ...rest, plural, group },
    namespace: undefined,
    name: undefined,
    subresource: undefined,
  };
}
