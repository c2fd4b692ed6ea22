import { externalCredential } from '../shared/kube/connection/external-credential.ts';
import { connect, connectForGc, type Connected, type WorldOptions } from './world.ts';

/** As `connect`, and a kubeconfig may have `exec` or `auth-provider`. The functions on AWS cannot run those, and do not ship them. */
export function connectWithLogins(options: Omit<WorldOptions, 'login'>): Promise<Connected> {
  return connect({ ...options, login: externalCredential });
}

export function connectForGcWithLogins(
  options: Omit<WorldOptions, 'login'>,
): ReturnType<typeof connectForGc> {
  return connectForGc({ ...options, login: externalCredential });
}
