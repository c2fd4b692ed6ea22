import { expect } from 'vitest';
import { at, listAt } from '../json-path.ts';
import { expectStatus, type KubeCases } from './kube-case.ts';

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
  'levelset may list Pods and do nothing else with them': async (kube) => {
    const token = kube.target.limitedToken;
    if (token === undefined) return;
    expect((await kube.call('GET', kube.path('pods'), undefined, undefined, token)).status).toBe(200);
    const one = kube.path('pods', 'web-1');
    for (const method of ['GET', 'DELETE'])
      expectStatus(await kube.call(method, one, undefined, undefined, token), 403, 'Forbidden');
  },
};
