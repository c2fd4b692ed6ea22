import type { IncomingHttpHeaders } from 'node:http';
import type { Entry } from '../../../shared/clusters/entry.ts';
import { Registry } from '../../../shared/clusters/registry.ts';
import type { Tokens } from '../../../shared/config/tokens.ts';
import { flagsFromEnv } from '../../../shared/config/read-flags.ts';
import { countdown } from '../../../shared/deadline.ts';
import type { KubeRequest } from '../../../shared/kube/kube-http.ts';
import { Answers } from '../../../shared/memory/answers.ts';
import { BoundedMap } from '../../../shared/memory/bounded-map.ts';
import { isClusterName } from '../../../shared/model/request.ts';
import { Backoff, type Delays } from '../../../shared/connection-backoff.ts';
import {
  connectEntry,
  isThatOf,
  ofCluster,
  uidOf,
  unidentified,
  CloudLogins,
} from '../../clusters/connect-entry.ts';
import { HttpError } from '../../http/exchange.ts';
import { ofStack, type ConnectedFunction } from '../connected.ts';
import { log } from '../function-log.ts';
import { metrics } from '../function-metrics.ts';
import { Admissions } from './admitted.ts';
import { sourceOfFunction, type ParameterSource } from './parameter-source.ts';

const MOST_WORLDS = 100;
const ANSWER_MS = 5_000;
const READ_KUBE_SYSTEM: KubeRequest = {
  method: 'GET',
  path: '/api/v1/namespaces/kube-system',
  doing: 'ask whether the kube-apiserver answers',
};
/** For so long it counts whether Parameter Store has answered. */
const READY_MS = 5_000;
const OF_NO_ANSWER: Delays = { firstMs: 1_000, longestMs: 30_000 };

export interface NotServed {
  readonly notServed: string;
}

interface AskedCluster {
  readonly tokens: Tokens;
  /** Rejects with HttpError 404 or 503. */
  readonly connected: () => Promise<ConnectedFunction>;
}

interface Known {
  readonly name: string;
  readonly settings: Entry['settings'];
  readonly connected: ConnectedFunction;
  readonly backoff: Backoff;
  uid?: string;
  hasAnswered: boolean;
  unanswered: string;
  backoffUntilMs: number;
}

/** The clusters of a registry for one process of a function. A kube-apiserver that does not answer costs five seconds, and then rests. */
export class FunctionClusters {
  readonly #source: ParameterSource;
  readonly #registry: Registry;
  readonly #env: NodeJS.ProcessEnv;
  readonly #known = new BoundedMap<string, Known>(MOST_WORLDS);
  readonly #connecting = new Map<string, Promise<Known>>();
  readonly #told = new Map<string, string>();
  readonly #logins = new CloudLogins();
  readonly #answers = new Answers(1);

  /** Those that LEVELSET_CLUSTERS leads to. Throws CONFIG_INVALID. */
  constructor(env: NodeJS.ProcessEnv) {
    this.#source = sourceOfFunction(env);
    this.#env = env;
    this.#registry = new Registry(this.#source, { flags: flagsFromEnv(env), env });
  }

