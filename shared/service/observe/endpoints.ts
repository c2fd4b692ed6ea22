import { goesToPods, localNodes, readEndpoints } from '../../model/load-balancer/service-endpoints.ts';
import type { ObservedEndpoints } from '../../model/load-balancer/observed-service.ts';
import type { Service } from '../../model/kubernetes.ts';
import type { HasAddress } from '../../model/node/judged-nodes.ts';
import { limitOf, withinPorts } from '../../model/load-balancer/within-limits.ts';
import type { Kube, World } from '../../ports.ts';

interface EndpointSource extends Pick<World, 'config'> {
  readonly kube: Pick<Kube, 'listEndpointSlices' | 'listPods'>;
}

/**
 * The endpoints of a Service. `isOfNode` tells the addresses of Pods in the network of their Node. Nothing is listed unless externalTrafficPolicy is Local or traffic goes to Pods directly.
 */
export async function observeEndpoints(
  asked: Service,
  { kube, config }: EndpointSource,
  isOfNode: HasAddress,
): Promise<ObservedEndpoints> {
  const service = withinPorts(asked, config);
  const { spec, metadata } = service;
  const isLocal = spec.externalTrafficPolicy === 'Local';
  const isDirect = (spec.ports ?? []).some((port) => goesToPods(service, port));
  if (!isLocal && !isDirect) return {};
  const slices = await kube.listEndpointSlices(metadata.namespace, metadata.name);
  const nodes = isLocal ? { localNodes: localNodes(slices, service) } : {};
  if (!isDirect) return nodes;
  const pods = await kube.listPods(metadata.namespace, spec.selector ?? {});
  return { ...nodes, endpoints: readEndpoints(slices, service, pods, isOfNode, limitOf('members', config)) };
}
