import { collectDefaultMetrics, Counter, Gauge, Registry } from 'prom-client';
import type { WatchView } from '../../shared/report/page.ts';
import type { ServerOptions } from '../http/server-options.ts';
import { watchGauge } from '../metrics.ts';

export interface RelayMetrics {
  /** A post that was answered with a status, or with none. */
  readonly observePost: (status: number | undefined) => void;
  readonly observeKeys: (result: 'posted' | 'dropped', keys: number) => void;
  readonly scrape: (now: {
    readonly waiting: number;
    readonly watches: readonly WatchView[];
  }) => ReturnType<ServerOptions['metrics']>;
}

/** Prometheus metrics of `levelset relay`. */
export function createRelayMetrics(register = new Registry()): RelayMetrics {
  const registers = [register];
  collectDefaultMetrics({ register });
  const setWatches = watchGauge(registers);
  const waiting = new Gauge({
    name: 'levelset_relay_waiting_keys',
    help: 'Keys that the receiver has not taken yet.',
    registers,
  });
  const posts = new Counter({
    name: 'levelset_relay_posts_total',
    help: 'Posts to the receiver by status; status "none" means no answer.',
    labelNames: ['status'],
    registers,
  });
  const keys = new Counter({
    name: 'levelset_relay_keys_total',
    help: 'Keys by result: posted, or dropped for a sweep in their place.',
    labelNames: ['result'],
    registers,
  });
  return {
    observePost: (status) => {
      posts.inc({ status: status ?? 'none' });
    },
    observeKeys: (result, count) => {
      keys.inc({ result }, count);
    },
    scrape: async (now) => {
      waiting.set(now.waiting);
      setWatches(now.watches);
      return { contentType: register.contentType, body: await register.metrics() };
    },
  };
}
