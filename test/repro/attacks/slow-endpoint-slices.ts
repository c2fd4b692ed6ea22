/**
 * EndpointSlices that a namespace's editor can write: 50 000 endpoints, which name 500 Pods. Each port of the Service takes
 * half a second in one piece, and a Service may have 100 ports.
 */
import { portEndpoints } from '../../../shared/model/load-balancer/service-endpoints.ts';
import type { EndpointSlice, Pod, ServicePort } from '../../../shared/model/kubernetes.ts';
import { aStoredService } from '../../support/service.ts';
import { show } from '../show.ts';

const pods = Array.from({ length: 500 }, (_, at) => ({
  metadata: { name: `p${at}`, uid: `u${at}` },
  status: { podIPs: [{ ip: `10.0.${at >> 8}.${at & 255}` }] },
})) as unknown as readonly Pod[];
const slices = Array.from({ length: 50 }, (_, slice) => ({
  addressType: 'IPv4',
  ports: Array.from({ length: 100 }, (__, port) => ({ name: `n${port}`, port: 1_000 + port })),
  endpoints: Array.from({ length: 1_000 }, (__, at) => ({
    addresses: [`10.${slice}.${at >> 8}.${at & 255}`],
    targetRef: { kind: 'Pod', name: `p${(at % 100) + 400}` },
  })),
})) as unknown as readonly EndpointSlice[];
const service = aStoredService({ spec: { allocateLoadBalancerNodePorts: false } });
const aPort = (name: string) => ({ name, port: 1, protocol: 'TCP' }) as unknown as ServicePort;
const PORTS = 10;
const started = performance.now();
for (let port = 0; port < PORTS; port += 1) portEndpoints(slices, aPort(`n${port}`), service, pods);
show(`${PORTS} ports`, `${Math.round(performance.now() - started)} ms in one piece`);
