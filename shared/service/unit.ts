import type { Config } from '../config/config.ts';
import type { Service } from '../model/kubernetes.ts';
import type { Unit } from '../model/unit.ts';
import type { Key, ServiceKey } from '../model/request.ts';
import { FINALIZER } from '../model/ownership.ts';

/**
 * Whether a Service wants a load balancer of ours (docs/sources/kubernetes.md, "Services with a load balancer"). A
 * class in the configuration excludes Services without exactly that class.
 */
export function wantsLoadBalancer(service: Service, config: Pick<Config, 'loadBalancerClass'>): boolean {
  return (
    service.spec.type === 'LoadBalancer' &&
    (service.spec.loadBalancerClass ?? undefined) === config.loadBalancerClass &&
    service.metadata.deletionTimestamp === undefined
  );
}

export function hasFinalizer(service: Service): boolean {
  return service.metadata.finalizers?.includes(FINALIZER) ?? false;
}

export function unitOf(key: Key, name: ServiceKey, service: Service | undefined, config: Config): Unit {
  if (!service) return { key, name, wanted: false };
  return { key, name, service, wanted: wantsLoadBalancer(service, config) };
}
