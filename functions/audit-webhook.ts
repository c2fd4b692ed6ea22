/** POST /audit/:cluster: queues the keys that a batch of the kube-apiserver's audit webhook names, and answers at once. */
import { readEventList, keysFromAudit } from '../shared/trigger/keys-from-audit.ts';
import { type ServedEndpoint, HttpError } from './http/exchange.ts';
import type { ServerOptions } from './http/admit.ts';
import { parseBody, requireMediaType } from './http/read-body.ts';
import { receiver, type ReceiverOptions } from './http/receiver.ts';

export function auditWebhook(options: ReceiverOptions & Pick<ServerOptions, 'self'>): ServedEndpoint {
  const read = (body: Buffer) => {
    const list = readEventList(parseBody(body));
    if (typeof list === 'string') throw new HttpError(422, list);
    return keysFromAudit(list.items ?? [], options.self);
  };
  return receiver({ trigger: 'audit', form: requireMediaType('application/json'), read }, options);
}
