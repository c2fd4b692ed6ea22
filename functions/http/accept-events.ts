import type { Request, Response } from 'express';
import type { Trigger } from '../../shared/model/request.ts';
import type { Triggered } from '../../shared/trigger/causes.ts';
import type { ServerOptions } from './server-options.ts';
import { queue } from './queue.ts';

/**
 * Queues what a delivery of events named, then answers 202 with the counts.
 */
export async function acceptEvents(
  trigger: Trigger,
  found: Triggered,
  options: Pick<ServerOptions, 'enqueue' | 'observeAudit' | 'log'>,
  request: Request<{ cluster: string }>,
  response: Response,
): Promise<void> {
  const { keys, ...counts } = found;
  options.observeAudit?.(counts);
  const fields = { cluster: request.params.cluster, trigger, ...counts, keys: keys.length };
  if (counts.skipped > 0) options.log.warn('events that cannot be read were skipped', fields);
  else options.log.debug('events received', fields);

  await queue(
    keys.map(({ key, cause }) => ({ key, trigger, cause })),
    options,
  );
  response.status(202).json({ ...counts, keys: keys.length });
}
