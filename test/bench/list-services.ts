/** The Services of a bench on the lab, and which of them have an address. */
import { kube } from '../e2e/lab/lab.ts';

export interface ListedService {
  readonly metadata: { readonly name: string };
  readonly status?: { readonly loadBalancer?: { readonly ingress?: readonly unknown[] } };
}

/** One list call a look: the question must not cost what it measures. */
export function listServices(namespace: string): Promise<readonly ListedService[]> {
  return kube.list(`/api/v1/namespaces/${namespace}/services`);
}

export function hasAddress({ status }: ListedService): boolean {
  return (status?.loadBalancer?.ingress ?? []).length > 0;
}

export async function allHaveAddresses(namespace: string): Promise<boolean> {
  return (await listServices(namespace)).every(hasAddress);
}
