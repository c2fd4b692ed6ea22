import type { Answer } from '../exchange.ts';
import { asJson, asText, type Json } from '../json.ts';
import { authorize, type KubeUser } from './kube-access.ts';
import { resourceType } from './kube-objects.ts';

/** What a review of a kind answers. */
type Review = (spec: Json, asking: KubeUser) => Json;

/** Who asks, and what they may do: everybody may ask it about themselves. Reviews are answered, and not kept. */
const reviews: Readonly<Record<string, Review>> = {
  'authentication.k8s.io/v1/selfsubjectreviews': (_spec, { username, groups }) => ({
    userInfo: { username, groups: [...groups] },
  }),
  'authorization.k8s.io/v1/selfsubjectaccessreviews': accessStatus,
};

/** Undefined: the request asks for no review. */
export function reviewAnswer(
  call: { readonly method: string; readonly path: string; readonly body: unknown },
  asking: KubeUser,
): Answer | undefined {
  const review = reviews[call.path.replace('/apis/', '').split('/').slice(0, 3).join('/')];
  if (!review || call.method !== 'POST') return undefined;
  const body = asJson(call.body);
  return { status: 201, body: { ...body, status: review(asJson(body['spec']), asking) } };
}

/** The resource need not be one that is served here. */
function accessStatus(spec: Json, user: KubeUser): Json {
  const wanted = asJson(spec['resourceAttributes']);
  const text = (field: string): string | undefined => asText(wanted[field]) || undefined;
  try {
    const [namespace, name, subresource] = [text('namespace'), text('name'), text('subresource')];
    const [verb = '', plural = '', group = ''] = [text('verb'), text('resource'), text('group')];
    authorize(user, { verb, type: resourceType(plural, '', { group }), namespace, name, subresource });
    return { allowed: true };
  } catch {
    return { allowed: false, reason: 'no rule allows it' };
  }
}
