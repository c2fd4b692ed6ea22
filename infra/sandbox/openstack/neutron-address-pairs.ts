import { isIP } from 'node:net';
import { asText, isJson, type Json } from '../json.ts';
import { neutronError } from '../refusal.ts';
import type { CloudState } from './cloud-state.ts';
import type { Port } from './neutron-objects.ts';

/** An address or a network of them that a port may use besides its own; host bits are no fault (tried on the lab). */
export interface AddressPair {
  readonly mac_address: unknown;
  readonly ip_address: string;
}

/** The pairs of a POST or PUT as Neutron keeps them: each with a MAC, in the order of MAC and address; null is none. */
export function readAddressPairs(given: unknown, mac: unknown): AddressPair[] {
  if (given === null) return [];
  if (!Array.isArray(given)) throw bad('Allowed address pairs must be a list.');
  const pairs = given.map((one: unknown) => (isJson(one) ? one : {}));
  for (const [index, pair] of pairs.entries()) {
    checkPair(pair);
    const same = (one: Json): boolean =>
      one['ip_address'] === pair['ip_address'] && one['mac_address'] === pair['mac_address'];
    if (pairs.findIndex(same) < index) {
      const shown = `mac_address ${asText(pair['mac_address']) || 'None'} ip_address ${asText(pair['ip_address'])}`;
      const text = `Request contains duplicate address pair: ${shown}.`;
      throw neutronError(400, 'DuplicateAddressPairInRequest', text);
    }
  }
  const kept = pairs.map((pair) => ({
    mac_address: pair['mac_address'] ?? mac,
    ip_address: asText(pair['ip_address']),
  }));
  return kept.sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
}

const keyOf = ({ mac_address, ip_address }: AddressPair): string => `${String(mac_address)} ${ip_address}`;

function checkPair(pair: Json): void {
  const ip = pair['ip_address'];
  if (ip === undefined)
    throw neutronError(400, 'AllowedAddressPairsMissingIP', 'AllowedAddressPair must contain ip_address');
  const other = Object.keys(pair).find((name) => !['ip_address', 'mac_address'].includes(name));
  if (other !== undefined) throw bad(`Unrecognized attribute(s) '${other}'`);
  const mac = pair['mac_address'];
  if (mac !== undefined && !/^([0-9a-f]{2}:){5}[0-9a-f]{2}$/i.test(asText(mac)))
    throw bad(`'${asText(mac)}' is not a valid MAC address`);
  if (isIP(asText(ip).split('/')[0] ?? '') === 0) throw bad(`'${asText(ip)}' is not a valid IP address`);
}

/** Only who owns the network may let a port use other addresses; 403 before anything is looked at (tried on the lab). */
export function mayHavePairs(
  world: CloudState,
  network: string,
  owner: string,
  verb: 'create' | 'update',
  given: unknown,
): void {
  if (world.networks.find((one) => one.id === network)?.project_id === owner) return;
  const pairs = `rule:${verb}_port:allowed_address_pairs`;
  const empty = Array.isArray(given) && given.length === 0;
  const rule = empty ? pairs : `(${pairs} and (${pairs}:ip_address))`;
  throw neutronError(403, 'PolicyNotAuthorized', `(rule:${verb}_port and ${rule}) is disallowed by policy`);
}

/** Pairs are only for ports with port security. */
export function checkPairSecurity(port: Port, body: Json, pairs: readonly unknown[]): void {
  if ((body['port_security_enabled'] ?? port['port_security_enabled']) === true || pairs.length === 0) return;
  const text = 'Port Security must be enabled in order to have allowed address pairs on a port.';
  throw neutronError(409, 'AddressPairAndPortSecurityRequired', text);
}

const bad = (text: string): Error => neutronError(400, 'HTTPBadRequest', text);
