import { expect } from 'vitest';
import { at, listAt, textAt } from '../json-path.ts';
import { expectStatus, type KubeCases, type KubeReply, type KubeSession } from './kube-session.ts';

type Body = Record<string, unknown>;

/** A Node of the case and the path to it; on the lab the controllers of Kubernetes write on it, too. */
async function aNode(kube: KubeSession, role: string, status: Body = {}) {
  const name = `${kube.namespace}-${role}`;
  const made = await kube.call('POST', '/api/v1/nodes', { metadata: { name }, spec: {}, status });
  expect(made.status, JSON.stringify(made.body)).toBe(201);
  const path = `/api/v1/nodes/${name}`;
  kube.remember(path);
  return { path, made };
}

/** 422, and the fault of the answer as `field: problem`. */
function expectInvalid(reply: KubeReply, problem: string): void {
  expectStatus(reply, 422, 'Invalid');
  expect(textAt(reply.body, 'message').replace(/^Node "[^"]*" is invalid: /, '')).toBe(problem);
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
  'a patch gives all taints; two of a key and effect, and what is none, are refused': async (kube) => {
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
    const ready = { type: 'Ready', status: 'True', reason: 'Test', message: '' };
    const { path, made } = await aNode(kube, 'halves', { conditions: [ready] });
    expect(at(made.body, 'status.conditions.0.status')).toBe('True');
    const addresses = [{ type: 'InternalIP', address: '10.0.0.1' }];
    const stale = { metadata: { resourceVersion: '1' } };
    for (const half of [path, `${path}/status`]) expectStatus(await kube.merge(half, stale), 409, 'Conflict');
    const main = await kube.merge(path, { status: { addresses } });
    expect([main.status, at(main.body, 'status.addresses')]).toEqual([200, undefined]);
    const patch = { spec: { providerID: 'x' }, metadata: { labels: { by: 'status' } } };
    const status = await kube.merge(`${path}/status`, { ...patch, status: { addresses } });
    expect(at(status.body, 'status.addresses')).toEqual(addresses);
    expect(at(status.body, 'spec.providerID')).toBeUndefined();
    expect(at(status.body, 'metadata.labels')).toEqual({ by: 'status' });
  },
  'a merge patch gives all addresses; a strategic one merges by type, unless it replaces': async (kube) => {
    const { path } = await aNode(kube, 'addressed');
    const ip = (address: string, type = 'InternalIP'): Body => ({ type, address });
    const set = (how: 'merge' | 'strategic', ...addresses: unknown[]): Promise<KubeReply> =>
      kube[how](`${path}/status`, { status: { addresses } });
    const addresses = ({ body }: KubeReply): unknown => at(body, 'status.addresses');
    const host = ip('h', 'Hostname');
    await set('merge', host, ip('10.0.0.9'));
    const three = [ip('10.0.0.2'), ip('10.0.0.1'), ip('10.0.0.1', 'ExternalIP')];
    expect(addresses(await set('merge', ...three))).toEqual(three);
    await set('merge', host, ip('10.0.0.9'));
    expect(addresses(await set('strategic', ip('10.0.0.1'), ip('10.0.0.2')))).toEqual([host, ip('10.0.0.2')]);
    expect(addresses(await set('strategic', ...three, { $patch: 'replace' }))).toEqual(three);
    const shown = '{"Type":"InternalIP","Address":"10.0.0.1"}';
    const twice = await set('merge', ip('10.0.0.1'), ip('10.0.0.1'));
    expectInvalid(twice, `status.addresses[1]: Duplicate value: ${shown}`);
  },
  'a Node is deleted by who knows its uid and its version': async (kube) => {
    const { path, made } = await aNode(kube, 'deleted');
    const uid = textAt(made.body, 'metadata.uid');
    const remove = (preconditions: Body): Promise<KubeReply> => kube.call('DELETE', path, { preconditions });
    const nobody = '00000000-0000-0000-0000-000000000000';
    const other = await remove({ uid: nobody });
    expectStatus(other, 409, 'Conflict');
    const text = `the UID in the precondition (${nobody}) does not match the UID in record (${uid}).`;
    expect(textAt(other.body, 'message')).toContain(`: ${text}`);
    const old = await remove({ uid, resourceVersion: '1' });
    expectStatus(old, 409, 'Conflict');
    const stale = /^Operation cannot be fulfilled on Node ".*": the ResourceVersion in/;
    expect(textAt(old.body, 'message')).toMatch(stale);
    expect(at((await remove({ uid })).body, 'status')).toBe('Success');
    expectStatus(await remove({ uid }), 404, 'NotFound');
    for (const half of [path, `${path}/status`])
      expectStatus(await kube.merge(half, { metadata: { labels: {} } }), 404, 'NotFound');
  },
};

/** No controller makes it on the lab, and without it no Pod is taken. */
const ACCOUNT = { metadata: { name: 'default' } };

const pod = (name: string, app: string): Record<string, unknown> => ({
  metadata: { name, labels: { app } },
  spec: { automountServiceAccountToken: false, containers: [{ name: 'web', image: 'web' }] },
});

export const podCases: KubeCases = {
  'Pods are listed by label, and their addresses are written through /status alone': async (kube) => {
    await kube.create('serviceaccounts', ACCOUNT);
    expect((await kube.create('pods', pod('web-1', 'web'))).status).toBe(201);
    expect((await kube.create('pods', pod('db-1', 'db'))).status).toBe(201);
    const status = { status: { podIP: '10.0.0.31', podIPs: [{ ip: '10.0.0.31' }] } };
    const path = kube.path('pods', 'web-1');
    expect(at((await kube.merge(path, status)).body, 'status.podIPs')).toBeUndefined();
    expect((await kube.merge(`${path}/status`, status)).status).toBe(200);
    const listed = await kube.call('GET', `${kube.path('pods')}?labelSelector=app%3Dweb`);
    expect(listAt(listed.body, 'items').map((one) => at(one, 'metadata.name'))).toEqual(['web-1']);
    expect(at(listed.body, 'items.0.status.podIPs')).toEqual([{ ip: '10.0.0.31' }]);
  },
};
