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

/** An object that has a name and a spec. The kube-apiserver has checked the rest against its own types. */
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
  const { metadata, spec } = fieldsOf(value);
  const { name, namespace } = fieldsOf(metadata);
  if (typeof name !== 'string' || typeof namespace !== 'string' || typeof spec !== 'object') return undefined;
  return value as AdmittedObject;
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : {};
}
