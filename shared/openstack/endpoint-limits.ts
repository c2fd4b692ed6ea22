import type { Credentials } from '../config/config.ts';
import { BoundedMap } from '../memory/bounded-map.ts';
import { EndpointLimit, type Asked, type Time } from './endpoint-limit.ts';
import type { Answer } from './retry-after.ts';

/** More than a process talks to at a time: five of each cloud, for each account. What was asked longest ago goes. */
const ENDPOINTS = 50_000;

/** The requests of a process to one service of OpenStack, wherever its endpoints are. */
export interface EndpointLoad {
  /** How many may be on their way at once. */
  readonly limit: number;
  readonly inFlight: number;
  readonly waiting: number;
}

/** The limits of all endpoints that a process talks to. Connections with one account share them. */
export class EndpointLimits<A extends Answer> {
  readonly #time: Time;
  readonly #limits = new BoundedMap<string, EndpointLimit<A>>(ENDPOINTS);

  constructor(time: Time) {
    this.#time = time;
  }

  /**
   * That of a service at one address for one account: services behind one proxy have one each, and what an endpoint refuses
   * to one account, as for the rate of its project, it may answer to another one.
   */
  of({ service, url }: Asked, account: string): EndpointLimit<A> {
    const key = `${service} ${URL.parse(url)?.origin ?? url} ${account}`;
    const known = this.#limits.get(key) ?? new EndpointLimit<A>(this.#time);
    this.#limits.set(key, known);
    return known;
  }

  /** By service, such as `octavia`. */
  loads(): ReadonlyMap<string, EndpointLoad> {
    const loads = new Map<string, EndpointLoad>();
    for (const [key, { limit, inFlight, waiting }] of this.#limits) {
      const [service = ''] = key.split(' ');
      const sum = loads.get(service) ?? { limit: 0, inFlight: 0, waiting: 0 };
      loads.set(service, {
        limit: sum.limit + limit,
        inFlight: sum.inFlight + inFlight,
        waiting: sum.waiting + waiting,
      });
    }
    return loads;
  }
}

/** Whose credentials they are, without the secret. */
export function accountOf(credentials: Credentials): string {
  return JSON.stringify(credentials, (key, value: unknown) =>
    key === 'password' || key === 'secret' ? undefined : value,
  );
}
