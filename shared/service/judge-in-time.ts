import { isError } from '../model/errors.ts';
import type { ReconcileError } from '../model/errors.ts';
import { fingerprint } from '../model/json.ts';
import type { Service } from '../model/kubernetes.ts';
import type { UnitState } from '../model/unit.ts';
import { attempt } from '../observe/attempt.ts';
import type { World } from '../ports.ts';
import { rfc3339 } from '../report/condition.ts';

/** So many Services are judged at a time, since some need a read of their own. */
const AT_ONCE = 10;
/** With less time left a sweep judges no further Service: for those under way, and for what comes after them. */
const RESERVE_MS = 10_000;
/** Among the watermarks, which a sweep reads anyway: the Service with which the next one begins, where one ran out of time. */
export const SWEEP_PLACE = 'sweep';
/** An older place does not count, in milliseconds: the sweeps since then ended before they could say how far they were. */
const PLACE_MS = 3_600_000;

interface JudgedInTime<V> {
  readonly judged: readonly { readonly service: Service; readonly verdict: V }[];
  /** Those that the sweep came not to, in the order in which the next one takes them. */
  readonly left: readonly Service[];
}

interface Sweeping {
  readonly isWhole: boolean;
  readonly readOnly: true | undefined;
  readonly states: ReadonlyMap<string, UnitState> | ReconcileError;
}

/**
 * Judges Services as long as the sweep has time. The next whole sweep, of whatever process, begins where this one stopped
 * (decision 283).
 */
export async function judgeInTime<V>(
  services: readonly Service[],
  judge: (service: Service) => Promise<V>,
  { isWhole, readOnly, states }: Sweeping,
  { run, kube, clock }: Pick<World, 'run' | 'kube' | 'clock'>,
): Promise<JudgedInTime<V>> {
  const stored = isError(states) ? undefined : states.get(SWEEP_PLACE);
  const begin = isWhole ? placeToBegin(services, stored, clock.now()) : 0;
  const order = [...services.slice(begin), ...services.slice(0, begin)];
  const verdicts = new Map<Service, V>();
  const queue = order.values();
  const leftMs = (): number => run?.remainingMs() ?? Infinity;
  const reserveMs = Math.min(RESERVE_MS, leftMs() / 2);
  const worker = async (): Promise<void> => {
    while (leftMs() > reserveMs) {
      const { value: service, done } = queue.next();
      if (done) return;
      verdicts.set(service, await judge(service));
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  const left = order.filter((service) => !verdicts.has(service));
  const [next] = left;
  if (isWhole && !readOnly && (next ?? stored)) {
    const place = next && { hash: nameOf(next), updated_at: null, compared: rfc3339(clock.now()) };
    await attempt(kube.state.save(new Map([[SWEEP_PLACE, place]])));
  }
  const judged = services.flatMap((service) => {
    const verdict = verdicts.get(service);
    return verdict === undefined ? [] : [{ service, verdict }];
  });
  return { judged, left };
}

export interface NotCompared {
  readonly service: Service;
  /** The reason why the Service could not be compared with what there is. */
  readonly reason: string;
}

/** One warning for each reason, with the names of all Services that it holds up. */
export function notComparedInWords(notCompared: readonly NotCompared[]): readonly string[] {
  return [...Map.groupBy(notCompared, ({ reason }) => reason)].map(
    ([reason, held]) =>
      `the sweep could not compare ${held.map(({ service }) => nameOf(service)).join(', ')}: ${reason}`,
  );
}

/** How far a sweep came; nothing if it came to the end. */
export function leftInWords(left: readonly Service[], of: number): readonly string[] {
  const [next] = left;
  if (!next) return [];
  return [
    `the sweep ran out of time after ${of - left.length} of ${of} Services; the next one continues with ${nameOf(next)}`,
  ];
}

/**
 * The place of the stored Service, or of what follows it. Without one it is anywhere, drawn by the clock, so that no Service is the last
 * one each time, however far apart the sweeps are.
 */
function placeToBegin(services: readonly Service[], stored: UnitState | undefined, now: number): number {
  const isFresh = Math.abs(now - Date.parse(stored?.compared ?? '')) < PLACE_MS;
  if (!stored || !isFresh)
    return Number.parseInt(fingerprint(now).slice(0, 8), 16) % Math.max(1, services.length);
  return Math.max(
    0,
    services.findIndex((service) => nameOf(service) >= stored.hash),
  );
}

function nameOf({ metadata }: Service): string {
  return `${metadata.namespace}/${metadata.name}`;
}