  /** The names of all that can be served, in order. Throws CONFIG_INVALID while the registry cannot be read. */
  async names(leftMs: () => number): Promise<readonly string[]> {
    const names = (await this.#source.names(leftMs)).toSorted();
    for (const entry of names.filter((name) => !isClusterName(name)))
      log.warn('an entry is not served: name it by a DNS label, such as prod-a', { entry });
    return names.filter(isClusterName);
  }

  /** Why the registry cannot be read, in words, as of at most 5 s ago. Empty: it can. */
  missing(): Promise<readonly string[]> {
    const lifetime = { keepMs: READY_MS, clock: { now: () => Date.now() } };
    return this.#answers.read('registry', lifetime, () => this.#source.missing());
  }

  /** Finds clusters for requests, which tokens of their entries or of this environment open. */
  asking(
    env: NodeJS.ProcessEnv,
  ): (name: string, which: keyof Tokens, headers: IncomingHttpHeaders) => Promise<AskedCluster> {
    const admissions = new Admissions(this.#source, env);
    return async (name, which, { authorization }) => {
      const { tokens, texts } = await admissions.of(name, which, authorization);
      return {
        tokens,
        connected: async () => {
          if (!texts) throw new HttpError(404, `there is no cluster ${JSON.stringify(name)}`);
          const found = await this.find(name);
          if (!('notServed' in found)) return found;
          const message = `the cluster ${name} is not served at the moment: the log says why`;
          throw new HttpError(503, message, { headers: { 'Retry-After': '10' }, cause: found.notServed });
        },
      };
    };
  }

  /** The entry of a cluster. Undefined: no usable one. Throws CONFIG_INVALID while the registry cannot be read. */
  async entryOf(name: string): Promise<Entry | undefined> {
    if (!isClusterName(name)) return undefined;
    await this.#source.read(name); // of a registry that cannot be read the next line makes a problem of the entry
    const { entry, problems = [] } = (await this.#registry.read(name)) ?? {};
    this.#tell(name, problems, entry !== undefined);
    if (problems.length > 0) this.#source.doubt(name);
    return entry;
  }

  async find(name: string): Promise<ConnectedFunction | NotServed> {
    const entry = await this.entryOf(name);
    if (!entry) {
      this.#known.delete(name);
      return { notServed: this.#told.get(name) ?? 'the registry has no such cluster' };
    }
    let known = this.#known.get(name);
    if (known?.settings !== entry.settings) known = await this.#connect(entry);
    this.#known.set(name, known); // those that were set longest ago go
    const silent = await this.#ask(known);
    if (silent) return silent;
    const other = await this.#holderOf(known);
    return other ? { notServed: isThatOf(known.name, other.name) } : known.connected;
  }

  /** Another entry that leads to the same cluster, of those that this process knows: who gives its `uid` comes first, then by name. */
  async #holderOf(known: Known): Promise<Known | undefined> {
    const rank = ({ name, settings }: Known): string => `${settings.uid === undefined} ${name}`;
    const isBefore = (one: Known): boolean => one.uid === known.uid && rank(one) < rank(known);
    for (const other of [...this.#known.values()].filter(isBefore)) {
      this.#source.doubt(other.name); // it may be gone, or lead elsewhere by now
      if ((await this.entryOf(other.name))?.settings === other.settings) return other;
    }
    return undefined;
  }

  #connect(entry: Entry): Promise<Known> {
    const { name } = entry;
    const connecting =
      this.#connecting.get(name) ?? this.#made(entry).finally(() => this.#connecting.delete(name));
    this.#connecting.set(name, connecting);
    return connecting;
  }

  async #made(entry: Entry): Promise<Known> {
    const { name, settings } = entry;
    const state = { hasAnswered: false, unanswered: '', backoffUntilMs: 0 };
    const connected = await connectEntry(entry, {
      log,
      leading: ofStack(this.#env),
      logins: this.#logins,
      envNow: async () => {
        this.#source.doubt(name);
        return (await this.#registry.read(name))?.entry?.settings.env ?? settings.env;
      },
      observeCall: (call) => {
        metrics.observeCall(call);
        if (call.service === 'kubernetes') state.hasAnswered = call.status !== undefined;
      },
    });
    return Object.assign(state, {
      ...{ name, settings, backoff: new Backoff() },
      connected: { ...connected, env: this.#env, log: ofCluster(log, name) },
    });
  }

  /** Asks a kube-apiserver which cluster it is, and after a call without an answer whether it answers again. */
  async #ask(known: Known): Promise<NotServed | undefined> {
    if (known.uid !== undefined && known.hasAnswered) return undefined;
    const { name, connected, backoff } = known;
    if (Date.now() >= known.backoffUntilMs)
      try {
        if (known.uid === undefined) known.uid = await uidOf(connected, known.settings);
        else await connected.kubeHttp({ ...READ_KUBE_SYSTEM, leftMs: countdown(ANSWER_MS) });
      } catch (error) {
        known.backoffUntilMs = Date.now() + backoff.begin(OF_NO_ANSWER);
        known.unanswered = `${name}: ${unidentified(error)}`;
      }
    if (known.uid === undefined || !known.hasAnswered) return { notServed: known.unanswered };
    backoff.end();
    return undefined;
  }

  #tell(name: string, problems: readonly string[], isServed: boolean): void {
    const text = problems.join('\n');
    if (this.#told.get(name) === text) return;
    this.#told.delete(name);
    if (text === '') return;
    this.#told.set(name, text);
    log.warn(
      isServed
        ? 'the entry of a cluster cannot be used: levelset goes on with the one before'
        : 'a cluster is not served',
      { cluster: name, problems },
    );
  }
}
