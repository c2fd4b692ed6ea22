import { FLAGS } from '../shared/config/flags.ts';
import { readFlags, type Flags } from '../shared/config/read-flags.ts';
import { externalCredential } from '../shared/kube/connection/external-credential.ts';
import { findConnection } from '../shared/kube/connection/find-connection.ts';
import { tokenFile } from '../shared/kube/connection/rotated-file.ts';
import { createHttp } from '../shared/kube/kube-http.ts';
import { createWatch } from '../shared/kube/watch-http.ts';
import { ReconcileError } from '../shared/model/errors.ts';
import type { Log } from '../shared/ports.ts';
import { Watches } from '../shared/watch/watches.ts';
import { Outbox } from './relay/outbox.ts';
import { createPost } from './relay/post-keys.ts';
import { createRelayMetrics } from './relay/relay-metrics.ts';
import { createProbes } from './server.ts';
import { listen, parseListen } from './serve/listen.ts';
import { followTokens } from './serve/token-files.ts';

export interface RelayOptions {
  readonly flags: Flags;
  readonly env: NodeJS.ProcessEnv;
  readonly log: Log;
}

export interface Relaying {
  readonly url: string;
  /** Ends within seconds: posts what waits. */
  stop(): Promise<void>;
}

/**
 * `levelset relay`: watches a cluster and posts the keys of what changes to a levelset elsewhere, in a container or on
 * Lambda. It knows no OpenStack and has no rights in the cluster but to list and watch. Throws CONFIG_INVALID.
 */
export async function relay({ flags, env, log }: RelayOptions): Promise<Relaying> {
  const problems: string[] = [];
  const { eventsUrl, eventsTokenFile, eventsCaFile } = readFlags(flags, problems);
  if (eventsUrl === undefined && problems.length === 0) problems.push('--events-url is missing');
  if (eventsTokenFile === undefined) problems.push('--events-token-file is missing');
  if (problems.length > 0 || eventsUrl === undefined || eventsTokenFile === undefined)
    throw new ReconcileError('CONFIG_INVALID', problems.join('\n  '));
  const metrics = createRelayMetrics();
  const post = await createPost({
    url: eventsUrl,
    credential: tokenFile('--events-token-file', eventsTokenFile),
    ...(eventsCaFile !== undefined && { caFile: eventsCaFile }),
    observe: metrics.observePost,
  });
  const outbox = new Outbox({ post, log, observe: metrics.observeKeys });
  const { kubeconfig } = flags;
  const connection = await findConnection({
    ...{ env, login: externalCredential },
    ...(kubeconfig !== undefined && { kubeconfig }),
  });
  const watches = new Watches({
    http: createHttp(connection),
    watch: createWatch(connection),
    log,
    changed: (keys) => {
      outbox.add(keys);
    },
  });
  const { pageTokens, stop: stopTokens } = await followTokens({ flags, env, log });
  const address = flags.listen ?? FLAGS.listen.default;
  const app = createProbes({
    open: parseListen(address).loopback,
    pageTokens,
    metrics: () => metrics.scrape({ waiting: outbox.size, watches: watches.view() }),
    ready: () => Promise.resolve([...watches.blindness(), outbox.trouble ?? []].flat()),
    notes: () => watches.troubles(),
    log,
  });
  const listening = await listen(app, address, flags, { log });
  watches.start();
  log.info('listening', { url: listening.url, to: eventsUrl });
  return {
    url: listening.url,
    stop: async () => {
      stopTokens();
      await watches.stop();
      await outbox.stop();
      await listening.close();
    },
  };
}
