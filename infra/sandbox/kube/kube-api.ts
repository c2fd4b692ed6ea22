import type { Answer } from '../exchange.ts';
import { asJson, asList, asText, type Json } from '../json.ts';
import { answerOf } from '../refusal.ts';
import type { SandboxClock } from '../sandbox-clock.ts';
import type { AuditTrail } from './audit-trail.ts';
import { authorize, type KubeCall } from './kube-access.ts';
import { namespaces, qualified, resourceTypes, type KubeObject } from './kube-objects.ts';
import { mergePatch, strategicPatch } from './kube-patch.ts';
import { about, invalid, notFound, statusRefusal, unknownFormat } from './kube-refusal.ts';
import { listAnswer, ofMetadata } from './object-list.ts';
import type { ObjectStore } from './object-store.ts';
import { checkStrictly } from './kubectl/check-strictly.ts';
import { asTable, takesTable } from './kubectl/as-table.ts';
import { watchAnswer } from './watch-answer.ts';

const patchTypes: Record<string, (target: unknown, patch: unknown) => unknown> = {
  'application/merge-patch+json': mergePatch,
  'application/strategic-merge-patch+json': strategicPatch,
};

/** The resource API behind authentication: authorises, runs, audits. Tests' own writes come in here as well. */
export class KubeApi {
  private readonly store: ObjectStore;
  private readonly audit: AuditTrail;
  private readonly clock: SandboxClock;

  constructor(store: ObjectStore, audit: AuditTrail, clock: SandboxClock) {
    this.store = store;
    this.audit = audit;
    this.clock = clock;
  }

  fill(from: KubeApi, change: (text: string) => string): void {
    this.store.fill(from.store, change);
  }

  /** Ends all watches; `forgetting` what changed so far, so that they cannot be resumed. */
  endWatches(forgetting: boolean): void {
    if (forgetting) this.store.changes.compact(Number(this.store.version()));
    this.store.changes.endWatches();
  }

  run(call: KubeCall): Answer {
    const receivedAt = this.clock.micros();
    const answer = answerOf(() => {
      authorize(call.user, call);
      checkStrictly(call);
      return isDryRun(call) ? this.store.rehearse(() => this.perform(call)) : this.perform(call);
    });
    const named = asText(asJson(asJson(call.body)['metadata'])['name']);
    const name = call.verb === 'create' ? named || undefined : call.name;
    this.audit.add({ ...call, attempt: { ...call, name }, receivedAt, code: answer.status });
    return answer;
  }

  private perform(call: KubeCall): Answer {
    const { verb, type, namespace, name = '', subresource, body, query } = call;
    if (subresource !== undefined && !(subresource === 'status' && type.status)) {
      throw statusRefusal(404, 'NotFound', 'the server could not find the requested resource');
    }
    switch (verb) {
      case 'get': {
        const object = this.store.get(type, namespace, name);
        const { resourceVersion } = object.metadata;
        const shown = takesTable(call.accept) ? this.table(call, [object], { resourceVersion }) : object;
        return { status: 200, body: shown };
      }
      case 'list': {
        const view = this.store.view(type, namespace);
        const list = listAnswer(type, view, query, this.store.version(), this.clock);
        const shown = takesTable(call.accept)
          ? this.table(call, list.items, list.metadata)
          : ofMetadata(list, call.accept);
        return { status: 200, body: shown };
      }
      case 'watch':
        return watchAnswer(call, this.store, this.clock);
      case 'create':
        return this.create(call);
      case 'update': {
        const existed = this.store.find(type, namespace, name) !== undefined;
        return {
          status: existed ? 200 : 201,
          body: this.store.update(type, namespace, name, asJson(body), subresource),
        };
      }
      case 'patch':
        return { status: 200, body: this.patch(call) };
      case 'delete':
        return this.remove(call);
      case 'deletecollection': {
        const gone = this.store
          .all(type, namespace)
          .map(({ metadata }) => this.store.remove(type, metadata.namespace, metadata.name, {}));
        return {
          status: 200,
          body: { kind: `${type.kind}List`, apiVersion: 'v1', metadata: {}, items: gone },
        };
      }
      default:
        throw statusRefusal(
          405,
          'MethodNotAllowed',
          'the server does not allow this method on the requested resource',
        );
    }
  }

  private table({ type, query }: KubeCall, objects: readonly Json[], metadata: Json): Json {
    return asTable(type, objects, { metadata, query, now: this.clock.millis() });
  }

  private create({ type, namespace, body }: KubeCall): Answer {
    const given = asJson(body);
    const home = namespace === undefined ? undefined : this.store.find(namespaces, undefined, namespace);
    if (namespace !== undefined && !home) throw notFound(namespaces, namespace);
    if (home?.metadata.deletionTimestamp !== undefined) {
      const name = asText(asJson(given['metadata'])['name']);
      const why = `unable to create new content in namespace ${namespace ?? ''} because it is being terminated`;
      throw statusRefusal(403, 'Forbidden', `${qualified(type)} "${name}" is forbidden: ${why}`);
    }
    const about = asText(asJson(given['involvedObject'])['namespace']);
    if (type.kind === 'Event' && namespace !== (about === '' ? 'default' : about)) {
      const problem = `Invalid value: "${about}": does not match event.namespace`;
      throw invalid(type, asText(asJson(given['metadata'])['name']), 'involvedObject.namespace', problem);
    }
    return { status: 201, body: this.store.create(type, namespace, given) };
  }

  private patch({ type, namespace, name = '', subresource, body, contentType }: KubeCall): KubeObject {
    const merge = patchTypes[contentType.split(';')[0]?.trim() ?? ''];
    if (merge) return this.store.patch(type, namespace, name, (stored) => merge(stored, body), subresource);
    throw unknownFormat(Object.keys(patchTypes));
  }

  private remove(call: KubeCall): Answer {
    const { type, namespace, name = '', body } = call;
    const stored = this.store.get(type, namespace, name);
    const left = this.store.remove(type, namespace, name, asJson(asJson(body)['preconditions']));
    if (type.kind === 'Namespace' && !isDryRun(call)) this.emptyNamespace(call, name);
    if (left.metadata.deletionTimestamp !== undefined || type.kind === 'Service')
      return { status: 200, body: left };
    const details = { ...about(type, name), uid: stored.metadata.uid };
    return {
      status: 200,
      body: { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', details },
    };
  }

  /** Deletes everything in a namespace at once. The namespace controller sends the same deletecollections later. */
  private emptyNamespace(call: KubeCall, namespace: string): void {
    const username = 'system:serviceaccount:kube-system:namespace-controller';
    const user = { username, groups: ['system:masters', 'system:authenticated'] };
    const nothing = { name: undefined, body: undefined };
    for (const type of resourceTypes)
      if (type.namespaced && this.store.all(type, namespace).length > 0)
        this.run({ ...call, user, verb: 'deletecollection', type, namespace, ...nothing });
  }
}

/** A delete may say it in its body, as kubectl does. Refuses every other value but the one there is. */
function isDryRun({ verb, query, body }: KubeCall): boolean {
  const inBody = verb === 'delete' ? asList(asJson(body)['dryRun']).map(asText)[0] : undefined;
  const asked = query.get('dryRun') ?? inBody;
  if (asked === undefined || asked === 'All') return asked === 'All';
  const problem = `Unsupported value: "${asked}": supported values: "All"`;
  throw statusRefusal(422, 'Invalid', `PatchOptions.meta.k8s.io "" is invalid: dryRun: ${problem}`);
}
