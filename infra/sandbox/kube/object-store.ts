import { asJson, asList, asText, sameJson, type Json } from '../json.ts';
import type { Lots } from '../lots.ts';
import type { SandboxClock } from '../sandbox-clock.ts';
import { ChangeLog } from './change-log.ts';
import { apiVersionOf, type KubeObject, type ObjectMeta, type ResourceType } from './kube-objects.ts';
import { alreadyExists, conflict, deleteConflict, invalid, notFound } from './kube-refusal.ts';
import { defaultNode, validateNode } from './node-rules.ts';
import { ObjectTable, type ObjectView } from './object-table.ts';
import { defaultService, ServiceAllocator, validateService } from './service-defaults.ts';

export interface Preconditions {
  readonly uid?: unknown;
  readonly resourceVersion?: unknown;
}

const stale = 'the object has been modified; please apply your changes to the latest version and try again';

/** Objects with the apiserver's write semantics: versions, preconditions, finalizers, status apart from the rest. */
export class ObjectStore {
  /** By type, then by namespace and name. */
  private readonly tables = new Map<string, ObjectTable>();
  private readonly allocator = new ServiceAllocator();
  private readonly clock: SandboxClock;
  private readonly lots: Lots;
  private revision = 1000;
  private isRehearsal = false;
  readonly changes = new ChangeLog(this.revision);

  constructor(clock: SandboxClock, lots: Lots) {
    this.clock = clock;
    this.lots = lots;
  }

  version(): string {
    return String(this.revision);
  }

  /** All objects of a type in the order in which a list has them. */
  all(type: ResourceType, namespace?: string): readonly KubeObject[] {
    return this.view(type, namespace).objects;
  }

  view(type: ResourceType, namespace?: string): ObjectView {
    return this.tableOf(type).view(namespace);
  }

  find(type: ResourceType, namespace: string | undefined, name: string): KubeObject | undefined {
    return this.tableOf(type).get(keyOf(namespace, name));
  }

  get(type: ResourceType, namespace: string | undefined, name: string): KubeObject {
    const found = this.find(type, namespace, name);
    if (!found) throw notFound(type, name);
    return found;
  }

  create(type: ResourceType, namespace: string | undefined, given: Json): KubeObject {
    const meta = asJson(given['metadata']);
    const suffix = this.lots.bytes(4).toString('hex').slice(-5);
    const name = asText(meta['name']) || (meta['generateName'] ? asText(meta['generateName']) + suffix : '');
    if (name === '')
      throw invalid(type, '', 'metadata.name', 'Required value: name or generateName is required');
    if (this.find(type, namespace, name)) throw alreadyExists(type, name);
    const created: KubeObject = {
      ...structuredClone(given),
      apiVersion: apiVersionOf(type),
      kind: type.kind,
      metadata: {
        ...structuredClone(meta),
        name,
        ...(namespace === undefined ? {} : { namespace }),
        uid: this.lots.id(),
        resourceVersion: '',
        creationTimestamp: this.clock.seconds(),
      },
    };
    delete created.metadata.deletionTimestamp;
    if (type.kind === 'Service') created.status = {};
    if (type.kind === 'Namespace') defaultNamespace(created);
    return this.put(type, created);
  }

  /** Runs writes that answer as they would, and keep nothing: what `dryRun=All` asks for. */
  rehearse<T>(write: () => T): T {
    const allocated = new ServiceAllocator();
    allocated.goOnAfter(this.allocator);
    this.isRehearsal = true;
    try {
      return write();
    } finally {
      this.isRehearsal = false;
      this.allocator.goOnAfter(allocated);
    }
  }

  /** Takes over copies of all that another store has, its versions too, with their texts changed. No watch is told. */
  fill(from: ObjectStore, change: (text: string) => string): void {
    for (const [plural, table] of from.tables) {
      const copies = JSON.parse(change(JSON.stringify(table.view().objects))) as KubeObject[];
      const own = new ObjectTable();
      for (const copy of copies) own.set(keyOf(copy.metadata.namespace, copy.metadata.name), copy);
      this.tables.set(plural, own);
    }
    this.revision = from.revision;
    this.changes.compact(this.revision);
    this.allocator.goOnAfter(from.allocator);
  }

  /** PATCH: stores what `apply` makes of the stored object. Another uid is refused with 422, and by a PUT with 409. */
  patch(
    type: ResourceType,
    namespace: string | undefined,
    name: string,
    apply: (stored: KubeObject) => unknown,
    subresource?: string,
  ): KubeObject {
    const stored = this.get(type, namespace, name);
    const patched = asJson(apply(stored));
    const uid = asJson(patched['metadata'])['uid'];
    if (uid !== stored.metadata.uid) {
      throw invalid(type, name, 'metadata.uid', `Invalid value: "${asText(uid)}": field is immutable`);
    }
    return this.update(type, namespace, name, patched, subresource);
  }

