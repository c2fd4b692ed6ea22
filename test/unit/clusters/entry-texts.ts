import { stringify } from 'yaml';
import type { Texts } from '../../../shared/clusters/entry.ts';

export const PEM = '-----BEGIN CERTIFICATE-----\nx\n-----END CERTIFICATE-----\n';
export const TOKEN = 'audit-token-of-a-cluster-0123456789';

export function kubeconfig(cluster: object = {}, user: object = { token: 'hunter2-of-kubernetes' }): string {
  return stringify({
    'current-context': 'admin@prod',
    contexts: [{ name: 'admin@prod', context: { cluster: 'prod', user: 'admin' } }],
    clusters: [{ name: 'prod', cluster: { server: 'https://10.0.0.1:6443', ...cluster } }],
    users: [{ name: 'admin', user }],
  });
}

export function cloudConf(more = ''): string {
  return `[Global]
auth-url = https://keystone.example/v3
application-credential-id = 0a1b
application-credential-secret = "hunter2 of openstack"
${more}`;
}

/** The least that a cluster can be served with. */
export const WHOLE: Texts = { kubeconfig: kubeconfig(), 'cloud.conf': cloudConf() };
