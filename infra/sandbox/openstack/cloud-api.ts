import { randomUUID } from 'node:crypto';
import type { Answer, Call, Service } from '../exchange.ts';
import { answerOf, Refusal } from '../refusal.ts';
import { barbicanAnswer } from './barbican/api.ts';
import type { CloudState } from './cloud-state.ts';
import type { Caller, Keystone } from './keystone/keystone.ts';
import { neutronAnswer } from './neutron/api.ts';
import { novaAnswer } from './nova/api.ts';
import { octaviaAnswer } from './octavia/api.ts';

const services: Record<string, Service> = {
  identity: 'keystone',
  'load-balancer': 'octavia',
  network: 'neutron',
  compute: 'nova',
  'key-manager': 'barbican',
};

const nobody: Caller = { projectId: '', userId: '', delegated: false };

/** Which OpenStack service a path belongs to; the catalog's prefixes decide. */
export const serviceOfPath = (path: string): Service => services[path.split('/')[1] ?? ''] ?? 'keystone';

/** All five services behind one port. Version documents need no token; everything else does. */
export function cloudAnswer(world: CloudState, keystone: Keystone, call: Call): Answer {
  const base = `http://${call.headers.host ?? '127.0.0.1'}`;
  const prefix = call.path.split('/')[1] ?? '';
  const path = call.path.slice(prefix.length + 1);
  const requestId = `req-${randomUUID()}`;
  const answer = answerOf(() => {
    if (!(prefix in services)) throw new Refusal(404, { code: 404, title: 'Not Found', description: '' });
    if (prefix === 'identity') return keystone.answer(call, path, base);
    const open = /^\/?$/.test(path) || (prefix === 'compute' && /^\/v2\.1\/?$/.test(path));
    const caller = open ? nobody : keystone.callerOf(call, prefix, path, base);
    const { projectId } = caller;
    if (prefix === 'network') return neutronAnswer(world, call, path, projectId, `${base}/network`);
    if (prefix === 'compute') return novaAnswer(world, call, path, projectId, `${base}/compute`);
    if (prefix === 'key-manager')
      return barbicanAnswer(world, call, path, caller, world.barbicanHref ?? `${base}/key-manager`);
    return octaviaAnswer(world, call, path, caller, `${base}/load-balancer`);
  });
  if (answer.status === 401) return answer;
  return { ...answer, headers: { 'x-openstack-request-id': requestId, ...answer.headers } };
}
