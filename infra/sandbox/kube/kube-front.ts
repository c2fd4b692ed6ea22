import type { Answer, Call } from '../exchange.ts';
import { answerOf } from '../refusal.ts';
import type { KubeUser } from './kube-access.ts';
import type { KubeApi } from './kube-api.ts';
import { resourceTypes } from './kube-objects.ts';
import { discoveryAnswer, isServed } from './kubectl/discovery-answer.ts';
import { reviewAnswer } from './review-answer.ts';
import { statusRefusal, unknownFormat } from './kube-refusal.ts';

const verbs: Record<string, [one: string, many: string]> = {
  GET: ['get', 'list'],
  POST: ['create', 'create'],
  PUT: ['update', 'update'],
  PATCH: ['patch', 'patch'],
  DELETE: ['delete', 'deletecollection'],
};

/** For objects that kubectl makes itself, as in `create namespace` (docs/sources/kubernetes.md, "Protobuf bodies"). */
const PROTOBUF = 'application/vnd.kubernetes.protobuf';

/** Answers a request: health and version directly, all else as a KubeCall by the user of its bearer token. */
export function kubeAnswer(api: KubeApi, users: ReadonlyMap<string, KubeUser>, call: Call): Answer {
  return answerOf(() => {
    if (/^\/(readyz|livez|healthz)/.test(call.path)) return { status: 200, body: 'ok' };
    if (call.path === '/version') {
      return {
        status: 200,
        body: { major: '1', minor: '36', gitVersion: 'v1.36.3', platform: 'linux/amd64' },
      };
    }
    const token = /^Bearer (.+)$/.exec(call.headers.authorization ?? '')?.[1] ?? '';
    const user = users.get(token);
    if (!user) throw statusRefusal(401, 'Unauthorized', 'Unauthorized');
    if (call.headers['content-type'] === PROTOBUF) throw unknownFormat(['application/json']);
    const known = discoveryAnswer(call) ?? reviewAnswer(call, user);
    if (known) return known;
    if (!isServed(call.path)) return { status: 404, body: '404 page not found\n' };
    const target = parse(call.path);
    const verb = verbs[call.method]?.[target?.name === undefined ? 1 : 0];
    if (!target || verb === undefined) {
      throw statusRefusal(404, 'NotFound', 'the server could not find the requested resource', {});
    }
    const watching = verb === 'list' && ['true', '1'].includes(call.query.get('watch') ?? '');
    return api.run({
      ...target,
      name: target.name ?? nameSelected(call.query),
      verb: watching ? 'watch' : verb,
      user,
      uri: call.target,
      userAgent: call.headers['user-agent'] ?? '',
      contentType: call.headers['content-type'] ?? '',
      accept: call.headers.accept ?? '',
      query: call.query,
      body: call.body,
    });
  });
}

/** The name by which a list or a watch selects: by it a Role may name it. */
function nameSelected(query: URLSearchParams): string | undefined {
  return /^metadata\.name=([^,]+)$/.exec(query.get('fieldSelector') ?? '')?.[1];
}

type Target = Pick<Parameters<KubeApi['run']>[0], 'type' | 'namespace' | 'name' | 'subresource'>;

function parse(path: string): Target | undefined {
  const parts = path
    .split('/')
    .filter((part) => part !== '')
    .map(decodeURIComponent);
  const core = parts[0] === 'api';
  const group = core ? '' : (parts[1] ?? '');
  const rest = parts.slice(core ? 2 : 3);
  const scoped = rest[0] === 'namespaces' && rest.length > 2;
  const [plural, name, subresource] = scoped ? rest.slice(2) : rest;
  const type = resourceTypes.find((one) => one.plural === plural && one.group === group);
  if (!type || (parts[0] !== 'api' && parts[0] !== 'apis')) return undefined;
  return { type, namespace: scoped ? rest[1] : undefined, name, subresource };
}
