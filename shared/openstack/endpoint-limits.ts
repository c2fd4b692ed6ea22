import { EndpointLimit, type Asked, type Time } from './endpoint-limit.ts';
import type { Answer } from './retry-after.ts';

/** The limits of all endpoints that a process talks to. Who shares a process shares them. */
export class EndpointLimits<A extends Answer> {
  readonly #time: Time;
  readonly #limits = new Map<string, EndpointLimit<A>>();

  constructor(time: Time) {
    this.#time = time;
  }

  /** That of a service at one address: services behind one proxy have one each. */
  of({ service, url }: Asked): EndpointLimit<A> {
    const key = `${service} ${new URL(url).origin}`;
    const known = this.#limits.get(key) ?? new EndpointLimit<A>(this.#time);
    this.#limits.set(key, known);
    return known;
  }
}
