import { isJson } from '../../json.ts';

/** The fields of what a person writes, as Kubernetes 1.36 has them. What is inside of `name:Type` has a line of its own. */
const known: Readonly<Record<string, string>> = {
  Service: 'apiVersion kind metadata:ObjectMeta spec:ServiceSpec status',
  Node: 'apiVersion kind metadata:ObjectMeta spec:NodeSpec status',
  Namespace: 'apiVersion kind metadata:ObjectMeta spec status',
  ConfigMap: 'apiVersion kind metadata:ObjectMeta binaryData data immutable',
  Secret: 'apiVersion kind metadata:ObjectMeta data immutable stringData type',
  ObjectMeta: `annotations creationTimestamp deletionGracePeriodSeconds deletionTimestamp finalizers generateName
    generation labels managedFields name namespace ownerReferences resourceVersion selfLink uid`,
  ServiceSpec: `allocateLoadBalancerNodePorts clusterIP clusterIPs externalIPs externalName externalTrafficPolicy
    healthCheckNodePort internalTrafficPolicy ipFamilies ipFamilyPolicy loadBalancerClass loadBalancerIP
    loadBalancerSourceRanges ports:ServicePort publishNotReadyAddresses selector sessionAffinity
    sessionAffinityConfig trafficDistribution type`,
  ServicePort: 'appProtocol name nodePort port protocol targetPort',
  NodeSpec: 'configSource externalID podCIDR podCIDRs providerID taints:Taint unschedulable',
  Taint: 'effect key timeAdded value',
};

/**
 * The paths of what an object of a type has and the type has not: `spec.port`, `spec.ports[0].nodeport`. Directives of a
 * patch, such as `$patch`, are no fields.
 */
export function unknownFields(type: string, value: unknown, path = ''): string[] {
  if (Array.isArray(value)) return value.flatMap((item, at) => unknownFields(type, item, `${path}[${at}]`));
  const fields = known[type]?.split(/\s+/).map((field) => field.split(':'));
  if (!fields || !isJson(value)) return [];
  return Object.entries(value).flatMap(([name, item]) => {
    const at = path === '' ? name : `${path}.${name}`;
    const field = fields.find(([own]) => own === name);
    if (field) return unknownFields(field[1] ?? '', item, at);
    return name.startsWith('$') ? [] : [at];
  });
}
