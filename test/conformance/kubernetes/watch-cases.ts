import { expect } from 'vitest';
import { at } from '../json-path.ts';
import { version, type KubeCases } from './kube-case.ts';

const METADATA_ONLY = 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1';

export const watchCases: KubeCases = {
  'a watch tells what came, changed and went after a version, and ends when its time is over': async (
    kube,
  ) => {
    const before = version(await kube.call('GET', kube.path('services')));
    const path = kube.path('services', 'watched');
    const made = await kube.service('watched');
    const changed = await kube.merge(path, { metadata: { labels: { a: 'b' } } });
    await kube.call('DELETE', path);
    const events = await kube.watch(kube.path('services'), { resourceVersion: String(before) });
    expect(events.map((event) => [at(event, 'type'), at(event, 'object.metadata.name')])).toEqual([
      ['ADDED', 'watched'],
      ['MODIFIED', 'watched'],
      ['DELETED', 'watched'],
    ]);
    const versions = events.map((event) => Number(at(event, 'object.metadata.resourceVersion')));
    expect(versions.slice(0, 2)).toEqual([Number(version(made)), Number(version(changed))]);
    expect(versions[2]).toBeGreaterThan(versions[1] ?? Infinity);
    expect(at(events[1], 'object.spec.type')).toBe('LoadBalancer');
  },
  'a watch of metadata alone shows no spec': async (kube) => {
    const before = version(await kube.call('GET', kube.path('services')));
    await kube.service('partial');
    const [event] = await kube.watch(
      kube.path('services'),
      { resourceVersion: String(before) },
      METADATA_ONLY,
    );
    expect(at(event, 'object.kind')).toBe('PartialObjectMetadata');
    expect(at(event, 'object.metadata.name')).toBe('partial');
    expect(at(event, 'object.spec')).toBeUndefined();
  },
  'a watch without a version begins with all that is there': async (kube) => {
    await kube.service('there');
    const [event] = await kube.watch(kube.path('services'), {});
    expect([at(event, 'type'), at(event, 'object.metadata.name')]).toEqual(['ADDED', 'there']);
  },
  'a version that is too old is told by an event of 410': async (kube) => {
    const [event] = await kube.watch(kube.path('services'), { resourceVersion: '1' });
    expect([at(event, 'type'), at(event, 'object.code'), at(event, 'object.reason')]).toEqual([
      ...['ERROR', 410, 'Expired'],
    ]);
  },
};
