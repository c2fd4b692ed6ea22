/** One process of levelset: its clocks, its requests with their stalls, and its runs. */
import type { VirtualClock } from '../../../infra/sandbox/sandbox-clock.ts';
import type { SandboxInside } from '../../../infra/sandbox/sandbox.ts';
import type { Config } from '../../../shared/config/config.ts';
import { KubeClient } from '../../../shared/kube/kube-client.ts';
import type { LeaseRecord } from '../../../shared/kube/lease.ts';
import type { Http as KubeHttp } from '../../../shared/kube/kube-http.ts';
import { newMemory } from '../../../shared/memory/memory.ts';
import type { Service } from '../../../shared/model/kubernetes.ts';
import type { ReconcileRequest } from '../../../shared/model/request.ts';
import { connectCloud } from '../../../shared/openstack/connect-cloud.ts';
import { NoAnswer, type HttpRequest, type Transport } from '../../../shared/openstack/openstack-http.ts';
import type { Kube, Lease, Log, World } from '../../../shared/ports.ts';
import { hasFinalizer } from '../../../shared/service/unit.ts';
import { reconcile } from '../../../shared/reconcile.ts';
import { sweep } from '../../../shared/sweep.ts';
import { cloudTransport, kubeHttp, replaced } from '../../support/in-process.ts';
import type { Name, Place, ProcessPlan, Stall } from './schedule.ts';
import type { Holding, Watch } from './watch.ts';

const SILENT: Log = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
};

/** A write that is on its way for longer may come when another process has the lease: no fencing token tells OpenStack. */
const SWIFT_MS = 6_000;
const BUDGET_MS = 60_000;
/** So often a run is requeued that does not come to its end; Octavia may hold its lock for several of them at each write. */
const MOST_RUNS = 60;

interface Look {
  readonly atMs: number;
  readonly request: ReconcileRequest | 'sweep';
  readonly again: number;
}

export interface Surroundings {
  readonly inside: SandboxInside & { readonly clock: VirtualClock };
  readonly config: Config;
  readonly watch: Watch;
  /** Absent where the law shows that it needs them. */
  readonly leases: 'leases' | 'no leases';
  readonly tell: (line: string) => void;
}

/** From the first look of a run at its load balancer to the last write. */
export interface Span {
  readonly process: string;
  readonly fromMs: number;
  toMs: number;
}

export class Process {
  readonly name: Name;
  readonly world: World;
  readonly spans: Span[] = [];
  readonly #plan: ProcessPlan;
  readonly #its: Surroundings;
  readonly #seen = new Map<Place, number>();
  readonly #bornMs: number;
  #looks: Look[] = [];
  #isPaced = false;
  #drawn: number;
  /** The leases of the run that goes on. */
  #holdings: readonly Holding[] = [];
  #span: Span | undefined;

