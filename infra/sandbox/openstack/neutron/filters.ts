import { asJson, asList, asText, type Json } from '../../json.ts';
import { neutronError } from '../../refusal.ts';

/** The values of `fixed_ips=ip_address=A&fixed_ips=subnet_id=S` by key. Keys that Neutron does not know are ignored. */
function fixedIpsIn(values: readonly string[]): ReadonlyMap<string, readonly string[]> {
  const wanted = new Map<string, string[]>();
  for (const value of values) {
    const [, key = '', text = ''] = /^([^=]+)=(.*)$/.exec(value) ?? [];
    if (key === '') {
      const problem = `'${value}' is not of the form <key>=[value].`;
      throw neutronError(400, 'InvalidInput', `Invalid input for operation: ${problem}`);
    }
    if (['ip_address', 'ip_address_substr', 'subnet_id'].includes(key))
      wanted.set(key, [...(wanted.get(key) ?? []), text]);
  }
  return wanted;
}

/**
 * The filter `fixed_ips`. Of several values of one key one must match, and all keys must match. A part of an
 * IP address matches by `ip_address_substr`, and a value without `=` is 400 (tried on the lab).
 */
export function fixedIpsFilter(values: readonly string[]): (item: Json) => boolean {
  const wanted = fixedIpsIn(values);
  return (item) =>
    [...wanted].every(([key, texts]) =>
      asList(item['fixed_ips']).some((ip) =>
        key === 'ip_address_substr'
          ? texts.some((text) => asText(asJson(ip)['ip_address']).includes(text))
          : texts.includes(asText(asJson(ip)[key])),
      ),
    );
}

/** The values to look up in an index of ports for such a filter; undefined without a whole IP address. */
export const fixedIpsKeys = (values: readonly string[]): readonly string[] | undefined =>
  fixedIpsIn(values).get('ip_address');
