import type { Config } from '../config/config.ts';
import type { Service } from '../model/kubernetes.ts';
import { FINALIZER } from '../model/ownership.ts';
import type { Key, ServiceKey } from '../model/request.ts';
import { LET_GO_REASON, TAKEN_OVER_REASON } from '../model/unit.ts';
import type { LetGo, Unit } from '../model/unit.ts';
import { readyCondition } from '../report/condition.ts';
import { secondController } from './plan/plan-problems.ts';

type Classed = Pick<Config, 'loadBalancerClass'>;

/**
 * Whether a Service wants a load balancer of ours (docs/sources/kubernetes.md, "Services with a load balancer"). A
 * class in the configuration excludes Services without exactly that class.
 */
export function wantsLoadBalancer(service: Service, config: Classed): boolean {
  return (
    service.spec.type === 'LoadBalancer' &&
    !isOfAnotherClass(service, config) &&
    service.metadata.deletionTimestamp === undefined
  );
}

export function hasFinalizer(service: Service): boolean {
  return service.metadata.finalizers?.includes(FINALIZER) ?? false;
}

/**
 * Whether levelset looks after the Service, or did so. All controllers of Services have the same finalizer, so a Service
 * of another class counts only with levelset's condition.
 */
export function isOurs(service: Service, config: Classed): boolean {
  if (wantsLoadBalancer(service, config)) return true;
  return hasFinalizer(service) && (!isOfAnotherClass(service, config) || hasCondition(service));
}

export function unitOf(key: Key, name: ServiceKey, service: Service | undefined, config: Classed): Unit {
  if (!service) return { key, name, wanted: false };
  const letGo = whyLetGo(service, config);
  const wanted = wantsLoadBalancer(service, config);
  return { key, name, service, wanted, ...(letGo ? { letGo } : {}) };
}

/**
 * Why a Service is not levelset's to look after any more; undefined if it is, or if levelset finishes its deletion
 * (decision 150). Kubernetes lets nobody change the class of a Service of type LoadBalancer, so another class means
 * another configuration.
 */
export function whyLetGo(service: Service, config: Classed): LetGo | undefined {
  const isOther = isOfAnotherClass(service, config);
  const isLeaving = service.metadata.deletionTimestamp !== undefined || service.spec.type !== 'LoadBalancer';
  const told = readyCondition(service.status?.conditions)?.reason;
  const wasLetGo = told === LET_GO_REASON || told === TAKEN_OVER_REASON;
  if (!isOther && !(isLeaving && wasLetGo)) return undefined;
  const second = secondController(service);
  const takenOver = told === TAKEN_OVER_REASON || second !== undefined;
  if (isLeaving && hasCondition(service) && !takenOver) return undefined;
  const since = takenOver ? `, and ${second?.manager ?? 'another controller'} has written its status` : '';
  return { because: `${isOther ? classOf(service, config) : 'levelset had let it go'}${since}`, takenOver };
}

function isOfAnotherClass({ spec }: Service, { loadBalancerClass }: Classed): boolean {
  return spec.type === 'LoadBalancer' && (spec.loadBalancerClass ?? undefined) !== loadBalancerClass;
}

function hasCondition({ status }: Service): boolean {
  return readyCondition(status?.conditions) !== undefined;
}

function classOf({ spec }: Service, { loadBalancerClass: ours }: Classed): string {
  const has = spec.loadBalancerClass ?? undefined;
  const is = has === undefined ? 'it has no class' : `its class is ${has}`;
  const looks = ours === undefined ? 'without a class' : `of the class ${ours}`;
  return `${is}, and levelset looks after Services ${looks} (--load-balancer-class)`;
}
