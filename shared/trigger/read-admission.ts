/** What the kube-apiserver asks a validating admission webhook (Kubernetes API reference, admission.k8s.io/v1 AdmissionReview). */

/** Of the request what levelset reads. */
export interface AdmissionRequest {
  /** The answer repeats it. */
  readonly uid: string;
  readonly username?: string;
  /** It is about no Service, or about one that cannot be read. */
  readonly isStrange: boolean;
  /** Undefined where no Service is written as a whole, but deleted, or its status written. */
  readonly service?: AdmittedObject;
  /** The Service as it was; undefined for a new one. */
  readonly before?: AdmittedObject;
}

/** A Service as far as it is read: with the types and the sizes that a kube-apiserver lets through. */
export interface AdmittedObject {
  readonly metadata: { readonly name: string; readonly namespace: string };
  readonly spec: Readonly<Record<string, unknown>>;
}

/** The request of an AdmissionReview, or one line that says why there is none that could be answered. */
export function readAdmission(value: unknown): AdmissionRequest | string {
  const { apiVersion, kind, request } = fieldsOf(value);
  if (apiVersion !== 'admission.k8s.io/v1' || kind !== 'AdmissionReview')
    return 'not an admission.k8s.io/v1 AdmissionReview';
  const { uid, userInfo, operation, resource, subResource, object, oldObject } = fieldsOf(request);
  if (typeof uid !== 'string' || uid === '') return 'not an AdmissionReview: "request" must have a "uid"';
  const { username } = fieldsOf(userInfo);
  const named = fieldsOf(resource);
  const isService = [named['group'] ?? '', named['version'], named['resource']].join('/') === '/v1/services';
  const isWritten = (operation === 'CREATE' || operation === 'UPDATE') && (subResource ?? '') === '';
  const service = isService && isWritten ? objectOf(object) : undefined;
  const before = objectOf(oldObject);
  return {
    uid,
    isStrange: !isService || (isWritten && !service),
    ...(typeof username === 'string' && { username }),
    ...(service && { service }),
    ...(before && { before }),
  };
}

function objectOf(value: unknown): AdmittedObject | undefined {
  return isService(value) ? (value as AdmittedObject) : undefined;
}

type Shape = (value: unknown) => boolean;

/** The key of an annotation may be the longest: 253 characters, a slash and 63. */
const LONGEST_NAME = 317;
/** Keys and values together. */
const LONGEST_ANNOTATIONS = 256 * 1024;
/** Six times the node ports that there are by default. To judge so many takes half a second. */
const MOST_PORTS = 16_384;

const text: Shape = (value) => typeof value === 'string';
const name: Shape = (value) => typeof value === 'string' && value.length <= LONGEST_NAME;
const number: Shape = (value) => typeof value === 'number';
const list =
  (item: Shape, most = Infinity): Shape =>
  (value) =>
    Array.isArray(value) && value.length <= most && value.every(item);
const object =
  (fields: Readonly<Record<string, Shape>>, optional: Readonly<Record<string, Shape>> = {}): Shape =>
  (value) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
    const read = fieldsOf(value);
    return (
      Object.entries(fields).every(([field, shape]) => shape(read[field])) &&
      Object.entries(optional).every(([field, shape]) => read[field] === undefined || shape(read[field]))
    );
  };

const annotations: Shape = (value) => {
  if (!object({})(value)) return false;
  let length = 0;
  return Object.entries(fieldsOf(value)).every(([key, its]) => {
    if (!name(key) || typeof its !== 'string') return false;
    length += key.length + its.length;
    return length <= LONGEST_ANNOTATIONS;
  });
};

const port = object({ port: number }, { name, protocol: name, nodePort: number, appProtocol: text });

/** What of a Service is read. Not only kube-apiservers reach the path. */
const isService = object({
  metadata: object({ name, namespace: name }, { annotations, deletionTimestamp: text }),
  spec: object(
    { type: text },
    {
      ports: list(port, MOST_PORTS),
      ipFamilies: list(text, 2),
      loadBalancerSourceRanges: list(text),
      loadBalancerClass: text,
      loadBalancerIP: text,
      sessionAffinity: text,
      sessionAffinityConfig: object({}, { clientIP: object({}, { timeoutSeconds: number }) }),
      externalTrafficPolicy: text,
      healthCheckNodePort: number,
    },
  ),
});

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : {};
}
