import { asJson, asList, asText, type Json } from '../../json.ts';
import { neutronError } from '../../refusal.ts';

/** Of `fixed_ips=ip_address=A&fixed_ips=subnet_id=S` the texts by key; a key that is none of Neutron's is ignored. */
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
 * Values of one key mean either, different keys both; a part of an address goes by `ip_address_substr`, and a value
 * without `=` is 400 (tried on the lab).
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

/** What an index of ports can be asked for such a filter; undefined where it asks for no whole address. */
export const fixedIpsKeys = (values: readonly string[]): readonly string[] | undefined =>
  fixedIpsIn(values).get('ip_address');
