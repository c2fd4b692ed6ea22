import { parseCidr } from '../../model/network/cidr.ts';
import type { NetworkingConfig } from '../config.ts';
import { flag, text, type Read } from './option.ts';

interface NetworkingOption {
  readonly key: string;
  readonly read: Read<unknown>;
  /** Stands there once for each of its values. */
  readonly repeatable?: true;
  /** What is wrong with a value that is used all the same. */
  readonly remark?: (value: string) => string | undefined;
}

/** [Networking] of cloud.conf (docs/sources/go-provider.md, "Section Networking"). */
// prettier-ignore
export const NETWORKING_OPTIONS: Readonly<Record<keyof NetworkingConfig, NetworkingOption>> = {
  publicNetworkNames:   { key: 'public-network-name',   read: text, repeatable: true },
  internalNetworkNames: { key: 'internal-network-name', read: text, repeatable: true },
  ipv6SupportDisabled:  { key: 'ipv6-support-disabled', read: flag },
  addressSortOrder:     { key: 'address-sort-order',    read: text, remark: whatIsNoCidr },
};

/** The section with its defaults; `value` gives what cloud.conf has at a key. */
export function networkingConfig(value: (key: string) => unknown = () => undefined): NetworkingConfig {
  const names = (field: 'publicNetworkNames' | 'internalNetworkNames'): readonly string[] => {
    const set = value(NETWORKING_OPTIONS[field].key);
    return Array.isArray(set) ? [...new Set(set.map(String))].filter((name) => name !== '') : [];
  };
  const order = value(NETWORKING_OPTIONS.addressSortOrder.key);
  return {
    publicNetworkNames: names('publicNetworkNames'),
    internalNetworkNames: names('internalNetworkNames'),
    ipv6SupportDisabled: value(NETWORKING_OPTIONS.ipv6SupportDisabled.key) === true,
    addressSortOrder: items(typeof order === 'string' ? order : '').flatMap(
      (item) => parseCidr(item)?.text ?? [],
    ),
  };
}

/** As in the Go provider the others still count. */
function whatIsNoCidr(value: string): string | undefined {
  const wrong = items(value).filter((item) => parseCidr(item) === undefined);
  return wrong.length === 0 ? undefined : `leaves out what is no CIDR: ${wrong.join(', ')}`;
}

function items(value: string): readonly string[] {
  return value
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');
}
