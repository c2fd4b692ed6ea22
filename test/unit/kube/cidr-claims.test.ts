import { describe, expect, test } from 'vitest';
import type { Node } from '../../../shared/model/kubernetes.ts';
import { sandboxKube } from './sandbox-kube.ts';

const aNode = (name: string): Node => ({ metadata: { name, uid: `uid-${name}`, resourceVersion: '1' } });

describe('claims on CIDRs', () => {
  test.each([
    ['10.244.3.0/24', 'levelset-cidr-10.244.3.0-24'],
    ['fd00:10:3::/64', 'levelset-cidr-fd00-10-3---64'],
    ['::/128', 'levelset-cidr----128'],
    ['1:2:3:4:5:6:7:8/128', 'levelset-cidr-1-2-3-4-5-6-7-8-128'],
  ])('%s is the Lease %s, and read as it was written', async (cidr, name) => {
    const { connect, sandbox, asked } = await sandboxKube();
    const { cidrs } = await connect();
    expect(await cidrs.claim(cidr, aNode('one'))).toBe(true);
    expect(await cidrs.list()).toMatchObject([{ cidr, node: 'one', uid: 'uid-one' }]);
    expect(asked()).toEqual(['POST 201', 'GET 200']);
    expect(sandbox.kube.get('Lease', 'levelset', name)).toMatchObject({
      metadata: { ownerReferences: [{ apiVersion: 'v1', kind: 'Node', name: 'one', uid: 'uid-one' }] },
      spec: { holderIdentity: 'uid-one' },
    });
  });

  test('one CIDR can be claimed once, however it is spelled, until it is released', async () => {
    const { connect, asked } = await sandboxKube();
    const [a, b] = [await connect(), await connect()];
    expect(await a.cidrs.claim('fd00:10::/64', aNode('one'))).toBe(true);
    expect(await b.cidrs.claim('FD00:10:0:0::/64', aNode('two'))).toBe(false);
    const [claim] = await b.cidrs.list();
    if (claim) await b.cidrs.release(claim);
    expect(await b.cidrs.claim('fd00:10::/64', aNode('two'))).toBe(true);
    expect(asked()).toEqual(['POST 201', 'POST 409', 'GET 200', 'DELETE 200', 'POST 201']);
  });

  test('one that was released and taken again since stays', async () => {
    const { connect, asked } = await sandboxKube();
    const { cidrs } = await connect();
    await cidrs.claim('10.244.3.0/24', aNode('one'));
    const [old] = await cidrs.list();
    if (!old) throw new Error('there is no claim');
    await cidrs.release(old);
    await cidrs.release(old);
    await cidrs.claim('10.244.3.0/24', aNode('two'));
    asked();
    await cidrs.release(old);
    expect(asked()).toEqual(['DELETE 409']);
    expect(await cidrs.list()).toMatchObject([{ node: 'two' }]);
  });

  test('other Leases are no claims', async () => {
    const { connect, sandbox } = await sandboxKube();
    const kube = await connect();
    await kube.cidrs.claim('10.244.3.0/24', aNode('one'));
    const labels = { 'levelset.openstack.org/lease': 'cidr' };
    const inOurs = { namespace: 'levelset' };
    sandbox.kube.apply({
      kind: 'Lease',
      metadata: { ...inOurs, name: 'levelset-cidr-no-cidr-at-all', labels },
    });
    sandbox.kube.apply({ kind: 'Lease', metadata: { ...inOurs, name: 'levelset' } });
    expect(await kube.cidrs.list()).toHaveLength(1);
  });
});
