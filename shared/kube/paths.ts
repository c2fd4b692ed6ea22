/** Paths of the Kubernetes API below the server's URL (API concepts, "Resource URIs"). */
export function corePath(resource: string, namespace?: string, name?: string): string {
  return path('/api/v1', resource, namespace, name);
}

export function leasePath(namespace: string, name?: string): string {
  return path('/apis/coordination.k8s.io/v1', 'leases', namespace, name);
}

export function endpointSlicePath(namespace: string): string {
  return path('/apis/discovery.k8s.io/v1', 'endpointslices', namespace);
}

function path(group: string, resource: string, namespace?: string, name?: string): string {
  const scope = namespace === undefined ? '' : `/namespaces/${encodeURIComponent(namespace)}`;
  const object = name === undefined ? '' : `/${encodeURIComponent(name)}`;
  return `${group}${scope}/${resource}${object}`;
}
