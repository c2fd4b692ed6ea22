import { fingerprint } from '../model/json.ts';
import type { Service } from '../model/kubernetes.ts';
import type { World } from '../ports.ts';

/** So many Services are judged at a time, since some need a read of their own. */
const AT_ONCE = 10;
/** With less time left a sweep judges no further Service: for those under way, and for what comes after them. */
const RESERVE_MS = 10_000;

interface JudgedInTime<V> {
  readonly judged: readonly { readonly service: Service; readonly verdict: V }[];
  readonly left: readonly Service[];
}

/** Judges Services while the sweep has time. A whole sweep begins anywhere, so that no Service is always the last (decision 283). */
export async function judgeInTime<V>(
  services: readonly Service[],
  judge: (service: Service) => Promise<V>,
  isWhole: boolean,
  { run, clock }: Pick<World, 'run' | 'clock'>,
): Promise<JudgedInTime<V>> {
  const drawn = Number.parseInt(fingerprint(clock.now()).slice(0, 8), 16);
  const begin = isWhole ? drawn % Math.max(1, services.length) : 0;
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
  const judged = services.flatMap((service) => {
    const verdict = verdicts.get(service);
    return verdict === undefined ? [] : [{ service, verdict }];
  });
  return { judged, left };
}

export interface NotCompared {
  readonly service: Service;
  readonly reason: string;
}

export function notComparedInWords(notCompared: readonly NotCompared[]): readonly string[] {
  return [...Map.groupBy(notCompared, ({ reason }) => reason)].map(
    ([reason, held]) =>
      `the sweep could not compare ${held.map(({ service }) => nameOf(service)).join(', ')}: ${reason}`,
  );
}

export function leftInWords(left: readonly Service[], of: number): readonly string[] {
  if (left.length === 0) return [];
  return [
    `the sweep ran out of time after ${of - left.length} of ${of} Services; the next one begins with others`,
  ];
}

function nameOf({ metadata }: Service): string {
  return `${metadata.namespace}/${metadata.name}`;
}
