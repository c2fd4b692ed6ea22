import { poolAddressOf, policyAddressOf } from '../model/address.ts';
import type { DeleteStep, Step, UpdateStep, Change, CreateStep } from '../model/plan.ts';
import { isOfNode, nodeAt, nodeStatusAt, wireOf, type NodePatch } from '../model/node/node.ts';
import type { Attributes, WireResource, NodeKind } from '../model/resources.ts';
import type { Cloud, Kube } from '../ports.ts';
import { textOfRoute, type Route } from '../model/network/routes.ts';
import { valueWithin } from '../deadline.ts';
import type { Node } from '../model/kubernetes.ts';
import { ReconcileError } from '../model/errors.ts';
import { toPkcs12 } from '../model/tls/pkcs12.ts';
import { readTlsSecret } from '../model/tls/tls-secret.ts';
import type { StoredPayload } from '../model/attributes.ts';

export interface Writes extends PortWrites {
  readonly cloud: Cloud;
  readonly kube: NodeWrites;
}

/**
 * Executes one step, whose references are bound, by one API call, or two for tags and for a router that loses and
 * gets routes. Returns what the answer shows.
 */
export async function execute(
  step: Step,
  known: ReadonlyMap<string, WireResource>,
  writes: Writes,
): Promise<WireResource | undefined> {
  const { cloud, kube } = writes;
  const { kind } = step;
  if (isOfNode(kind)) return executeOnNode(step, kind, known, kube);
  const parent = parentOf(step, known);
  switch (step.verb) {
    case 'create':
      if (kind === 'securitygroup' || kind === 'floatingip')
        return createTagged(kind, step.attributes, cloud);
      return cloud.create(kind, step.attributes, parent);
    case 'update': {
      if (kind === 'port') return changePort(step, known.get(step.address), writes);
      if (kind === 'router') return changeRouter(step, known.get(step.address), cloud);
      const attributes = Object.fromEntries(step.changes.map(({ attribute, to }) => [attribute, to]));
      const also = kind === 'healthmonitor' ? alsoSent(known.get(step.address)) : {};
      await cloud.update(kind, step.id, { ...also, ...attributes }, parent);
      return undefined;
    }
    case 'delete':
      await cloud.remove(kind, boundId(step), {
        ...(step.cascade ? { cascade: true } : {}),
        ...(parent === undefined ? {} : { parent }),
      });
      return undefined;
    case 'failover':
      await cloud.failover(step.id);
      return undefined;
    case 'members':
      await cloud.putMembers(idOf(step.address, known), step.members, step.additive);
      return undefined;
  }
}

/** Neutron takes no tags in a POST. They follow at once: nobody finds what has none once its Service is gone. */
async function createTagged(
  kind: 'securitygroup' | 'floatingip',
  { tags, ...attributes }: Attributes,
  cloud: Pick<Cloud, 'create' | 'update'>,
): Promise<WireResource> {
  const made = await cloud.create(kind, attributes);
  if (!tags) return made;
  await cloud.update(kind, made.id, { tags });
  return { ...made, tags };
}

/** The pool of a member, the policy of an L7 rule. */
function parentOf({ kind, address }: Step, known: ReadonlyMap<string, WireResource>): string | undefined {
  if (kind === 'member') return idOf(poolAddressOf(address), known);
  return kind === 'l7rule' ? idOf(policyAddressOf(address), known) : undefined;
}

/** Octavia 11 answers 500 to any PUT of a UDP-CONNECT monitor that does not name its delay (tried). */
function alsoSent(monitor: WireResource | undefined): Attributes {
  return monitor?.['type'] === 'UDP-CONNECT' ? { delay: monitor['delay'] } : {};
}

function boundId({ id, address }: DeleteStep): string {
  if (typeof id === 'string') return id;
  throw new TypeError(`${address} cannot be deleted: this run does not know ${id.$ref}`);
}

function idOf(address: string, known: ReadonlyMap<string, WireResource>): string {
  const found = known.get(address);
  if (!found) throw new TypeError(`a step needs ${address}, which this run neither observed nor created`);
  return found.id;
}

/** The extension with which Neutron changes single routes, whatever others change at the same time. */
const ATOMIC = 'extraroute-atomic';

/**
 * Removes, then adds: a route that moves must not be there twice. Without the extension the whole list is written
 * under the revision that was read.
 */
async function changeRouter(
  { id, changes }: UpdateStep,
  observed: WireResource | undefined,
  cloud: Cloud,
): Promise<WireResource> {
  const [change] = changes;
  const [from, to] = [routesIn(change?.from), routesIn(change?.to)];
  const [leaving, coming] = [without(from, to), without(to, from)];
  if (!(await cloud.networkExtensions()).has(ATOMIC)) {
    const attributes: Attributes = { routes: to };
    return cloud.updateAt('router', id, attributes, Number(observed?.['revision_number'] ?? 0));
  }
  const left = leaving.length > 0 ? await cloud.removeRoutes(id, leaving) : undefined;
  return coming.length > 0 || !left ? cloud.addRoutes(id, coming) : left;
}

function routesIn(value: unknown): readonly Route[] {
  return (value ?? []) as readonly Route[];
}

function without(routes: readonly Route[], others: readonly Route[]): readonly Route[] {
  const texts = new Set(others.map(textOfRoute));
  return routes.filter((route) => !texts.has(textOfRoute(route)));
}

interface PortWrites {
  readonly cloud: Pick<Cloud, 'updateAt'>;
  readonly memory: {
    readonly portWrites: {
      get(id: string): Promise<WireResource | undefined> | undefined;
      set(id: string, write: Promise<WireResource | undefined>): void;
    };
  };
}

