/** What a run publishes on a Service: annotations, addresses, the condition and Events. */
import type { Applied } from '../../apply/apply.ts';
import type { Comparison } from '../compare-service.ts';
import {
  type Service,
  type ObjectEvent,
  type ServicePatch,
  publishedAddresses,
  type LoadBalancerIngress,
} from '../../model/kubernetes.ts';
import { vipsOf, familyOf } from '../../model/network/network-facts.ts';
import type { Outcome } from '../../model/outcome.ts';
import { isBlocked } from '../../model/plan.ts';
import {
  FINALIZER,
  LOAD_BALANCER_ADDRESS,
  LOAD_BALANCER_ID,
  LOAD_BALANCER_NAME,
  READY_CONDITION,
} from '../../model/ownership.ts';
import type { Released } from '../../model/service-object.ts';
import { summarizeSteps } from '../../plan/render-plan.ts';
import {
  driftEvent,
  saysOtherwise,
  readyCondition,
  BLOCKED_REASON,
  publish,
  type ConditionMessage,
} from '../../report/condition.ts';
import { conditionOf, withCondition } from './service-outcome.ts';
import type { Kube } from '../../ports.ts';
import { wantsFloatingIP, type ServiceIntent } from '../intent/service-intent.ts';
import { otherControllerOf } from '../../model/load-balancer/makers-and-sharers.ts';
import { isShared } from '../../model/load-balancer/observed-service.ts';
import type { WireResource } from '../../model/resources.ts';

/** The patch of the Service and the Events of one run. Both are empty when nothing has changed. */
interface Summary {
  readonly patch: ServicePatch;
  readonly events: readonly ObjectEvent[];
}

interface SummaryInput {
  readonly comparison: Comparison;
  readonly applied: Applied;
  readonly outcome: Outcome;
  readonly addresses: readonly string[];
  /** RFC 3339. */
  readonly now: string;
}

/** The annotations, addresses, condition and Events of a Service that wants a load balancer. Pure. */
export function summarize(service: Service, input: SummaryInput): Summary {
  const { comparison, addresses, applied } = input;
  const { changed, conditions, event } = changesOf(service, input);
  const wasReady = readyCondition(service.status?.conditions)?.status === 'True';
  const id = (applied.known.get('lb') ?? comparison.observed.loadBalancer)?.id;
  const annotations = ownAnnotations(comparison, id, addresses[0]);
  const missing = Object.entries(annotations).some(
    ([key, value]) => (service.metadata.annotations?.[key] ?? null) !== value,
  );
  const ingress = comparison.intent && addresses.length > 0 ? ingressOf(comparison, addresses) : undefined;
  const publish = ingress !== undefined && !sameIngress(ingress, service.status?.loadBalancer?.ingress ?? []);
  const status = { ...(publish ? { loadBalancer: { ingress } } : {}), ...conditions };
  return {
    patch: { ...(missing ? { metadata: { annotations } } : {}), ...(publish || changed ? { status } : {}) },
    events: [
      ...driftEvent(comparison.plan),
      ...(wasReady || isBlocked(comparison.plan) ? updatedEvent(applied) : []),
      ...event,
    ],
  };
}

function changesOf(
  service: Service,
  { outcome, comparison, addresses, now }: Partial<SummaryInput> & Pick<SummaryInput, 'outcome' | 'now'>,
) {
  const { message, type } = conditionOf(service, outcome, comparison, addresses);
  const changed = saysOtherwise(message, readyCondition(service.status?.conditions));
  return {
    changed,
    conditions: changed ? { conditions: withCondition(service, message, now) } : {},
    event: changed ? [eventOf(message, type)] : [],
  };
}

/** The end of a run before its comparison, or of a Service that wants none any more. Empty if settled, or if the condition says the same. Pure. */
export function summarizeOutcome(
  service: Service,
  outcome: Outcome,
  now: string,
  comparison?: Comparison,
): Summary {
  if (outcome.status === 'settled') return { patch: {}, events: [] };
  const { conditions, event } = changesOf(service, { outcome, now, ...(comparison ? { comparison } : {}) });
  const status: ServicePatch['status'] = {
    ...(comparison && losesAddress(comparison) ? { loadBalancer: { ingress: null } } : {}),
    ...conditions,
  };
  return { patch: Object.keys(status).length > 0 ? { status } : {}, events: event };
}

