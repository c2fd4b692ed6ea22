import type { ApiCall } from '../e2e/lab/lab.ts';

/** Nova reads the ports of the servers that it lists, and the names of the groups on these. */
const BY_NOVA = /^\/v2.0\/(ports\?device_id=|security-groups\?id=)/;
/** Octavia reads the subnet of each VIP and each member. levelset itself reads one once in its life. */
const BY_OCTAVIA = /^\/v2.0\/subnets\/[^?]+$/;

/** Whether another service asked this of Neutron in the name of who asked it. */
export function isInOurName({ service, path }: ApiCall): boolean {
  return service === 'neutron' && (BY_NOVA.test(path) || BY_OCTAVIA.test(path));
}
