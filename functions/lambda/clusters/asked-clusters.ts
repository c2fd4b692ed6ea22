import type { IncomingHttpHeaders } from 'node:http';
import type { Tokens } from '../../http/admit.ts';
import { HttpError } from '../../http/http-error.ts';
import type { ConnectedFunction } from '../connected.ts';
import { Admissions } from './admitted.ts';
import type { FunctionClusters } from './function-clusters.ts';
import { sourceOfFunction } from './source-of-function.ts';

/** A cluster that a request names. */
interface AskedCluster {
  readonly tokens: Tokens;
  /** Undefined while nothing can be asked of the cluster; `connected` says why. */
  readonly reachable: () => Promise<ConnectedFunction | undefined>;
  /** Rejects with HttpError 404 or 503. */
  readonly connected: () => Promise<ConnectedFunction>;
}

/** The clusters of the registry, for requests that name one in their path. */
export class AskedClusters {
  readonly #clusters: FunctionClusters;
  readonly #admissions: Admissions;

  /** Throws CONFIG_INVALID. */
  constructor(clusters: FunctionClusters, env: NodeJS.ProcessEnv) {
    this.#clusters = clusters;
    this.#admissions = new Admissions(sourceOfFunction(env), env);
  }

  async find(
    cluster: string,
    which: keyof Tokens,
    { authorization }: IncomingHttpHeaders,
  ): Promise<AskedCluster> {
    const { tokens, texts } = await this.#admissions.of(cluster, which, authorization);
    const connected = async (): Promise<ConnectedFunction> => {
      if (!texts) throw new HttpError(404, `no such cluster: ${JSON.stringify(cluster)}`);
      const found = await this.#clusters.find(cluster);
      if (!('notServed' in found)) return found;
      const message = `the cluster ${cluster} is not served at the moment: the log says why`;
      throw new HttpError(503, message, { headers: { 'Retry-After': '10' }, cause: found.notServed });
    };
    const reachable = async (): Promise<ConnectedFunction | undefined> => {
      const found = texts && (await this.#clusters.find(cluster));
      return found && !('notServed' in found) ? found : undefined;
    };
    return { tokens, connected, reachable };
  }
}