/** Other runs wait no longer for one write. */
const WAITED_MS = 10_000;

/**
 * Changes lists of a port. Many Services and the routes write to one port, and Neutron writes a list as a whole: so
 * the newest list that this process knows is written with the step's difference, under its revision.
 */
export async function changePort(
  step: UpdateStep,
  observed: WireResource | undefined,
  { cloud, memory }: PortWrites,
): Promise<WireResource> {
  const before = memory.portWrites.get(step.id) ?? Promise.resolve(undefined);
  const write = before.then((last) => {
    const port = last && revisionOf(last) > revisionOf(observed) ? last : observed;
    return cloud.updateAt('port', step.id, changed(port, step.changes), revisionOf(port));
  });
  memory.portWrites.set(
    step.id,
    before.then(() => valueWithin(WAITED_MS, write)).catch(() => undefined),
  );
  return write;
}

function changed(port: WireResource | undefined, changes: readonly Change[]): Attributes {
  return Object.fromEntries(
    changes.map(({ attribute, from, to }) => [attribute, withDifference(port?.[attribute], from, to)]),
  );
}

function withDifference(list: unknown, from: unknown, to: unknown): readonly unknown[] {
  const [old, wanted] = [byText(from), byText(to)];
  const stay = [...byText(list)].filter(([text]) => !old.has(text) || wanted.has(text));
  const come = [...wanted].filter(([text]) => !old.has(text));
  return [...new Map([...stay, ...come]).values()];
}

/** By JSON: levelset keeps each address pair as it was read. */
function byText(list: unknown): ReadonlyMap<string, unknown> {
  return new Map((Array.isArray(list) ? list : []).map((one: unknown) => [JSON.stringify(one), one]));
}

function revisionOf(port: WireResource | undefined): number {
  return Number(port?.['revision_number'] ?? 0);
}

export type NodeWrites = Pick<Kube, 'patchNode' | 'patchNodeStatus' | 'deleteNode'>;

/** A PATCH of one half of a Node, or its deletion. Returns the Node as it was answered. */
async function executeOnNode(
  step: Step,
  kind: NodeKind,
  known: ReadonlyMap<string, WireResource>,
  kube: NodeWrites,
): Promise<WireResource | undefined> {
  const node = known.get(step.address)?.['node'] as Node | undefined;
  if (!node) throw new TypeError(`a step needs ${step.address}, which this run did not observe`);
  if (step.verb === 'delete') {
    await kube.deleteNode(node);
    return undefined;
  }
  if (step.verb !== 'update')
    throw new TypeError(`${step.address}: a step on a Node is an update or a delete, not ${step.verb}`);
  const to = Object.fromEntries(step.changes.map((change) => [change.attribute, change.to]));
  const written =
    kind === 'nodestatus' ? await kube.patchNodeStatus(node, to) : await kube.patchNode(node, patchOf(to));
  return wireOf(written);
}

function patchOf({ labels, annotations, ...spec }: Readonly<Record<string, unknown>>): NodePatch {
  const metadata = { ...(labels ? { labels } : {}), ...(annotations ? { annotations } : {}) };
  return {
    ...(Object.keys(metadata).length > 0 ? { metadata } : {}),
    ...(Object.keys(spec).length > 0 ? { spec } : {}),
  } as NodePatch;
}

export function halvesOf(
  address: string,
  answer: WireResource,
): readonly (readonly [string, WireResource])[] {
  const name = address.slice(address.indexOf('/') + 1);
  return [
    [nodeAt(name), answer],
    [nodeStatusAt(name), answer],
  ];
}

/**
 * Puts the certificate of a Secret into Barbican. The plan names only the Secret; the key goes nowhere else. What a
 * lost answer made is found by its name, a hash of the contents.
 */
export async function storeCertificate(
  { attributes }: CreateStep,
  { cloud, ...source }: SecretSource & { readonly cloud: Cloud },
): Promise<WireResource> {
  const { payload, ...named } = attributes as Readonly<Record<string, string>> & { payload: StoredPayload };
  const [stored] = await cloud.list('secret', { name: named['name'] ?? '', mode: named['mode'] ?? '' });
  if (stored) return stored;
  const text = await payloadOf(payload, source);
  const encoded = {
    payload: text,
    payload_content_type: 'application/octet-stream',
    payload_content_encoding: 'base64',
  };
  try {
    return { ...named, ...(await cloud.create('secret', { ...named, ...encoded })) };
  } catch (error) {
    throw withoutPayload(error);
  }
}

interface SecretSource {
  readonly kube: Pick<Kube, 'getSecret'>;
}

async function payloadOf({ $secret, fingerprint }: StoredPayload, { kube }: SecretSource): Promise<string> {
  const [namespace = '', name = ''] = $secret.split('/');
  const secret = await kube.getSecret(namespace, name);
  const read = secret && readTlsSecret(secret);
  if (read && 'pair' in read && read.fingerprint === fingerprint)
    return toPkcs12(read.pair).toString('base64');
  throw new ReconcileError('KUBE_CONFLICT', `the Secret ${$secret} changed after the plan was made`);
}

/** The error without Barbican's text, which may quote the payload. */
function withoutPayload(error: unknown): unknown {
  if (!(error instanceof ReconcileError)) return error;
  const { status } = error.context;
  if (status === undefined && error.code === 'CLOUD_UNAVAILABLE') return error;
  const message = `Barbican refused to store a certificate${status === undefined ? '' : ` (HTTP ${status})`}`;
  return new ReconcileError(error.code, message, error.context);
}
