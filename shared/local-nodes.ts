import type { EndpointSlice } from './model/kubernetes.ts';
import type { Unit } from './model/unit.ts';
import type { Kube } from './ports.ts';

/** The unit with what its Service's endpoints say, when that matters: traffic that has to stay on the node of its Pod. */
export async function withLocalNodes(unit: Unit, kube: Pick<Kube, 'listEndpointSlices'>): Promise<Unit> {
  if (!unit.wanted || unit.service?.spec.externalTrafficPolicy !== 'Local') return unit;
  const slices = await kube.listEndpointSlices(unit.name.namespace, unit.name.name);
  return { ...unit, localNodes: readyNodes(slices) };
}

/** Ready is what kube-proxy's health check counts too; absent means true (EndpointConditions). */
export function readyNodes(slices: readonly EndpointSlice[]): readonly string[] {
  const ready = slices
    .flatMap(({ endpoints }) => endpoints ?? [])
    .filter(({ conditions }) => conditions?.ready !== false)
    .flatMap(({ nodeName }) => nodeName ?? []);
  return [...new Set(ready)].sort();
}
