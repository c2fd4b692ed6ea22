import { afterEach, expect, it } from 'vitest';
import { createKubeHttp } from '../../../shared/kube/kube-http.ts';
import { listAllObjects } from '../../../shared/kube/kube-objects.ts';
import type { Node } from '../../../shared/model/kubernetes.ts';
import { failure, fakeApiserver, type FakeApiserver, type Told } from './fake-apiserver.ts';

let fake: FakeApiserver | undefined;
afterEach(() => fake?.close());

const named = (name: string) => ({ name, uid: name, resourceVersion: '1' });

/** A list of 1,200 in pages; the n-th request may be answered with something else. */
async function serve(odd: (nth: number) => Told | undefined = () => undefined): Promise<FakeApiserver> {
  fake = await fakeApiserver(({ query }, nth) => {
    const from = Number(query.get('continue') ?? 0);
    const to = Math.min(1200, from + Number(query.get('limit')));
    const items = Array.from({ length: to - from }, (_, index) => ({
      metadata: { ...named(`node-${from + index}`), managedFields: [] },
      status: { images: [], addresses: [] },
    }));
    const metadata = to < 1200 ? { continue: String(to) } : {};
    return odd(nth) ?? { status: 200, body: { kind: 'NodeList', metadata, items } };
  });
  return fake;
}

function list(server: FakeApiserver): Promise<readonly Node[]> {
  return listAllObjects(createKubeHttp(server.connection), {
    kind: 'Node',
    path: '/api/v1/nodes',
    query: { labelSelector: 'a=b' },
    doing: 'list Nodes',
  });
}

const expired = failure(410, 'The provided continue parameter is too old');

it('reads all pages with the same selector and drops what nobody reads', async () => {
  const server = await serve();
  const items = await list(server);
  expect(items.map(({ metadata }) => metadata.name)).toEqual(
    Array.from({ length: 1200 }, (_, index) => `node-${index}`),
  );
  expect(items[0]).toEqual({ metadata: named('node-0'), status: { addresses: [] } });
  expect(server.asked.map(({ query }) => query.toString())).toEqual([
    'labelSelector=a%3Db&limit=500',
    'labelSelector=a%3Db&limit=500&continue=500',
    'labelSelector=a%3Db&limit=500&continue=1000',
  ]);
});

it('starts over when the snapshot expires on the way', async () => {
  const server = await serve((nth) => (nth === 3 ? expired : undefined));
  expect(new Set((await list(server)).map(({ metadata }) => metadata.name)).size).toBe(1200);
  expect(server.asked).toHaveLength(6);
});

it('gives up, without a part, when it expires twice', async () => {
  const server = await serve((nth) => (nth % 3 === 0 ? expired : undefined));
  await expect(list(server)).rejects.toMatchObject({ code: 'KUBE_UNAVAILABLE', context: { status: 410 } });
});

it('gives no part when a page fails', async () => {
  const server = await serve((nth) => (nth >= 2 ? failure(500, 'etcd') : undefined));
  await expect(list(server)).rejects.toMatchObject({ code: 'KUBE_UNAVAILABLE' });
});
