import type { Applied } from '../../apply/apply.ts';
import { isBlocked } from '../../model/plan.ts';
import { wantsFloatingIP, type ServiceIntent } from '../intent/service-intent.ts';
import type { Evaluation } from '../evaluate.ts';
import { otherControllerOf } from '../../model/load-balancer/other-controllers.ts';
import { publishedAddresses, type LoadBalancerIngress } from '../../model/kubernetes.ts';
import { familyOf, vipsOf } from '../../model/network/network-facts.ts';
import { isShared } from '../../model/load-balancer/shared-load-balancer.ts';
import type { WireResource } from '../../model/resources.ts';

/**
 * The addresses to publish, in the order of spec.ipFamilies. VIPs of other families come last, if the Service asks for additional VIPs.
 * IPv6: the VIP. IPv4: the floating IP, if the Service wants one and it is on the VIP port or this run attaches it, else none. The VIP where the Service
 * wants none, where its sharers do not all ask for one, and without external networks (decision 13). Of kinx, a published floating IP stays.
 * None while the load balancer is in PENDING_CREATE or ERROR, or a sharer has no listener yet. While a change of the floating IP awaits approval, the
 * published addresses stay.
 */
export function addressesToPublish(evaluation: Evaluation, applied: Applied): readonly string[] {
  const { intent, object } = evaluation;
  const lb = evaluation.observed.loadBalancer;
  if (!lb || !intent || !object.wanted) return [];
  if (lb['provisioning_status'] === 'PENDING_CREATE' || lb['provisioning_status'] === 'ERROR') return [];
  if (evaluation.plan.awaitingApproval.some(({ kind }) => kind === 'floatingip'))
    return publishedAddresses(object.service);
  // on a load balancer of others an address leads to other Services until there is a listener of this one
  const { sharing, resources } = evaluation.observed;
  const isOn = resources.some(({ kind, whose }) => kind === 'listener' && whose !== 'foreign');
  if (isShared(sharing) && !isOn && publishedAddresses(object.service).length === 0) return [];
  const vips = vipsOf(lb);
  const further = intent.annotated.Service.additionalVipSubnetIds ? vips.map(familyOf) : [];
  const families = new Set([...intent.families, ...further]);
  return [...families].flatMap((family) =>
    family === 4 ? ipv4AddressesOf(lb, evaluation, applied) : vips.filter((vip) => familyOf(vip) === 6),
  );
}

function ipv4AddressesOf(lb: WireResource, evaluation: Evaluation, applied: Applied): readonly string[] {
  const floating = applied.known.get('floatingip');
  const address = floating?.['floating_ip_address'];
  if (evaluation.intent && wantsFloatingIP(evaluation.intent)) {
    const attaches = applied.steps.some((step) => step.address === 'floatingip' && step.verb !== 'delete');
    const isThere = floating !== undefined && (floating['port_id'] === lb['vip_port_id'] || attaches);
    if (isThere && typeof address === 'string') return [address];
    const { sharing, facts } = evaluation.observed;
    const canHaveNone = facts.floatingNetworks.length === 0 && facts.loadBalancerIPTaken === undefined;
    const isToGetOne = !isShared(sharing) || sharing?.agreed === 'external';
    if (isToGetOne && !canHaveNone) return [];
  }
  // kinx published the VIP or the floating IP, and a takeover keeps it (docs/sources/kinx.md, "What kinx brings into line")
  const stays = otherControllerOf(lb) === 'kinx' ? publishedAddresses(evaluation.object.service) : [];
  if (typeof address === 'string' && stays.includes(address)) return [address];
  return vipsOf(lb).filter((vip) => familyOf(vip) === 4);
}

/** The published ingress stays while a change waits for approval that could alter an address, or the Service is blocked. */
export function ingressOf(
  evaluation: Evaluation,
  addresses: readonly string[],
): readonly LoadBalancerIngress[] {
  const before = evaluation.object.service?.status?.loadBalancer?.ingress ?? [];
  const waits = evaluation.plan.awaitingApproval.some(
    ({ kind }) => kind !== 'healthmonitor' && kind !== 'securitygroup',
  );
  if ((waits || isBlocked(evaluation.plan)) && before.length > 0) return before;
  return evaluation.intent ? desireIngress(evaluation.intent, addresses) : [];
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
