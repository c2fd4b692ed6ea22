import { goesToPods, localNodes, portEndpoints } from '../model/load-balancer/service-endpoints.ts';
import type { PortEndpoints } from '../model/load-balancer/service-endpoints.ts';
import type { EndpointSlice, Service } from '../model/kubernetes.ts';
import type { Unit } from '../model/unit.ts';
import type { Kube } from '../ports.ts';

type Asked = Pick<Kube, 'listEndpointSlices' | 'listPods'>;

/** The unit with what its Service's endpoints say, when that matters: where traffic stays on the node, or goes to Pods. */
export async function withEndpoints(unit: Unit, kube: Asked): Promise<Unit> {
  const { service, wanted } = unit;
  if (!wanted || !service) return unit;
  const local = service.spec.externalTrafficPolicy === 'Local';
  const direct = (service.spec.ports ?? []).some((port) => goesToPods(service, port));
  if (!local && !direct) return unit;
  const slices = await kube.listEndpointSlices(unit.name.namespace, unit.name.name);
  return {
    ...unit,
    ...(local ? { localNodes: localNodes(slices, service) } : {}),
    ...(direct ? { endpoints: await endpointsOf(service, slices, kube) } : {}),
  };
}

/** By port of the Service; none for a port that has a node port. */
async function endpointsOf(
  service: Service,
  slices: readonly EndpointSlice[],
  kube: Asked,
): Promise<readonly (PortEndpoints | undefined)[]> {
  const pods = await kube.listPods(service.metadata.namespace, service.spec.selector ?? {});
  return (service.spec.ports ?? []).map((port) =>
    goesToPods(service, port) ? portEndpoints(slices, port, service, pods) : undefined,
  );
}
