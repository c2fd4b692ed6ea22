import type { Answer } from '../exchange.ts';
import { asJson, type Json } from '../json.ts';
import type { SandboxClock } from '../sandbox-clock.ts';
import type { ObjectChange } from './change-log.ts';
import { apiVersionOf, type KubeObject, type ResourceType } from './kube-objects.ts';
import { statusRefusal } from './kube-refusal.ts';
import { selects } from './object-list.ts';
import type { ObjectStore } from './object-store.ts';
import { asTable, takesTable } from './kubectl/as-table.ts';

const BOOKMARK_MS = 60_000;
const LONGEST_MS = 30 * 60_000;
const PARTIAL = ';as=PartialObjectMetadata;';

export interface WatchCall {
  readonly type: ResourceType;
  readonly namespace: string | undefined;
  readonly query: URLSearchParams;
  readonly accept: string;
}

/**
 * The events of a collection after a version, one JSON a line, until `timeoutSeconds` are over. A version of which the
 * changes are forgotten is answered with an event that says 410.
 */
export function watchAnswer(call: WatchCall, store: ObjectStore, clock: SandboxClock): Answer {
  const { type, namespace, query } = call;
  const wanted = selects(type, query);
  const concerns = ({ resource, object }: ObjectChange): boolean =>
    resource.plural === type.plural && (namespace === undefined || object.metadata.namespace === namespace);
  return {
    status: 200,
    stream: (write, end) => {
      const tell = (event: string, object: Json): void => {
        write(`${JSON.stringify({ type: event, object })}\n`);
      };
      const show = (change: ObjectChange): void => {
        const told = concerns(change) ? asSelected(change, wanted) : undefined;
        if (told) tell(told.type, shown(told.object));
      };
      let headed = true;
      const shown = (object: KubeObject): Json => {
        if (!takesTable(call.accept)) return ofMetadata(object, call.accept);
        const metadata = { resourceVersion: object.metadata.resourceVersion };
        const table = asTable(type, [object], { metadata, query, now: clock.millis(), headed });
        headed = false;
        return table;
      };
      const version = query.get('resourceVersion') ?? '';
      // kubectl waits for the end of a delete so (docs/sources/kubernetes.md, "Tables and watches of kubectl")
      const fromStart = query.get('sendInitialEvents') === 'true';
      const isAny = version === '' || version === '0' || fromStart;
      const all = (): ObjectChange[] =>
        store.all(type, namespace).map((object) => ({ type: 'ADDED', resource: type, object }));
      const missed = isAny ? all() : store.changes.since(Number(version));
      if (missed === undefined) {
        tell(
          'ERROR',
          asJson(statusRefusal(410, 'Expired', `too old resource version: ${version}`).answer.body),
        );
        end();
        return () => undefined;
      }
      missed.forEach(show);
      const { kind } = type;
      const bookmark = (more: Json): void => {
        const metadata = { resourceVersion: store.version(), creationTimestamp: null, ...more };
        tell('BOOKMARK', { kind, apiVersion: apiVersionOf(type), metadata });
      };
      if (fromStart) bookmark({ annotations: { 'k8s.io/initial-events-end': 'true' } });
      const bookmarks =
        query.get('allowWatchBookmarks') === 'true' ? setInterval(bookmark, BOOKMARK_MS, {}) : undefined;
      const limitMs = Math.min(LONGEST_MS, Number(query.get('timeoutSeconds') ?? Infinity) * 1000);
      const over = setTimeout(() => {
        stop();
        end();
      }, limitMs);
      const unfollow = store.changes.follow({
        show,
        end: () => {
          stop();
          end();
        },
      });
      const stop = (): void => {
        unfollow();
        clearInterval(bookmarks);
        clearTimeout(over);
      };
      return stop;
    },
  };
}

/** What who selects sees of a change: what is selected from now on is added, what is selected no more is deleted, as it was. */
function asSelected(
  { type, object, before }: ObjectChange,
  wanted: (object: KubeObject) => boolean,
): Pick<ObjectChange, 'type' | 'object'> | undefined {
  const was = before !== undefined && wanted(before);
  if (wanted(object)) return { type: before !== undefined && !was ? 'ADDED' : type, object };
  const { resourceVersion } = object.metadata;
  const last = was && { ...before, metadata: { ...before.metadata, resourceVersion } };
  return last ? { type: 'DELETED', object: last } : undefined;
}

/** The object, or its metadata alone if the client takes no more. */
function ofMetadata(object: KubeObject, accept: string): Json {
  if (!accept.includes(PARTIAL)) return { ...object };
  return { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata: object.metadata };
}
