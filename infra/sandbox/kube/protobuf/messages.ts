/** A field of a message: its name in JSON, and what it is. A type of the table is a message. */
export type Message = Readonly<Record<number, readonly [name: string, type: string]>>;

/**
 * The numbers of those fields that kubectl sends as protobuf: it does so for objects that it makes itself, as in `create
 * namespace` and `auth can-i` (docs/sources/kubernetes.md, "Protobuf bodies"). `[T]` is a list, `{T}` a map.
 */
export const messages: Readonly<Record<string, Message>> = {
  TypeMeta: { 1: ['apiVersion', 'string'], 2: ['kind', 'string'] },
  ObjectMeta: {
    1: ['name', 'string'],
    2: ['generateName', 'string'],
    3: ['namespace', 'string'],
    11: ['labels', '{string}'],
    12: ['annotations', '{string}'],
  },
  Namespace: { 1: ['metadata', 'ObjectMeta'] },
  ConfigMap: {
    1: ['metadata', 'ObjectMeta'],
    2: ['data', '{string}'],
    3: ['binaryData', '{bytes}'],
    4: ['immutable', 'boolean'],
  },
  Secret: {
    1: ['metadata', 'ObjectMeta'],
    2: ['data', '{bytes}'],
    3: ['type', 'string'],
    4: ['stringData', '{string}'],
    5: ['immutable', 'boolean'],
  },
  Service: { 1: ['metadata', 'ObjectMeta'], 2: ['spec', 'ServiceSpec'] },
  ServiceSpec: {
    1: ['ports', '[ServicePort]'],
    2: ['selector', '{string}'],
    3: ['clusterIP', 'string'],
    4: ['type', 'string'],
    5: ['externalIPs', '[string]'],
    7: ['sessionAffinity', 'string'],
    8: ['loadBalancerIP', 'string'],
    9: ['loadBalancerSourceRanges', '[string]'],
    10: ['externalName', 'string'],
    11: ['externalTrafficPolicy', 'string'],
    18: ['clusterIPs', '[string]'],
    21: ['loadBalancerClass', 'string'],
  },
  ServicePort: {
    1: ['name', 'string'],
    2: ['protocol', 'string'],
    3: ['port', 'int'],
    4: ['targetPort', 'IntOrString'],
    5: ['nodePort', 'int'],
    6: ['appProtocol', 'string'],
  },
  IntOrString: { 1: ['type', 'int'], 2: ['intVal', 'int'], 3: ['strVal', 'string'] },
  SelfSubjectReview: {},
  SelfSubjectAccessReview: { 2: ['spec', 'SelfSubjectAccessReviewSpec'] },
  SelfSubjectAccessReviewSpec: {
    1: ['resourceAttributes', 'ResourceAttributes'],
    2: ['nonResourceAttributes', 'NonResourceAttributes'],
  },
  ResourceAttributes: {
    1: ['namespace', 'string'],
    2: ['verb', 'string'],
    3: ['group', 'string'],
    4: ['version', 'string'],
    5: ['resource', 'string'],
    6: ['subresource', 'string'],
    7: ['name', 'string'],
  },
  NonResourceAttributes: { 1: ['path', 'string'], 2: ['verb', 'string'] },
  SelfSubjectRulesReview: { 1: ['metadata', 'ObjectMeta'], 2: ['spec', 'SelfSubjectRulesReviewSpec'] },
  SelfSubjectRulesReviewSpec: { 1: ['namespace', 'string'] },
};

/** What is around every object. */
export const unknown: Message = { 1: ['typeMeta', 'TypeMeta'], 2: ['raw', 'raw'] };
