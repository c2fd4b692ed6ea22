import type { NodeAddressInput } from '../../../shared/node/desired/node-addresses.ts';
import type { NeutronPort, ServerAddress, Subport } from '../../../shared/model/node/nova.ts';

/** `InternalIP 10.0.0.5`: one line of a Node's addresses. */
export type Line = `${'InternalIP' | 'ExternalIP' | 'Hostname' | 'InternalDNS'} ${string}`;

export interface Row {
  /** Of the source. */
  readonly section: string;
  readonly what: string;
  readonly given: Partial<Omit<NodeAddressInput, 'existing' | 'options'>> & {
    readonly existing?: readonly Line[];
    readonly options?: Partial<NodeAddressInput['options']>;
  };
  readonly addresses: readonly Line[];
  /** The field of each Problem. */
  readonly problems?: readonly string[];
}

export const inputOf = ({ given }: Pick<Row, 'given'>): NodeAddressInput => ({
  server: { id: 'server' },
  ports: [],
  ...given,
  existing: (given.existing ?? []).map(addressOf),
  options: {
    publicNetworkName: [],
    internalNetworkName: [],
    ipv6SupportDisabled: false,
    addressSortOrder: [],
    ...given.options,
  },
});

function addressOf(line: Line): { readonly type: string; readonly address: string } {
  const [type = '', address = ''] = line.split(' ');
  return { type, address };
}

export function port(id: string, ...addresses: readonly string[]): NeutronPort {
  return { id, status: 'ACTIVE', fixed_ips: addresses.map((ip_address) => ({ ip_address })) };
}

export const down = (one: NeutronPort): NeutronPort => ({ ...one, status: 'DOWN' });

export const subport = (networkName: string, id: string, ...addresses: readonly string[]): Subport => ({
  networkName,
  port: port(id, ...addresses),
});

export const fixed = (addr: string): ServerAddress => ({ addr, 'OS-EXT-IPS:type': 'fixed' });
export const floating = (addr: string): ServerAddress => ({ addr, 'OS-EXT-IPS:type': 'floating' });