/** Whether published addresses go: those of a Service that was released, once the deletion of levelset's load balancer is approved. */
function losesAddress({
  object: { service, released },
  observed: { loadBalancer, resources },
}: Comparison): boolean {
  const published = service?.status?.loadBalancer?.ingress ?? [];
  if (!released?.isApproved || released.takenOver || !loadBalancer || published.length === 0) return false;
  const ours = [
    ...vipsOf(loadBalancer),
    ...resources.flatMap(({ kind, wire }) =>
      kind === 'floatingip' ? String(wire['floating_ip_address']) : [],
    ),
    ...[service?.metadata.annotations?.[LOAD_BALANCER_ADDRESS] ?? []].flat(),
  ];
  return published.every(({ ip, hostname }) =>
    ours.some((address) => (ip ? ip === address : hostname?.startsWith(address))),
  );
}

/**
 * Removes the finalizer, and unless the Service is being deleted also levelset's condition and annotations. After a takeover the annotations stay, and
 * the finalizer if the other controller has the same. The load balancer's id stays if it is the user's intent, which is so without the annotations
 * for the address and the sharing name. Pure.
 */
export function release(service: Service, released?: Released): Summary {
  const keeps = released?.keepsFinalizer === true;
  const finalizers = (service.metadata.finalizers ?? []).filter((name) => keeps || name !== FINALIZER);
  const has = (key: string): boolean => service.metadata.annotations?.[key] !== undefined;
  const isIntent = !has(LOAD_BALANCER_ADDRESS) && !has(LOAD_BALANCER_NAME);
  const ours = [...(isIntent ? [] : [LOAD_BALANCER_ID]), LOAD_BALANCER_ADDRESS].filter(has);
  const conditions = (service.status?.conditions ?? []).filter(({ type }) => type !== READY_CONDITION);
  const leaving = service.metadata.deletionTimestamp !== undefined;
  const annotations = Object.fromEntries(ours.map((key) => [key, null]));
  const keepsAnnotations = leaving || released?.takenOver === true || ours.length === 0;
  const keepsCondition = (leaving && !keeps) || !readyCondition(service.status?.conditions);
  return {
    patch: {
      metadata: { finalizers, ...(keepsAnnotations ? {} : { annotations }) },
      ...(keepsCondition ? {} : { status: { conditions } }),
    },
    events: [{ type: 'Normal', reason: 'DeletedLoadBalancer', message: 'Deleted load balancer' }],
  };
}

/** The Event for a condition. The Event of a blocked Service has OCCM's reason, since people watch for that one. */
function eventOf({ reason, message }: ConditionMessage, type: ObjectEvent['type']): ObjectEvent {
  return { type, reason: reason === BLOCKED_REASON ? 'SyncLoadBalancerFailed' : reason, message };
}

export function heldBackEvent(reason: string): ObjectEvent {
  return eventOf({ status: 'False', reason: BLOCKED_REASON, message: reason }, 'Warning');
}

/** OCCM writes these, too. Id and first address together are a note of levelset; the id alone, perhaps the user's, names what the Service joins. */
function ownAnnotations(
  { observed }: Comparison,
  id: string | undefined,
  address: string | undefined,
): Readonly<Record<string, string | null>> {
  if (id === undefined || observed.notJoined) return {};
  if (observed.sharing && observed.sharing.maker !== 'this')
    return { [LOAD_BALANCER_ID]: id, [LOAD_BALANCER_ADDRESS]: null };
  return address === undefined ? {} : { [LOAD_BALANCER_ID]: id, [LOAD_BALANCER_ADDRESS]: address };
}

function updatedEvent(applied: Applied): readonly ObjectEvent[] {
  if (applied.steps.length === 0) return [];
  const addresses = applied.steps.map(({ address }) => address).join(', ');
  const message = `Updated load balancer: ${summarizeSteps(applied.steps)}: ${addresses}`;
  return [{ type: 'Normal', reason: 'UpdatedLoadBalancer', message }];
}

export async function publishSummary(
  service: Service,
  { patch, events }: Summary,
  kube: Kube,
): Promise<void> {
  const isEmpty = !patch.metadata && !patch.status;
  await publish(service, async () => isEmpty || kube.patchService(service, patch), events, kube);
}

/**
 * The addresses to publish, in the order of spec.ipFamilies. VIPs of other families come last, if the Service asks for additional VIPs.
 * IPv6: the VIP. IPv4: the floating IP, if the Service wants one and it is on the VIP port or this run attaches it, else none. The VIP where the Service
 * wants none, where its sharers do not all ask for one, and without external networks (decision 13). Of kinx, a published floating IP stays.
 * None while the load balancer is in PENDING_CREATE or ERROR, or a sharer has no listener yet. While a change of the floating IP awaits approval, the
 * published addresses stay.
 */
