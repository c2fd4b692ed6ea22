import { goesToPods, localNodes, portEndpoints } from '../../model/load-balancer/service-endpoints.ts';
import type { ObservedEndpoints } from '../../model/load-balancer/observed-service.ts';
import type { Service } from '../../model/kubernetes.ts';
import type { Kube } from '../../ports.ts';

/**
 * The endpoints of a Service. Nothing is listed unless externalTrafficPolicy is Local or traffic goes to Pods directly.
 */
export async function observeEndpoints(
  service: Service,
  kube: Pick<Kube, 'listEndpointSlices' | 'listPods'>,
): Promise<ObservedEndpoints> {
  const { spec, metadata } = service;
  const ports = spec.ports ?? [];
  const isLocal = spec.externalTrafficPolicy === 'Local';
  const isDirect = ports.some((port) => goesToPods(service, port));
  if (!isLocal && !isDirect) return {};
  const slices = await kube.listEndpointSlices(metadata.namespace, metadata.name);
  const nodes = isLocal ? { localNodes: localNodes(slices, service) } : {};
  if (!isDirect) return nodes;
  const pods = await kube.listPods(metadata.namespace, spec.selector ?? {});
  const endpoints = ports.map((port) =>
    goesToPods(service, port) ? portEndpoints(slices, port, service, pods) : undefined,
  );
  return { ...nodes, endpoints };
}