  constructor(name: Name, plan: ProcessPlan, its: Surroundings) {
    this.name = name;
    this.#plan = plan;
    this.#its = its;
    this.#drawn = plan.lots;
    this.#bornMs = its.inside.clock.millis();
    const { cloud, calls } = connectCloud(its.config.openstack, { transport: this.#transport() });
    const hold = (holding: Holding): void => void (this.#holdings = [...this.#holdings, holding]);
    const plain = new KubeClient(this.#kubeHttp(), {
      namespace: its.config.stateNamespace,
      ...{ identity: name, log: SILENT, monotonic: () => this.#monotonic() },
    });
    const kube = watched(plain, its, name, hold);
    const clock = { now: () => this.#timeOfDay() };
    this.world = { kube, cloud, calls, clock, log: SILENT, config: its.config, memory: newMemory() };
  }

  /** From now on requests take time, and stall. */
  setPace(isPaced: boolean): void {
    this.#isPaced = isPaced;
  }

  look(request: Look['request'], inMs: number, again = 0): void {
    this.#looks.push({ atMs: this.#now() + inMs, request, again });
  }

  /** Works off its looks, each when its time has come, until there are none. */
  async live(): Promise<void> {
    for (;;) {
      this.#looks.sort((a, b) => a.atMs - b.atMs);
      const next = this.#looks.shift();
      if (!next) return;
      if (next.atMs > this.#now()) await this.#its.inside.clock.pause(next.atMs - this.#now());
      const key = JSON.stringify(next.request);
      this.#looks = this.#looks.filter(
        (one) => one.atMs > this.#now() || JSON.stringify(one.request) !== key,
      );
      if (next.request === 'sweep') await this.#sweep();
      else await this.#run(next.request, next.again);
    }
  }

  async #sweep(): Promise<void> {
    const found = await sweep(this.world);
    for (const request of found.requests) this.look(request, 0);
  }

  async #run(request: ReconcileRequest, again: number): Promise<void> {
    const endMs = this.#monotonic() + BUDGET_MS;
    this.#span = undefined;
    this.#holdings = [];
    const { outcome } = await reconcile(request, this.world, {
      remainingMs: () => Math.max(0, endMs - this.#monotonic()),
    });
    const isOver = outcome.status === 'settled' || outcome.status === 'blocked' || again === MOST_RUNS;
    this.#its.tell(`${this.name} ends its run: ${JSON.stringify(outcome)}`);
    if (isOver) return;
    const inMs = Math.max(100, Math.min(outcome.retryAfterMs, 5_000));
    this.look({ ...request, trigger: 'requeue' }, inMs, again + 1);
  }

  #now(): number {
    return this.#its.inside.clock.millis();
  }

  #timeOfDay(): number {
    const { skewMs, isSet } = this.#plan;
    const isLate = isSet !== undefined && this.#now() - this.#bornMs >= isSet.atMs;
    return this.#now() + skewMs + (isLate ? isSet.byMs : 0);
  }

  #monotonic(): number {
    return this.#now() - this.#bornMs + this.#plan.lots;
  }

