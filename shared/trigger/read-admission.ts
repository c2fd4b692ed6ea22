/** What the kube-apiserver asks a validating admission webhook (Kubernetes API reference, admission.k8s.io/v1 AdmissionReview). */
import type { Service } from '../model/kubernetes.ts';
import { strayIn } from '../model/service-shape.ts';

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
  if (strayIn(value)) return undefined;
  const object = value as AdmittedObject & Pick<Service, 'metadata' | 'spec'>;
  return isOfASize(object) ? object : undefined;
}

/** The key of an annotation may be the longest: 253 characters, a slash and 63. */
const LONGEST_NAME = 317;
/** Keys and values together. */
const LONGEST_ANNOTATIONS = 256 * 1024;
/** Six times the node ports that there are by default. To judge so many takes half a second. */
const MOST_PORTS = 16_384;

/** Whether a kube-apiserver would send it. Not only kube-apiservers reach the path. */
function isOfASize({ metadata, spec }: Pick<Service, 'metadata' | 'spec'>): boolean {
  const annotations = Object.entries(metadata.annotations ?? {});
  const { ports = [] } = spec;
  const names = [metadata.name, metadata.namespace, ...annotations.map(([key]) => key)];
  const length = annotations.reduce((sum, [key, value]) => sum + key.length + value.length, 0);
  return (
    ports.length <= MOST_PORTS &&
    length <= LONGEST_ANNOTATIONS &&
    names.every((name) => name.length <= LONGEST_NAME)
  );
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : {};
}
