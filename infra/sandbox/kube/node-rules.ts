import { isIP } from 'node:net';
import { asJson, asList, asText, sameJson, type Json } from '../json.ts';
import type { KubeObject, ResourceType } from './kube-objects.ts';
import { invalidAll, type Cause } from './kube-refusal.ts';
import { labelValueProblem, qualifiedNameProblem, subdomainProblem } from './name-syntax.ts';

const info = ['machineID', 'systemUUID', 'bootID', 'kernelVersion', 'osImage', 'containerRuntimeVersion'];
const noInfo = Object.fromEntries(
  [...info, 'kubeletVersion', 'kubeProxyVersion', 'operatingSystem', 'architecture'].map((one) => [one, '']),
);
const notReady = { key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' };
const effects = ['NoSchedule', 'PreferNoSchedule', 'NoExecute'];

/** Fills in what the apiserver fills in on every write of a Node. A new Node gets the taint not-ready. */
export function defaultNode(node: KubeObject, before: KubeObject | undefined): void {
  const spec: Json = { ...node.spec };
  const first = asText(spec['podCIDR']);
  const cidrs = asList(spec['podCIDRs']);
  if (first !== '' && cidrs[0] !== first) spec['podCIDRs'] = [first];
  if (first === '' && cidrs.length > 0) spec['podCIDR'] = cidrs[0];
  const taints = asList(spec['taints']);
  if (before === undefined && !taints.some((one) => asJson(one)['key'] === notReady.key))
    spec['taints'] = [...taints, notReady];
  for (const empty of ['taints', 'podCIDRs'])
    if (asList(spec[empty]).length === 0) Reflect.deleteProperty(spec, empty);
  for (const empty of ['podCIDR', 'providerID', 'unschedulable'])
    if (spec[empty] === '' || spec[empty] === false) Reflect.deleteProperty(spec, empty);
  node.spec = spec;
  const status: Json = { ...node.status };
  const conditions = asList(status['conditions']).map((one) => ({
    ...{ lastHeartbeatTime: null, lastTransitionTime: null },
    ...asJson(one),
  }));
  node.status = {
    ...status,
    ...(conditions.length > 0 && { conditions }),
    daemonEndpoints: status['daemonEndpoints'] ?? { kubeletEndpoint: { Port: 0 } },
    nodeInfo: { ...noInfo, ...asJson(status['nodeInfo']) },
  };
}

/** The rules of Node validation that a cloud controller can break, all at once; recorded on the lab (1.36.3). */
export function validateNode(type: ResourceType, node: KubeObject, before: KubeObject | undefined): void {
  const { name, labels = {}, annotations = {} } = node.metadata;
  const causes: Cause[] = [];
  const add = (field: string, problem: string | undefined): void => {
    if (problem !== undefined) causes.push({ field, problem });
  };
  if (before === undefined) add('metadata.name', subdomainProblem(name));
  for (const [key, value] of Object.entries(labels)) {
    add('metadata.labels', qualifiedNameProblem(key));
    add('metadata.labels', labelValueProblem(value));
  }
  for (const key of Object.keys(annotations))
    add('metadata.annotations', qualifiedNameProblem(key.toLowerCase()));
  causes.push(...taintProblems(asList(node.spec?.['taints']).map(asJson)));
  causes.push(...cidrProblems(asList(node.spec?.['podCIDRs']).map(asText)));
  causes.push(...addressProblems(asList(node.status?.['addresses']).map(asJson)));
  const fixed = 'Forbidden: node updates may not change';
  if (changed('podCIDRs', node, before)) add('spec.podCIDRs', `${fixed} podCIDR except from "" to valid`);
  if (changed('providerID', node, before))
    add('spec.providerID', `${fixed} providerID except from "" to valid`);
  if (causes.length > 0) throw invalidAll(type, name, causes);
}

const changed = (field: string, node: KubeObject, before: KubeObject | undefined): boolean =>
  before?.spec?.[field] !== undefined && !sameJson(before.spec[field], node.spec?.[field]);

function taintProblems(taints: readonly Json[]): Cause[] {
  return taints.flatMap((taint, index) => {
    const field = `metadata.taints[${index}]`;
    const [key, value, effect] = [taint['key'], taint['value'], taint['effect']].map(asText);
    const known = effects.includes(effect ?? '');
    const supported = effects.map((one) => `"${one}"`).join(', ');
    const noEffect =
      effect === '' ? 'Required value' : `Unsupported value: "${effect}": supported values: ${supported}`;
    const twice = taints.findIndex((one) => one['key'] === key && one['effect'] === effect) < index;
    const shown = JSON.stringify({
      Key: key,
      Value: value,
      Effect: effect,
      TimeAdded: taint['timeAdded'] ?? null,
    });
    return causesOf([
      [`${field}.key`, qualifiedNameProblem(key ?? '')],
      [`${field}.value`, labelValueProblem(value)],
      [`${field}.effect`, known ? undefined : noEffect],
      [field, twice ? `Duplicate value: ${shown}: taints must be unique by key and effect pair` : undefined],
    ]);
  });
}

function cidrProblems(cidrs: readonly string[]): Cause[] {
  const families = cidrs.map((one) => isIP(one.split('/')[0] ?? ''));
  const must = 'must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)';
  const bad = cidrs.map((one, index): [string, string | undefined] => [
    `spec.podCIDRs[${index}]`,
    families[index] === 0 || !one.includes('/') ? `Invalid value: "${one}": ${must}` : undefined,
  ]);
  const twice = new Set(families).size < families.length;
  const rule = `Invalid value: ${JSON.stringify(cidrs)}: may specify no more than one CIDR for each IP family`;
  return causesOf([...bad, ['spec.podCIDRs', twice ? rule : undefined]]);
}

function addressProblems(addresses: readonly Json[]): Cause[] {
  return addresses.flatMap((one, index) => {
    const same = (other: Json): boolean =>
      other['type'] === one['type'] && other['address'] === one['address'];
    if (addresses.findIndex(same) === index) return [];
    const shown = JSON.stringify({ Type: one['type'], Address: one['address'] });
    return [{ field: `status.addresses[${index}]`, problem: `Duplicate value: ${shown}` }];
  });
}

const causesOf = (pairs: readonly (readonly [string, string | undefined])[]): Cause[] =>
  pairs.flatMap(([field, problem]) => (problem === undefined ? [] : [{ field, problem }]));