  #pause(ms: number): Promise<void> {
    return this.#isPaced ? this.#its.inside.clock.pause(ms) : Promise.resolve();
  }

  /** How long this request and its answer take. */
  #times(place: Place): Readonly<Record<Stall['what'], number>> {
    if (!this.#isPaced) return { request: 0, answer: 0 };
    const nth = this.#seen.get(place) ?? 0;
    this.#seen.set(place, nth + 1);
    const stalls = this.#plan.stalls.filter((one) => one.place === place && one.nth === nth);
    const of = (what: Stall['what']): number => {
      const stalledMs = Math.max(0, ...stalls.filter((one) => one.what === what).map(({ ms }) => ms));
      if (stalledMs > 0) this.#its.tell(`${this.name} stalls ${stalledMs} ms: ${what}, ${place} ${nth}`);
      const isSwift = place === 'write to OpenStack' && what === 'request';
      return this.#plan.paceMs * this.#draw() + (isSwift ? Math.min(stalledMs, SWIFT_MS) : stalledMs);
    };
    return { request: of('request'), answer: of('answer') };
  }

  /** From one to eight. */
  #draw(): number {
    this.#drawn = (Math.imul(this.#drawn, 1_664_525) + 1_013_904_223) >>> 0;
    return this.#plan.lots === 0 ? 1 : 1 + (this.#drawn >>> 29);
  }

  #kubeHttp(): KubeHttp {
    const ask = kubeHttp(this.#its.inside);
    return async (request) => {
      const times = this.#times(kubePlaceOf(request.path));
      await this.#pause(times.request);
      const answer = await ask(request);
      if (answer.status < 300) this.#tellWatch(request.method, answer.body);
      await this.#pause(times.answer);
      return answer;
    };
  }

  /** What a write to Kubernetes changed. */
  #tellWatch(method: string, body: unknown): void {
    const { watch } = this.#its;
    if (method === 'PATCH' && isService(body)) {
      watch.published(body.metadata.uid, body.status?.loadBalancer?.ingress?.[0]?.ip);
      if (!hasFinalizer(body)) watch.released();
    }
    if ((method !== 'POST' && method !== 'PUT') || !isLease(body)) return;
    const { holderIdentity, acquireTime, renewTime } = body.spec ?? {};
    if (!holderIdentity || method === 'POST') watch.givenBack(body.metadata.name);
    if (holderIdentity && renewTime === acquireTime) watch.taken(body.metadata.name, this.name);
  }

  #transport(): Transport {
    const { inside, watch, tell } = this.#its;
    const { openstack } = inside.fronts;
    return {
      pause: (ms, signal) => inside.clock.pause(ms, signal),
      now: () => this.#monotonic(),
      send: async (request, limitMs) => {
        const times = this.#times(placeOf(request));
        const isWrite = !['GET', 'HEAD'].includes(request.method) && request.service !== 'identity';
        const holdings = this.#holdings;
        const isLate = times.request > SWIFT_MS + 8 * this.#plan.paceMs;
        const title = `${this.name}: ${request.method} ${new URL(request.url).pathname}`;
        const handle: typeof openstack.handle = (call) => {
          if (!isWrite) return openstack.handle(call);
          const answer = watch.write(title, holdings, isLate, () => openstack.handle(call));
          tell(`${title} ${JSON.stringify(request.body ?? '')}: ${answer.status}`);
          return answer;
        };
        const view = { ...inside, fronts: { ...inside.fronts, openstack: { ...openstack, handle } } };
        this.#note(request, isWrite);
        const sent = (async () => {
          await this.#pause(times.request);
          const answer = await cloudTransport(view).send(request, limitMs);
          await this.#pause(times.answer);
          return answer;
        })();
        if (times.request + times.answer <= limitMs) return sent;
        await this.#pause(limitMs);
        throw new NoAnswer('the time for an answer is over', true);
      },
    };
  }

  #note({ url }: HttpRequest, isWrite: boolean): void {
    if (!this.#isPaced) return;
    if (url.includes('/lbaas/loadbalancers'))
      this.#span ??= { process: this.name, fromMs: this.#now(), toMs: this.#now() };
    if (!isWrite || !this.#span) return;
    if (!this.spans.includes(this.#span)) this.spans.push(this.#span);
    this.#span.toMs = this.#now();
  }
}

const isService = (body: unknown): body is Service => (body as { kind?: string }).kind === 'Service';
const isLease = (body: unknown): body is LeaseRecord => (body as { kind?: string }).kind === 'Lease';

function kubePlaceOf(path: string): Place {
  if (path.includes('/leases')) return 'Lease';
  return path.includes('/services/') ? 'Service' : 'Kubernetes';
}

function placeOf({ service, method, url }: HttpRequest): Place {
  if (service === 'identity') return 'login';
  if (method === 'GET') return 'read of OpenStack';
  return method === 'POST' && /(loadbalancers|floatingips)$/.test(url) ? 'create' : 'write to OpenStack';
}

/** Tells when a client has taken a lease. */
function watched(
  kube: Kube,
  { watch, leases, tell }: Pick<Surroundings, 'watch' | 'leases' | 'tell'>,
  by: Name,
  hold: (holding: Holding) => void,
): Kube {
  return replaced(kube, (its) => ({
    lease: (name, holder) => {
      const lease = leases === 'leases' ? its.lease(name, holder) : NO_LEASE;
      return {
        acquire: async () => {
          const taken = await lease.acquire();
          if (leases === 'no leases') watch.taken(name, by);
          hold(watch.holding(name, by));
          tell(`${by} takes ${name}, ${taken.fresh ? 'fresh' : 'not fresh'}`);
          return taken;
        },
        hadLast: () => lease.hadLast(),
        renew: () => lease.renew(),
        release: (unused) => lease.release(unused),
        remove: () => lease.remove(),
      };
    },
  }));
}

const NO_LEASE: Lease = {
  acquire: () => Promise.resolve({ fresh: true }),
  hadLast: () => Promise.resolve(true),
  renew: () => Promise.resolve(),
  release: () => Promise.resolve(),
  remove: () => Promise.resolve(),
};
