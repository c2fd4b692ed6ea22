import { expect } from 'vitest';
import { at, textAt } from '../json-path.ts';
import { expectStatus, version, type KubeCases } from './kube-case.ts';
import type { KubeReply, KubeSession } from './kube-session.ts';

type Body = Record<string, unknown>;
const nodes = '/api/v1/nodes';

const named = (kube: KubeSession, name: string, more: Body = {}): Body => ({
  metadata: { name: `${kube.namespace}-${name}`, ...more },
});

/** A Node of the case and the path to it; on the lab the controllers of Kubernetes write on it, too. */
async function aNode(
  kube: KubeSession,
  name: string,
  spec: Body = {},
): Promise<{ path: string; made: KubeReply }> {
  const made = await kube.call('POST', nodes, { ...named(kube, name), spec });
  expect(made.status, JSON.stringify(made.body)).toBe(201);
  const path = `${nodes}/${kube.namespace}-${name}`;
  kube.remember(path);
  return { path, made };
}

/** 422, and the faults of the answer as `field: problem`. */
function expectInvalid(reply: KubeReply, ...problems: string[]): void {
  expectStatus(reply, 422, 'Invalid');
  const text = problems.length === 1 ? (problems[0] ?? '') : `[${problems.join(', ')}]`;
  expect(textAt(reply.body, 'message').replace(/^Node "[^"]*" is invalid: /, '')).toBe(text);
}

const taint = (key: string, effect = 'NoSchedule'): Body => ({ key, effect });
export const nodeCases: KubeCases = {
  'a providerID is set once, and never changed or taken away': async (kube) => {
    const { path } = await aNode(kube, 'provided');
    const set = (providerID: unknown): Promise<KubeReply> => kube.merge(path, { spec: { providerID } });
    expect(at((await set('openstack:///a')).body, 'spec.providerID')).toBe('openstack:///a');
    expect((await set('openstack:///a')).status).toBe(200);
    const no = 'spec.providerID: Forbidden: node updates may not change providerID except from "" to valid';
    for (const other of ['openstack:///b', '', null]) expectInvalid(await set(other), no);
    expect((await kube.merge(path, { metadata: { annotations: { a: 'b' } } })).status).toBe(200);
  },
  'a patch gives all the taints; two of a key and effect, and what is no taint, are refused': async (
    kube,
  ) => {
    const { path } = await aNode(kube, 'tainted');
    const set = (taints: unknown): Promise<KubeReply> => kube.merge(path, { spec: { taints } });
    await set([taint('a'), taint('a', 'NoExecute')]);
    expect(at((await set([taint('b')])).body, 'spec.taints')).toEqual([taint('b')]);
    const strategic = await kube.strategic(path, { spec: { taints: [taint('c')] } });
    expect(at(strategic.body, 'spec.taints')).toEqual([taint('c')]);
    const shown = '{"Key":"a","Value":"x","Effect":"NoSchedule","TimeAdded":null}';
    const twice = await set([taint('a'), { ...taint('a'), value: 'x' }]);
    expectStatus(twice, 422, 'Invalid');
    const text = `metadata.taints[1]: Duplicate value: ${shown}: taints must be unique by key and effect pair`;
    expect(textAt(twice.body, 'message')).toContain(text);
    for (const bad of [taint('a b'), { ...taint('a'), value: 'x y' }, taint('a', 'Nope'), { key: 'a' }])
      expectStatus(await set([bad]), 422, 'Invalid');
    expect(at((await set(null)).body, 'spec.taints')).toBeUndefined();
  },
  'each half has its own path: the Node the spec, /status the addresses, both the metadata': async (kube) => {
    const { path } = await aNode(kube, 'halves');
    const addresses = [{ type: 'InternalIP', address: '10.0.0.1' }];
    const main = await kube.merge(path, { status: { addresses } });
    expect([main.status, at(main.body, 'status.addresses')]).toEqual([200, undefined]);
    const patch = {
      spec: { providerID: 'x' },
      metadata: { labels: { by: 'status' } },
      status: { addresses },
    };
    const status = await kube.merge(`${path}/status`, patch);
    expect(at(status.body, 'status.addresses')).toEqual(addresses);
    expect(at(status.body, 'spec.providerID')).toBeUndefined();
    expect(at(status.body, 'metadata.labels')).toEqual({ by: 'status' });
  },
  'a merge patch gives all addresses; a strategic one merges them by type unless it says replace': async (
    kube,
  ) => {
    const { path } = await aNode(kube, 'addressed');
    const ip = (address: string, type = 'InternalIP'): Body => ({ type, address });
    const set = async (addresses: unknown[]): Promise<unknown> =>
      at((await kube.merge(`${path}/status`, { status: { addresses } })).body, 'status.addresses');
    await set([ip('h', 'Hostname'), ip('10.0.0.9')]);
    const three = [ip('10.0.0.2'), ip('10.0.0.1'), ip('10.0.0.1', 'ExternalIP')];
    expect(await set(three)).toEqual(three);
    const strategic = async (addresses: unknown[]): Promise<unknown> =>
      at((await kube.strategic(`${path}/status`, { status: { addresses } })).body, 'status.addresses');
    await set([ip('h', 'Hostname'), ip('10.0.0.9')]);
    expect(await strategic([ip('10.0.0.1'), ip('10.0.0.2')])).toEqual([ip('h', 'Hostname'), ip('10.0.0.2')]);
    expect(await strategic([...three, { $patch: 'replace' }])).toEqual(three);
    const twice = await kube.merge(`${path}/status`, {
      status: { addresses: [ip('10.0.0.1'), ip('10.0.0.1')] },
    });
    const shown = '{"Type":"InternalIP","Address":"10.0.0.1"}';
    expectInvalid(twice, `status.addresses[1]: Duplicate value: ${shown}`);
  },
  'a version that is not the last is a conflict, for either half': async (kube) => {
    const { path } = await aNode(kube, 'versioned');
    const stale = { metadata: { resourceVersion: '1' } };
    expectStatus(await kube.merge(path, stale), 409, 'Conflict');
    expectStatus(await kube.merge(`${path}/status`, stale), 409, 'Conflict');
    const resourceVersion = version(await kube.call('GET', path));
    const labels = { a: 'b' };
    expect((await kube.merge(path, { metadata: { resourceVersion, labels } })).status).toBe(200);
    expectStatus(await kube.merge(`${path}-none`, { metadata: { labels } }), 404, 'NotFound');
    expectStatus(await kube.merge(`${path}-none/status`, { status: {} }), 404, 'NotFound');
  },
  'a Node is deleted by who knows its uid and its version': async (kube) => {
    const { path, made } = await aNode(kube, 'deleted');
    const uid = textAt(made.body, 'metadata.uid');
    const remove = (preconditions: Body): Promise<KubeReply> => kube.call('DELETE', path, { preconditions });
    const other = await remove({ uid: '00000000-0000-0000-0000-000000000000' });
    expectStatus(other, 409, 'Conflict');
    expect(textAt(other.body, 'message')).toContain(
      `: the UID in the precondition (00000000-0000-0000-0000-000000000000) does not match the UID in record (${uid}).`,
    );
    const old = await remove({ uid, resourceVersion: '1' });
    expectStatus(old, 409, 'Conflict');
    expect(textAt(old.body, 'message')).toMatch(
      /^Operation cannot be fulfilled on Node ".*": the ResourceVersion in/,
    );
    expect(at((await remove({ uid })).body, 'status')).toBe('Success');
    expectStatus(await kube.call('GET', path), 404, 'NotFound');
    expectStatus(await remove({ uid }), 404, 'NotFound');
  },
  'an Event on a Node lives in the namespace default': async (kube) => {
    const involvedObject = { kind: 'Node', name: 'n', uid: 'n', apiVersion: 'v1' };
    const event = { involvedObject, reason: 'Test', message: 'text', type: 'Normal', count: 1 };
    const post = (namespace: string): Promise<KubeReply> =>
      kube.call('POST', `/api/v1/namespaces/${namespace}/events`, {
        ...{
          metadata: { name: `${kube.namespace}.event` },
          source: { component: 'conformance' },
          ...event,
        },
      });
    expectStatus(await post(kube.namespace), 422, 'Invalid');
    expect((await post('default')).status).toBe(201);
    kube.remember(`/api/v1/namespaces/default/events/${kube.namespace}.event`);
  },
};
