import { expect, test } from 'vitest';
import type { Kube } from '../../../shared/ports.ts';
import { sandboxKube } from './sandbox-kube.ts';

const WRITES: Readonly<Record<string, (kube: Kube) => Promise<unknown>>> = {
  'a Lease': (kube) => kube.lease('levelset-6a1f').acquire(),
  'a claim on a CIDR': ({ cidrs }) =>
    cidrs.claim('10.244.3.0/24', { metadata: { name: 'one', uid: 'u', resourceVersion: '1' } }),
  watermarks: ({ state }) =>
    state.save(new Map([['service/default/web', { hash: 'h', updated_at: '2026-01-01T00:00:00Z' }]])),
  'the place': ({ place }) => place.create({ project_id: 'p' }),
  deletions: async ({ deletions: { nodes } }) => nodes.save([{ id: 'n', at: 1 }], await nodes.load()),
  routes: async ({ routes }) => {
    const route = { destination: '10.244.3.0/24', nexthop: '10.0.0.1', port: 'p' };
    return routes.save(new Map([['r', [route]]]), await routes.load());
  },
};

test.each(Object.entries(WRITES))(
  '%s without the namespace of the state: the error names the remedy',
  async (_, write) => {
    const { connect, sandbox } = await sandboxKube();
    sandbox.kube.delete('Namespace', undefined, 'levelset');
    await expect(write(await connect('a'))).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
      message: expect.stringMatching(
        /^cannot .*: 404 namespaces "levelset" not found; create the namespace, .*--state-namespace$/,
      ) as string,
    });
  },
);
