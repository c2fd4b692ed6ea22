import type { Applied } from '../apply/apply.ts';
import { wantsFloatingIP } from '../desired/wishes.ts';
import type { Look } from '../look.ts';

/**
 * The address to publish: the floating IP when one is wanted and is on the VIP port, else the VIP. Undefined until the
 * load balancer has been ACTIVE.
 */
export function addressOf(look: Look, applied: Applied): string | undefined {
  const lb = look.observed.loadBalancer;
  if (!lb || !look.wishes || !look.unit.wanted) return undefined;
  if (lb['provisioning_status'] === 'PENDING_CREATE' || lb['provisioning_status'] === 'ERROR')
    return undefined;
  if (!wantsFloatingIP(look.wishes)) return text(lb['vip_address']);
  const floating = applied.known.get('floatingip');
  const attaches = applied.steps.some(({ address, verb }) => address === 'floatingip' && verb !== 'delete');
  return floating && (floating['port_id'] === lb['vip_port_id'] || attaches)
    ? text(floating['floating_ip_address'])
    : undefined;
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
