import { asList, asText, type Json } from '../json.ts';
import { invalid } from './kube-refusal.ts';
import type { ResourceType } from './kube-objects.ts';

const FAMILIES = ['IPv4', 'IPv6'];

/**
 * Fills in families and clusterIPs as an apiserver of a dual-stack cluster does: a policy that is not
 * SingleStack adds the second family, and a policy that becomes SingleStack removes it (tried on the lab).
 */
export function defaultFamilies(spec: Json, address: (family: string) => string): void {
  const policy = asText((spec['ipFamilyPolicy'] ??= 'SingleStack'));
  const given = asList(spec['ipFamilies'] ?? ['IPv4']).map(asText);
  const stored = asList(spec['clusterIPs'] ?? [spec['clusterIP']].filter(Boolean)).map(asText);
  const families =
    policy === 'SingleStack' ? given : [...given, ...FAMILIES.filter((one) => !given.includes(one))];
  const kept = policy === 'SingleStack' && stored.length === 2 ? families.slice(0, 1) : families;
  spec['ipFamilies'] = kept;
  if (spec['clusterIP'] === 'None') spec['clusterIPs'] = ['None'];
  else spec['clusterIPs'] = kept.map((family, index) => stored[index] ?? address(family));
  spec['clusterIP'] = asList(spec['clusterIPs'])[0];
}

export function validateFamilies(type: ResourceType, name: string, spec: Json): void {
  const families = asList(spec['ipFamilies']).map(asText);
  const policy = asText(spec['ipFamilyPolicy']);
  for (const [index, family] of families.entries()) {
    const field = `spec.ipFamilies[${index}]`;
    if (!FAMILIES.includes(family)) {
      const problem = `Unsupported value: "${family}": supported values: "IPv4", "IPv6"`;
      throw invalid(type, name, field, problem);
    }
    if (families.indexOf(family) < index) throw invalid(type, name, field, `Duplicate value: "${family}"`);
  }
  if (policy === 'SingleStack' && families.length > 1) {
    const problem = `Invalid value: "${policy}": must be 'RequireDualStack' or 'PreferDualStack' when multiple IP families are specified`;
    throw invalid(type, name, 'spec.ipFamilyPolicy', problem);
  }
  const address = asText(asList(spec['clusterIPs'])[0]);
  const family = address.includes(':') ? 'IPv6' : 'IPv4';
  if (address !== 'None' && families[0] !== undefined && family !== families[0]) {
    const problem = `Invalid value: "${address}": expected an ${families[0]} value as indicated by \`ipFamilies[0]\``;
    throw invalid(type, name, 'spec.clusterIPs[0]', problem);
  }
}