export function addressesToPublish(comparison: Comparison, applied: Applied): readonly string[] {
  const { intent, object } = comparison;
  const lb = comparison.observed.loadBalancer;
  if (!lb || !intent || !object.wanted) return [];
  if (lb['provisioning_status'] === 'PENDING_CREATE' || lb['provisioning_status'] === 'ERROR') return [];
  if (comparison.plan.awaitingApproval.some(({ kind }) => kind === 'floatingip'))
    return publishedAddresses(object.service);
  // on a load balancer of others an address leads to other Services until there is a listener of this one
  const { sharing, resources } = comparison.observed;
  const isOn = resources.some(({ kind, whose }) => kind === 'listener' && whose !== 'foreign');
  if (isShared(sharing) && !isOn && publishedAddresses(object.service).length === 0) return [];
  const vips = vipsOf(lb);
  const further = intent.annotated.Service.additionalVipSubnetIds ? vips.map(familyOf) : [];
  const families = new Set([...intent.families, ...further]);
  return [...families].flatMap((family) =>
    family === 4 ? ipv4AddressesOf(lb, comparison, applied) : vips.filter((vip) => familyOf(vip) === 6),
  );
}

function ipv4AddressesOf(lb: WireResource, comparison: Comparison, applied: Applied): readonly string[] {
  const floating = applied.known.get('floatingip');
  const address = floating?.['floating_ip_address'];
  if (comparison.intent && wantsFloatingIP(comparison.intent)) {
    const attaches = applied.steps.some((step) => step.address === 'floatingip' && step.verb !== 'delete');
    const isThere = floating !== undefined && (floating['port_id'] === lb['vip_port_id'] || attaches);
    if (isThere && typeof address === 'string') return [address];
    const { sharing, facts } = comparison.observed;
    const canHaveNone = facts.floatingNetworks.length === 0 && facts.loadBalancerIPTaken === undefined;
    const isToGetOne = !isShared(sharing) || sharing?.agreed === 'external';
    if (isToGetOne && !canHaveNone) return [];
  }
  // kinx published the VIP or the floating IP, and a takeover keeps it (docs/sources/kinx.md, "What kinx brings into line")
  const stays = otherControllerOf(lb) === 'kinx' ? publishedAddresses(comparison.object.service) : [];
  if (typeof address === 'string' && stays.includes(address)) return [address];
  return vipsOf(lb).filter((vip) => familyOf(vip) === 4);
}

/** The published ingress stays while a change waits for approval that could alter an address, or the Service is blocked. */
export function ingressOf(
  comparison: Comparison,
  addresses: readonly string[],
): readonly LoadBalancerIngress[] {
  const before = comparison.object.service?.status?.loadBalancer?.ingress ?? [];
  const waits = comparison.plan.awaitingApproval.some(
    ({ kind }) => kind !== 'healthmonitor' && kind !== 'securitygroup',
  );
  if ((waits || isBlocked(comparison.plan)) && before.length > 0) return before;
  return comparison.intent ? desireIngress(comparison.intent, addresses) : [];
}

/** A name if there is one, else the IP addresses, always with `ipMode` (docs/sources/kubernetes.md, "Published addresses"). */
export function desireIngress(
  { publication }: Pick<ServiceIntent, 'publication'>,
  addresses: readonly string[],
): readonly LoadBalancerIngress[] {
  if (addresses.length === 0) return [];
  const { hostname, proxied, suffix } = publication;
  if (hostname !== undefined) return [{ hostname }];
  if (proxied && suffix !== undefined)
    return addresses.map((address) => ({ hostname: `${labelOf(address)}.${suffix}` }));
  return addresses.map((ip) => ({ ip, ipMode: proxied ? 'Proxy' : 'VIP' }));
}

/** Services such as nip.io read dashes as colons; a label may not begin or end with a dash. */
function labelOf(address: string): string {
  if (familyOf(address) === 4) return address;
  return address.replaceAll(':', '-').replace(/^-/, '0-').replace(/-$/, '-0');
}

/**
 * An apiserver that does not know `ipMode`, such as 1.29, drops it, which makes no difference (docs/sources/kubernetes.md, "Published addresses").
 * levelset publishes no `ports`: those of another controller, which say that a port failed, go.
 */
export function sameIngress(
  desired: readonly LoadBalancerIngress[],
  published: readonly LoadBalancerIngress[],
): boolean {
  const essence = (list: readonly LoadBalancerIngress[]): string =>
    JSON.stringify(
      list.map(({ ip, hostname, ipMode, ports = [] }, at) => [
        ...[ip, hostname, published[at]?.ipMode && ipMode],
        ports,
      ]),
    );
  return essence(desired) === essence(published);
}
