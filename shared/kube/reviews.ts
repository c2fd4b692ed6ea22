/** Who has a token, and what they may do: the apiserver's own answers (TokenReview, SubjectAccessReview). */
import { countdown, REVIEW_MS } from '../deadline.ts';
import { fieldsOf } from '../model/json.ts';
import type { KubeHttp } from './kube-http.ts';

export interface Caller {
  readonly username: string;
  readonly uid?: string;
  readonly groups: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

/** What a caller wants to patch; without names all of them, in all namespaces. */
export interface Patched {
  readonly resource: 'services' | 'nodes';
  readonly namespace?: string;
  readonly name?: string;
}

export interface Reviews {
  /** Undefined: the apiserver knows nobody with this token. Throws KUBE_FORBIDDEN if levelset may not ask. */
  callerOf(token: string): Promise<Caller | undefined>;
  mayPatch(caller: Caller, what: Patched): Promise<boolean>;
}

export function createReviews(http: KubeHttp): Reviews {
  const create = async (group: string, kind: string, path: string, spec: object): Promise<Fields> => {
    const body = { apiVersion: `${group}.k8s.io/v1`, kind, spec };
    const doing = `create a ${kind}`;
    const request = { path: `/apis/${group}.k8s.io/v1/${path}`, body, doing };
    const answer = await http({ method: 'POST', ...request, leftMs: countdown(REVIEW_MS) });
    return fieldsOf(fieldsOf(answer.body)['status']);
  };
  return {
    callerOf: async (token) => {
      const { authenticated, user } = await create('authentication', 'TokenReview', 'tokenreviews', {
        token,
      });
      const { username, groups = [], ...more } = fieldsOf(user) as Partial<Caller>;
      const isSomebody = authenticated === true && username && !groups.includes(ANYBODY);
      return isSomebody ? { ...more, username, groups } : undefined;
    },
    mayPatch: async ({ username: user, uid, groups, extra }, { resource, namespace, name }) => {
      const resourceAttributes = {
        verb: 'patch',
        resource,
        ...(namespace !== undefined && { namespace }),
        ...(name !== undefined && { name }),
      };
      const spec = { user, groups, ...(uid && { uid }), ...(extra && { extra }), resourceAttributes };
      const path = 'subjectaccessreviews';
      const { allowed, denied } = await create('authorization', 'SubjectAccessReview', path, spec);
      return allowed === true && denied !== true;
    },
  };
}

/** The group of callers without a credential: an apiserver that takes such a request says that they are authenticated. */
const ANYBODY = 'system:unauthenticated';

type Fields = Readonly<Record<string, unknown>>;
