import type { Json } from '../json.ts';

export interface ObjectMeta {
  [field: string]: unknown;
  name: string;
  namespace?: string;
  uid: string;
  resourceVersion: string;
  creationTimestamp: string;
  deletionTimestamp?: string;
  finalizers?: string[];
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
}

export interface KubeObject {
  [field: string]: unknown;
  apiVersion: string;
  kind: string;
  metadata: ObjectMeta;
  spec?: Json;
  status?: Json;
}

export interface ResourceType {
  readonly plural: string;
  readonly kind: string;
  readonly group: string;
  readonly version: string;
  readonly namespaced: boolean;
  /** Has a /status subresource, and writes to the main resource leave the status alone. */
  readonly status: boolean;
  /** A PUT to a name that does not exist creates the object. */
  readonly createOnUpdate: boolean;
  /** What kubectl takes for the plural: `svc`. */
  readonly shortNames: readonly string[];
}

export const resourceType = (
  plural: string,
  kind: string,
  more: Partial<ResourceType> = {},
): ResourceType => ({
  plural,
  kind,
  group: '',
  version: 'v1',
  namespaced: true,
  status: false,
  createOnUpdate: false,
  shortNames: [],
  ...more,
});

export const namespaces = resourceType('namespaces', 'Namespace', { namespaced: false, shortNames: ['ns'] });

/** The resources of the simulated apiserver; nothing else is served. */
export const resourceTypes: readonly ResourceType[] = [
  namespaces,
  resourceType('nodes', 'Node', { namespaced: false, status: true, shortNames: ['no'] }),
  resourceType('services', 'Service', { status: true, createOnUpdate: true, shortNames: ['svc'] }),
  resourceType('configmaps', 'ConfigMap', { shortNames: ['cm'] }),
  resourceType('pods', 'Pod', { status: true, shortNames: ['po'] }),
  resourceType('secrets', 'Secret'),
  resourceType('events', 'Event', { createOnUpdate: true, shortNames: ['ev'] }),
  resourceType('leases', 'Lease', { group: 'coordination.k8s.io', createOnUpdate: true }),
  resourceType('endpointslices', 'EndpointSlice', { group: 'discovery.k8s.io' }),
];

export const apiVersionOf = ({ group, version }: ResourceType): string =>
  group === '' ? version : `${group}/${version}`;

/** How messages name a resource: `services`, `leases.coordination.k8s.io`. */
export const qualified = ({ plural, group }: ResourceType): string =>
  group === '' ? plural : `${plural}.${group}`;
