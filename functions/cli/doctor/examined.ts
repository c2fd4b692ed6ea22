import { existsSync } from 'node:fs';
import type { Flags } from '../../../shared/config/read-flags.ts';
import { asReconcileError, ReconcileError } from '../../../shared/model/errors.ts';
import type { Connected } from '../../world.ts';

/** What the doctor looks at: one cluster and its project. */
export interface Examined {
  readonly connected: Connected;
  readonly flags: Flags;
  readonly env: NodeJS.ProcessEnv;
  /** The entry of a registry, nothing of whose texts may reach a message (decision 346). */
  readonly entry?: string;
}

/** The answer, or why there is none: an endpoint that hangs is a finding. */
export function tried<T>(asked: Promise<T>): Promise<T | ReconcileError> {
  return asked.catch(asReconcileError);
}

/** An answer of 200 that a kube-apiserver would not give, such as a login page. */
export function noApiserver(missing: string): ReconcileError {
  return new ReconcileError('KUBE_UNAVAILABLE', `what answers is no kube-apiserver: there is no ${missing}`);
}

/** Where the login to OpenStack is written, as functions/world.ts reads it. */
export function cloudSource({ entry, flags, env }: Pick<Examined, 'entry' | 'flags' | 'env'>): string {
  if (entry !== undefined) return `cloud.conf of the entry ${entry}`;
  if (flags.cloudConfig) return existsSync(flags.cloudConfig) ? flags.cloudConfig : '--cloud-config';
  if (env['LEVELSET_CLOUD_CONFIG_TEXT']) return 'LEVELSET_CLOUD_CONFIG_TEXT';
  return !env['OS_CLOUD'] && env['OS_AUTH_URL'] ? 'the variables OS_*' : 'clouds.yaml (OS_CLOUD)';
}

/** Where the login to the kube-apiserver is written, in the order of shared/kube/connection/find-connection.ts. */
export function kubeSource({ entry, flags, env }: Pick<Examined, 'entry' | 'flags' | 'env'>): string {
  if (entry !== undefined) return `kubeconfig of the entry ${entry}`;
  if (flags.kubeconfig) return existsSync(flags.kubeconfig) ? flags.kubeconfig : '--kubeconfig';
  if (env['LEVELSET_KUBECONFIG_TEXT']) return 'LEVELSET_KUBECONFIG_TEXT';
  if (env['KUBECONFIG']) return 'KUBECONFIG';
  return env['KUBERNETES_SERVICE_HOST'] ? 'the ServiceAccount of the Pod' : '~/.kube/config';
}
