import { FLAGS } from '../../shared/config/flags.ts';
import type { Flags } from '../../shared/config/read-flags.ts';
import type { Report } from '../../shared/model/outcome.ts';
import type { Log } from '../../shared/ports.ts';
import type { Listening } from './listen.ts';

export interface ServeOptions {
  readonly flags: Flags;
  readonly env: NodeJS.ProcessEnv;
  readonly log: Log;
  /** Called for every run that ended, after the log and the metrics. */
  readonly reported?: (report: Report) => void;
}

export interface Serving {
  readonly url: string;
  /** True when no key is queued, running or waiting for Octavia, and no sweep runs or is about to run. */
  readonly idle: () => boolean;
  /** Ends within seconds: finishes the write that is under way, and leads no more. */
  stop(): Promise<void>;
}

export function listenAddress(flags: Flags): string {
  return flags.listen ?? FLAGS.listen.default;
}

export function warnOfDryRun({ dryRun }: Flags, log: Log): void {
  if (dryRun)
    log.warn('dry run: levelset shows what it would do, and writes nothing to Kubernetes or OpenStack');
}

export function warnOfPlainHttp({ allowPlainHttp }: Flags, { url }: Listening, log: Log): void {
  if (allowPlainHttp && url.startsWith('http:'))
    log.warn('--allow-plain-http: tokens pass in the clear, unless a proxy in front ends TLS', { url });
}
