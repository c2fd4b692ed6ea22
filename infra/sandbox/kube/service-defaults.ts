import { isIP } from 'node:net';
import { asJson, asList, asText, type Json } from '../json.ts';
import type { KubeObject, ResourceType } from './kube-objects.ts';
import { invalid } from './kube-refusal.ts';
import { defaultFamilies, validateFamilies } from './service-families.ts';

/** Hands out clusterIPs and node ports, as the apiserver's allocators do. */
export class ServiceAllocator {
  private nextAddress = 10;
  private nextPort = 30000;

  goOnAfter({ nextAddress, nextPort }: ServiceAllocator): void {
    this.nextAddress = nextAddress;
    this.nextPort = nextPort;
  }

  address(family: string): string {
    this.nextAddress += 1;
    return family === 'IPv6'
      ? `fd00:96::${this.nextAddress.toString(16)}`
      : `10.96.${(this.nextAddress >> 8) & 255}.${this.nextAddress & 255}`;
  }

  port(): number {
    this.nextPort += 1;
    return this.nextPort;
  }
}

/** Fills in what the apiserver fills in on every write of a Service, and drops what its type does not have. */
export function defaultService(service: KubeObject, allocate: ServiceAllocator): void {
  const spec: Json = {
    type: 'ClusterIP',
    sessionAffinity: 'None',
    internalTrafficPolicy: 'Cluster',
    ...service.spec,
  };
  const balanced = spec['type'] === 'LoadBalancer';
  const external = balanced || spec['type'] === 'NodePort';
  defaultFamilies(spec, (family) => allocate.address(family));
  if (external) spec['externalTrafficPolicy'] ??= 'Cluster';
  else delete spec['externalTrafficPolicy'];
  if (balanced) spec['allocateLoadBalancerNodePorts'] ??= true;
  else delete spec['allocateLoadBalancerNodePorts'];
  if (balanced && spec['externalTrafficPolicy'] === 'Local') spec['healthCheckNodePort'] ??= allocate.port();
  else delete spec['healthCheckNodePort'];
  const wantsPorts = external && spec['allocateLoadBalancerNodePorts'] !== false;
  if (spec['ports'] !== undefined) {
    spec['ports'] = asList(spec['ports']).map((one) => {
      const { nodePort, ...port } = asJson(one);
      const full = { protocol: 'TCP', ...port, targetPort: port['targetPort'] ?? port['port'] };
      if (!external) return full;
      const chosen = nodePort ?? (wantsPorts ? allocate.port() : undefined);
      return chosen === undefined ? full : { ...full, nodePort: chosen };
    });
  }
  service.spec = spec;
  const balancer = asJson(service.status?.['loadBalancer']);
  const ingress = asList(balancer['ingress']).map(asJson);
  const shown = ingress.map((one) => ('ip' in one && balanced ? { ipMode: 'VIP', ...one } : one));
  service.status = { ...service.status, loadBalancer: shown.length > 0 ? { ingress: shown } : {} };
}

/** The few rules of Service validation that a load balancer controller can break. */
export function validateService(type: ResourceType, service: KubeObject): void {
  const { name } = service.metadata;
  const ports = asList(service.spec?.['ports']);
  if (ports.length === 0 && service.spec?.['clusterIP'] !== 'None') {
    throw invalid(type, name, 'spec.ports', 'Required value');
  }
  validateFamilies(type, name, asJson(service.spec));
  const ingress = asList(asJson(service.status?.['loadBalancer'])['ingress']).map(asJson);
  if (ingress.length > 0 && service.spec?.['type'] !== 'LoadBalancer') {
    const problem = 'Forbidden: may only be used when `spec.type` is "LoadBalancer"';
    throw invalid(type, name, 'status.loadBalancer.ingress', problem);
  }
  for (const [index, one] of ingress.entries()) {
    const field = `status.loadBalancer.ingress[${index}]`;
    if ('ip' in one && isIP(asText(one['ip'])) === 0) {
      throw invalid(
        type,
        name,
        `${field}.ip`,
        `Invalid value: "${asText(one['ip'])}": must be a valid IP address`,
      );
    }
    if (!('ip' in one) && 'ipMode' in one) {
      throw invalid(type, name, `${field}.ipMode`, 'Forbidden: may not be specified when `ip` is not set');
    }
  }
}
