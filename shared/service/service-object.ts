import type { Config } from '../config/config.ts';
import type { Service } from '../model/kubernetes.ts';
import {
  approvalOf,
  approvalsIn,
  FINALIZER,
  LOAD_BALANCER_ADDRESS,
  LOAD_BALANCER_ID,
} from '../model/ownership.ts';
import { serviceKey, type Key, type ServiceKey } from '../model/request.ts';
import {
  RELEASED_REASON,
  TAKEN_OVER_REASON,
  type Released,
  type ServiceObject,
  otherController,
  secondController,
} from '../model/service-object.ts';
import { readyCondition } from '../report/condition.ts';

type Classed = Pick<Config, 'loadBalancerClass'>;

/** A configured class excludes Services without exactly that class (docs/sources/kubernetes.md, "Services with a load balancer"). */
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

/** All cloud controllers have the same finalizer, so a Service without levelset's class counts only with its condition. Other types have no class. */
export function isOurs(service: Service, config: Classed): boolean {
  if (wantsLoadBalancer(service, config)) return true;
  const hasOurClass =
    service.spec.type === 'LoadBalancer'
      ? !isOfAnotherClass(service, config)
      : config.loadBalancerClass === undefined;
  return hasFinalizer(service) && (hasOurClass || hasCondition(service));
}

/** A leaving Service keeps the finalizer. Replaced without it, it still has levelset's condition; from a backup of before, it has neither. */
export function isSeenLeaving(service: Service, config: Classed): boolean {
  if (isOurs(service, config)) return true;
  if (service.spec.type !== 'LoadBalancer') return hasCondition(service);
  return (
    service.metadata.deletionTimestamp !== undefined &&
    !hasFinalizer(service) &&
    !isOfAnotherClass(service, config)
  );
}

/** The keys of Services that want a load balancer, also before they have their finalizer again, or that are seen leaving. */
export function notVanished(services: readonly Service[], config: Classed): ReadonlySet<Key> {
  const seen = services.filter(
    (service) => wantsLoadBalancer(service, config) || isSeenLeaving(service, config),
  );
  return new Set(seen.map(({ metadata }) => serviceKey(metadata.namespace, metadata.name)));
}

/** Whether the Service is of another type, and the finalizer on it another controller's. */
export function hasFinalizerOfAnother(service: Service, config: Classed): boolean {
  return service.spec.type !== 'LoadBalancer' && hasFinalizer(service) && !isOurs(service, config);
}

export function objectOf(
  key: Key,
  name: ServiceKey,
  service: Service | undefined,
  config: Classed,
): ServiceObject {
  if (!service) return { key, name, wanted: false };
  const released = whyReleased(service, config);
  const wanted = wantsLoadBalancer(service, config);
  return { key, name, service, wanted, ...(released ? { released } : {}) };
}

/** Why a Service was released; undefined if levelset looks after it or finishes its deletion (decision 150). A LoadBalancer's class never changes. */
export function whyReleased(service: Service, config: Classed): Released | undefined {
  const isOther = isOfAnotherClass(service, config);
  const condition = readyCondition(service.status?.conditions);
  const told = condition?.reason;
  const wasReleased = told === RELEASED_REASON || told === TAKEN_OVER_REASON;
  if (!isOther && !(isLeaving(service) && wasReleased)) return undefined;
  const second = secondController(service);
  const takenOver = told === TAKEN_OVER_REASON || second !== undefined;
  const by = takenOver ? (second ?? otherController(service))?.manager : undefined;
  const keepsFinalizer = takenOver && (by === undefined || CLOUD_CONTROLLER.test(by));
  if (isLeaving(service) && hasCondition(service) && !keepsFinalizer) return undefined;
  const because = [
    isOther ? classOf(service, config) : 'levelset had given it up',
    ...(takenOver ? [`${by ?? 'another controller'} has written its status`] : []),
    ...(isLeaving(service) && keepsFinalizer
      ? [
          `the finalizer ${FINALIZER} is that controller's; if that controller does not run any more, remove the finalizer from the Service`,
        ]
      : []),
  ].join(', and ');
  const approval =
    wasReleased || !hasCondition(service)
      ? approvalOfRelease(service, condition?.lastTransitionTime)
      : undefined;
  const isApproved = approval !== undefined && approvalsIn(service.metadata.annotations).includes(approval);
  return { because, takenOver, keepsFinalizer, isApproved, ...(approval === undefined ? {} : { approval }) };
}

/** The approval names the load balancer and the time of the release, so it does not hold if levelset has looked after the Service since. */
function approvalOfRelease({ metadata: { uid, annotations } }: Service, since: string | undefined): string {
  return approvalOf([uid, 'released', annotations?.[LOAD_BALANCER_ID] ?? null, since ?? null]);
}

/** The managers that have the same finalizer as levelset (docs/sources/kubernetes.md). */
const CLOUD_CONTROLLER = /cloud-controller-manager$|^kube-controller-manager$/;

function isLeaving({ metadata, spec }: Service): boolean {
  return metadata.deletionTimestamp !== undefined || spec.type !== 'LoadBalancer';
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

/** Whether a Service that was released has the approval to delete what it has, or does not say yet how to give it. */
export function isNotTold(service: Service, config: Config): boolean {
  const released = whyReleased(service, config);
  if (!released?.approval || released.isApproved) return true;
  const told = readyCondition(service.status?.conditions);
  const reason = released.takenOver ? TAKEN_OVER_REASON : RELEASED_REASON;
  // a list does not say who writes an object, so whether levelset finishes a Service that leaves is for its run to find out
  const words = [released.approval, ...(released.keepsFinalizer && isLeaving(service) ? [FINALIZER] : [])];
  const isTold = told?.reason === reason && words.every((word) => told.message.includes(word));
  return !isTold || (!released.takenOver && hasAnotherAddress(service));
}

/** Whether another controller seems to have published an address. */
function hasAnotherAddress({ metadata, status }: Service): boolean {
  const ours = metadata.annotations?.[LOAD_BALANCER_ADDRESS];
  const published = status?.loadBalancer?.ingress ?? [];
  return ours !== undefined && published.some(({ ip }) => ip !== undefined && ip !== ours);
}

export function releasedInWords(released: readonly Service[], config: Config): readonly string[] {
  const because = (service: Service): string => whyReleased(service, config)?.because ?? '';
  return [...Map.groupBy(released, because)].map(([reason, services]) => {
    const names = services.map(({ metadata }) => `${metadata.namespace}/${metadata.name}`);
    return `levelset does not look after ${names.join(', ')} any more, and changes and deletes nothing of them: ${reason}`;
  });
}
