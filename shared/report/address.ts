import type { Applied } from '../apply/apply.ts';
import { desireIngress } from '../desired/ingress.ts';
import { wantsFloatingIP } from '../desired/wishes.ts';
import type { Look } from '../look.ts';
import { dialectOf } from '../model/name-schemes.ts';
import { publishedAddress } from '../model/kubernetes.ts';
import type { LoadBalancerIngress } from '../model/kubernetes.ts';

/**
 * The address to publish: the floating IP when one is wanted and is on the VIP port, else the VIP. Undefined until the
 * load balancer has been ACTIVE.
 */
export function addressOf(look: Look, applied: Applied): string | undefined {
  const lb = look.observed.loadBalancer;
  if (!lb || !look.wishes || !look.unit.wanted) return undefined;
  if (lb['provisioning_status'] === 'PENDING_CREATE' || lb['provisioning_status'] === 'ERROR')
    return undefined;
  const published = publishedAddress(look.unit.service);
  if (look.plan.pending.some(({ kind }) => kind === 'floatingip')) return published;
  const floating = applied.known.get('floatingip');
  if (!wantsFloatingIP(look.wishes)) {
    // kinx published the one or the other, and neither changes by taking over (providers.md, 2.3)
    const stays = dialectOf(lb) === 'kinx' && published === text(floating?.['floating_ip_address']);
    return stays ? published : text(lb['vip_address']);
  }
  const attaches = applied.steps.some(({ address, verb }) => address === 'floatingip' && verb !== 'delete');
  return floating && (floating['port_id'] === lb['vip_port_id'] || attaches)
    ? text(floating['floating_ip_address'])
    : undefined;
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** What to publish. While something about the address or the protocol waits for approval, that is what was published. */
export function ingressOf(look: Look, address: string | undefined): readonly LoadBalancerIngress[] {
  const before = look.unit.service?.status?.loadBalancer?.ingress ?? [];
  const waits = look.plan.pending.some(({ kind }) => kind !== 'healthmonitor');
  if (waits && before.length > 0) return before;
  return look.wishes ? desireIngress(look.wishes, address) : [];
}