  /** PUT, also the second half of every PATCH. `subresource` says which half of the object the write may touch. */
  update(
    type: ResourceType,
    namespace: string | undefined,
    name: string,
    given: Json,
    subresource?: string,
  ): KubeObject {
    const stored = this.find(type, namespace, name);
    const meta = asJson(given['metadata']);
    if (!stored && type.createOnUpdate && subresource === undefined) {
      if (meta['uid'] !== undefined) throw conflict(type, name, 'Precondition failed: UID in precondition');
      return this.create(type, namespace, given);
    }
    if (!stored) throw notFound(type, name);
    const version = asText(meta['resourceVersion']);
    if (version === '' && type.kind === 'Lease') {
      throw invalid(
        type,
        name,
        'metadata.resourceVersion',
        'Invalid value: 0: must be specified for an update',
      );
    }
    checkPreconditions(type, stored, {
      uid: meta['uid'],
      resourceVersion: version === '' ? undefined : version,
    });
    const next: KubeObject = { ...structuredClone(stored) };
    if (subresource === 'status') next.status = structuredClone(asJson(given['status']));
    else {
      for (const key of Object.keys(next))
        if (!['status', 'metadata'].includes(key)) Reflect.deleteProperty(next, key);
      Object.assign(next, structuredClone(given), { apiVersion: stored.apiVersion, kind: stored.kind });
      if (type.status) next.status = structuredClone(asJson(stored.status));
      if (type.kind === 'Service' && next.spec?.['type'] !== 'LoadBalancer')
        delete next.status?.['loadBalancer'];
    }
    next.metadata = keepIdentity(structuredClone(meta), stored.metadata);
    const added = asList(next.metadata.finalizers).filter(
      (one) => !asList(stored.metadata.finalizers).includes(one),
    );
    if (stored.metadata.deletionTimestamp !== undefined && added.length > 0) {
      const problem = 'Forbidden: no new finalizers can be added if the object is being deleted';
      throw invalid(type, name, 'metadata.finalizers', problem);
    }
    return this.put(type, next);
  }

  /** DELETE: the object is gone at once, or only marked if it has finalizers. */
  remove(type: ResourceType, namespace: string | undefined, name: string, wanted: Preconditions): KubeObject {
    const stored = this.get(type, namespace, name);
    checkDelete(type, stored, wanted);
    if (this.isRehearsal) return stored;
    if (asList(stored.metadata.finalizers).length === 0) {
      this.tableOf(type).delete(keyOf(namespace, name));
      this.revision += 1;
      this.deleted(type, stored);
      return stored;
    }
    if (stored.metadata.deletionTimestamp !== undefined) return stored;
    const marked = structuredClone(stored);
    marked.metadata.deletionTimestamp = this.clock.seconds();
    marked.metadata['deletionGracePeriodSeconds'] = 0;
    return this.put(type, marked);
  }

  /** Stores an object, or removes a marked one without finalizers. A no-op write keeps its resourceVersion. */
  private put(type: ResourceType, object: KubeObject): KubeObject {
    if (type.kind === 'Service') {
      defaultService(object, this.allocator);
      validateService(type, object);
    }
    const { namespace, name } = object.metadata;
    const table = this.tableOf(type);
    const key = keyOf(namespace, name);
    const before = table.get(key);
    if (type.kind === 'Node') {
      defaultNode(object, before);
      validateNode(type, object, before);
    }
    if (
      before &&
      sameJson(
        { ...object, metadata: { ...object.metadata, resourceVersion: before.metadata.resourceVersion } },
        before,
      )
    ) {
      return before;
    }
    if (this.isRehearsal) return object;
    this.revision += 1;
    object.metadata.resourceVersion = String(this.revision);
    const done =
      object.metadata.deletionTimestamp !== undefined && asList(object.metadata.finalizers).length === 0;
    if (done) {
      table.delete(key);
      this.deleted(type, object);
    } else {
      table.set(key, object);
      const modified = before && ({ type: 'MODIFIED', before } as const);
      this.changes.add({ type: 'ADDED', ...modified, resource: type, object });
    }
    return object;
  }

  private deleted(resource: ResourceType, object: KubeObject): void {
    const metadata = { ...object.metadata, resourceVersion: String(this.revision) };
    this.changes.add({ type: 'DELETED', resource, object: { ...object, metadata } });
  }

  private tableOf({ plural }: ResourceType): ObjectTable {
    const found = this.tables.get(plural) ?? new ObjectTable();
    this.tables.set(plural, found);
    return found;
  }
}

/** Without the finalizer of the real one: a namespace that is deleted is gone at once. */
function defaultNamespace(namespace: KubeObject): void {
  const { name, labels } = namespace.metadata;
  namespace.metadata.labels = { ...labels, 'kubernetes.io/metadata.name': name };
  namespace.status = { phase: 'Active' };
}

const keyOf = (namespace: string | undefined, name: string): string => `${namespace ?? ''}/${name}`;

function keepIdentity(meta: Json, stored: ObjectMeta): ObjectMeta {
  const { name, namespace, uid, resourceVersion, creationTimestamp, deletionTimestamp } = stored;
  const kept: ObjectMeta = { ...meta, name, uid, resourceVersion, creationTimestamp };
  if (namespace !== undefined) kept.namespace = namespace;
  if (asList(kept.finalizers).length === 0) delete kept.finalizers;
  delete kept.deletionTimestamp;
  delete kept['deletionGracePeriodSeconds'];
  if (deletionTimestamp === undefined) return kept;
  return { ...kept, deletionTimestamp, deletionGracePeriodSeconds: 0 };
}

function checkDelete(type: ResourceType, stored: KubeObject, wanted: Preconditions): void {
  const { name, uid, resourceVersion } = stored.metadata;
  if (wanted.uid !== undefined && wanted.uid !== uid)
    throw deleteConflict(type, name, 'UID', asText(wanted.uid), uid);
  if (wanted.resourceVersion !== undefined && wanted.resourceVersion !== resourceVersion)
    throw deleteConflict(type, name, 'ResourceVersion', asText(wanted.resourceVersion), resourceVersion);
}

function checkPreconditions(type: ResourceType, stored: KubeObject, wanted: Preconditions): void {
  const { name, uid, resourceVersion } = stored.metadata;
  if (wanted.uid !== undefined && wanted.uid !== uid) {
    const why = `Precondition failed: UID in precondition: ${asText(wanted.uid)}, UID in object meta: ${uid}`;
    throw conflict(type, name, why);
  }
  if (wanted.resourceVersion !== undefined && wanted.resourceVersion !== resourceVersion) {
    throw conflict(type, name, stale);
  }
}
