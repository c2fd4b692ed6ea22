import { apply } from './kubernetes.ts';

export type Conditions = Readonly<Record<'ready' | 'serving' | 'terminating', boolean>>;
export const READY: Conditions = { ready: true, serving: true, terminating: false };
export const LEAVING: Conditions = { ready: false, serving: true, terminating: true };

/** Where the Pods of Service `web` are, as the endpoint slice controller would write it; none runs for them here. */
export async function writeSlice(
  namespace: string,
  port: object,
  endpoints: readonly object[],
): Promise<void> {
  const labels = { 'kubernetes.io/service-name': 'web' };
  await apply([
    {
      apiVersion: 'discovery.k8s.io/v1',
      kind: 'EndpointSlice',
      metadata: { namespace, name: 'web-1', labels },
      addressType: 'IPv4',
      ports: [port],
      endpoints,
    },
  ]);
}
