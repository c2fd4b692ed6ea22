import { asText, type Json } from '../../json.ts';
import { neutronError } from '../../refusal.ts';

export const badRequest = (text: string): Error => neutronError(400, 'HTTPBadRequest', text);

/** Refuses an attribute that is not among the `settable`, as read-only or as unknown. */
export function checkNames(body: Json, settable: readonly string[], readOnly: readonly string[] = []): void {
  const other = Object.keys(body).find((name) => !settable.includes(name));
  if (other === undefined) return;
  const isKnown = readOnly.includes(other);
  throw badRequest(
    isKnown ? `Cannot update read-only attribute ${other}` : `Unrecognized attribute(s) '${other}'`,
  );
}

const noSuch =
  (type: string, title: string, end: string) =>
  (id: unknown): Error =>
    neutronError(404, type, `${title} ${asText(id)} ${end}`);

export const noSuchNetwork = noSuch('NetworkNotFound', 'Network', 'could not be found.');
export const noSuchSubnet = noSuch('SubnetNotFound', 'Subnet', 'could not be found.');
export const noSuchPort = noSuch('PortNotFound', 'Port', 'could not be found.');
export const noSuchFloatingIp = noSuch('FloatingIPNotFound', 'Floating IP', 'could not be found');
export const noSuchRouter = noSuch('RouterNotFound', 'Router', 'could not be found');
export const noSuchGroup = noSuch('SecurityGroupNotFound', 'Security group', 'does not exist');
export const noSuchRule = noSuch('SecurityGroupRuleNotFound', 'Security group rule', 'does not exist');

export const noFreeAddress = (network: string): Error =>
  neutronError(409, 'IpAddressGenerationFailure', `No more IP addresses available on network ${network}.`);
