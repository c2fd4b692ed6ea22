/** The requests of one process on their way to the sandbox, each write behind the guard, as in functions/world.ts and kube-http.ts. */
import { ReconcileError } from '../../../shared/model/errors.ts';
import type { KubeHttp, KubeRequest } from '../../../shared/kube/kube-http.ts';
import type { LeaseRecord } from '../../../shared/kube/lease.ts';
import type { Service } from '../../../shared/model/kubernetes.ts';
import { NoAnswer, type HttpRequest, type Transport } from '../../../shared/openstack/openstack-http.ts';
import { hasFinalizer } from '../../../shared/service/service-object.ts';
import { cloudTransport, kubeHttp } from '../../support/in-process.ts';
import type { Life, Machine } from './machine.ts';
import type { Place } from './schedule.ts';
import type { Written } from './watch.ts';
import { runOfNow } from './work.ts';

/** Who is cut off hears so after this time. */
const CUT_OFF_MS = 5_000;

export interface Sender {
  readonly identity: string;
  readonly machine: Machine;
  readonly life: Life;
  /** Absent for the requests of the leader Lease. */
  readonly guard?: () => void;
}

/** The answer, or undefined: none came in time. What is on its way comes there all the same, also when its process is dead. */
async function travel<T>({ machine, life }: Sender, place: Place, limitMs: number, ask: () => Promise<T>) {
  const side = ['Service', 'Lease', 'Kubernetes'].includes(place) ? 'Kubernetes' : 'OpenStack';
  const { request, answer, arrives } = machine.sent(place);
  const goes = async (): Promise<T | undefined> => {
    await machine.travels(request);
    if (machine.isCutFrom(side)) return undefined;
    const answered = await ask();
    await machine.travels(answer);
    if (machine.isCutFrom(side)) return undefined;
    arrives();
    return answered;
  };
  const way = goes();
  if (request + answer > limitMs) {
    way.catch(() => undefined);
    await machine.pause(limitMs, life);
    return undefined;
  }
  let answered: T | undefined;
  try {
    answered = await way;
  } finally {
    await machine.thaws(life);
  }
  if (answered === undefined) await machine.pause(Math.min(CUT_OFF_MS, limitMs), life);
  return answered;
}

/** Throws where none may begin. */
function begin(title: string, { identity, guard, machine: { its } }: Sender): Written {
  const { watch, tell } = its;
  try {
    guard?.();
  } catch (error) {
    tell(`${title} is refused`);
    throw error;
  }
  return watch.begins(title, identity, runOfNow());
}

export function transportOf(sender: Sender): Transport {
  const { machine, life, identity } = sender;
  const { inside, watch, tell } = machine.its;
  const { openstack } = inside.fronts;
  return {
    pause: (ms, signal) => machine.pause(ms, life, signal),
    now: () => machine.monotonic(),
    send: async (request, limitMs) => {
      const isWrite = request.method !== 'GET' && request.service !== 'identity';
      const title = `${identity}: ${request.method} ${new URL(request.url).pathname}`;
      const written = isWrite ? begin(title, sender) : undefined;
      const handle: typeof openstack.handle = (call) => {
        if (!written) return openstack.handle(call);
        const answer = watch.lands(written, () => openstack.handle(call));
        tell(`${title} ${JSON.stringify(request.body ?? '')}: ${answer.status}`);
        return answer;
      };
      const view = { ...inside, fronts: { ...inside.fronts, openstack: { ...openstack, handle } } };
      const ask = (): ReturnType<Transport['send']> => cloudTransport(view).send(request, limitMs);
      const answer = await travel(sender, placeOf(request), limitMs, ask);
      if (!answer) throw new NoAnswer('the time for an answer is over', true);
      return answer;
    },
  };
}

export function kubeHttpOf(sender: Sender): KubeHttp {
  const { machine, identity, guard } = sender;
  const ask = kubeHttp(machine.its.inside);
  return async (request) => {
    const { method, path, doing } = request;
    const body = guard ? request.body : atItsTime(request.body, machine);
    if (guard && method !== 'GET') begin(`${identity}: ${method} ${path}`, sender);
    // a whole number: what is left of a real clock's time differs from one play to the next
    const limitMs = Math.ceil(Math.min(30_000, request.leftMs?.() ?? Infinity) / 100) * 100;
    const place = !guard ? 'Lease' : path.includes('/services/') ? 'Service' : 'Kubernetes';
    const answer = await travel(sender, place, limitMs, async () => {
      const found = await ask({ ...request, body, leftMs: () => Infinity });
      if (found.status < 300) tellWatch(sender, request, found.body);
      return found;
    });
    if (!answer) throw new ReconcileError('KUBE_UNAVAILABLE', `cannot ${doing}: no answer came in time`);
    return answer;
  };
}

/** The leader Lease is renewed more often than each millisecond of a real clock, and the apiserver takes a write that changes nothing for none. */
function atItsTime(body: unknown, machine: Machine): unknown {
  const { spec, ...record } = (body ?? {}) as LeaseRecord;
  const renewTime = `${new Date(machine.wall()).toISOString().slice(0, -1)}${machine.nextMicros()}Z`;
  return body === undefined ? undefined : { ...record, spec: { ...spec, renewTime } };
}

/** What a write to Kubernetes changed. */
function tellWatch({ guard, machine: { its } }: Sender, { method }: KubeRequest, body: unknown): void {
  const { watch } = its;
  if (method === 'PATCH' && (body as { kind?: string }).kind === 'Service') {
    const service = body as Service;
    watch.published(service.metadata.uid, service.status?.loadBalancer?.ingress?.[0]?.ip);
    if (!hasFinalizer(service)) watch.released(service.metadata.name);
  }
  if (!guard && method !== 'GET') watch.leaseWritten((body as LeaseRecord).spec?.holderIdentity ?? '');
}

function placeOf({ service, method, url }: HttpRequest): Place {
  if (service === 'identity') return 'login';
  if (method === 'GET') return 'read of OpenStack';
  return method === 'POST' && /(loadbalancers|floatingips)$/.test(url) ? 'create' : 'write to OpenStack';
}
