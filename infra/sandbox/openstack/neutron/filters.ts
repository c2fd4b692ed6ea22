import { asJson, asList, asText, type Json } from '../../json.ts';
import { neutronError } from '../../refusal.ts';

/**
 * `fixed_ips=ip_address=A&fixed_ips=subnet_id=S`: values of one key mean either, different keys both; a part of an
 * address goes by `ip_address_substr`, a key that is none of these is ignored, and without `=` it is 400 (tried on the lab).
 */
export function fixedIpsFilter(values: readonly string[]): (item: Json) => boolean {
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
  return (item) =>
    [...wanted].every(([key, texts]) =>
      asList(item['fixed_ips']).some((ip) =>
        key === 'ip_address_substr'
          ? texts.some((text) => asText(asJson(ip)['ip_address']).includes(text))
          : texts.includes(asText(asJson(ip)[key])),
      ),
    );
}
