import type { Address } from '../../model/address.ts';
import type { ObservedResource, WireResource } from '../../model/resources.ts';

export function memberOf(pool: Address, wire: WireResource): ObservedResource<'member'> {
  const place = pool.slice('pool/'.length);
  const address = `member/${place}/${String(wire['address'])}:${String(wire['protocol_port'])}`;
  return { kind: 'member', address, id: wire.id, parent: pool, owned: true, wire };
}

export function monitorOf(pool: Address, wire: WireResource): ObservedResource<'healthmonitor'> {
  const address = `monitor/${pool.slice('pool/'.length)}`;
  return { kind: 'healthmonitor', address, id: wire.id, parent: pool, owned: true, wire };
}
