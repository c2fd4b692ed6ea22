/**
 * The one idea of "now" both simulators share. Tests move it instead of waiting: the Date header, lease and
 * token times and the end of every PENDING_* follow it.
 */
export class SandboxClock {
  private offsetMs = 0;

  millis(): number {
    return Date.now() + this.offsetMs;
  }

  now(): Date {
    return new Date(this.millis());
  }

  advance(ms: number): void {
    this.offsetMs += ms;
  }

  /** UTC with whole seconds and a Z, as Kubernetes and Neutron write times. */
  seconds(): string {
    return `${this.now().toISOString().slice(0, 19)}Z`;
  }

  /** UTC with six decimals, as Keystone tokens and Kubernetes MicroTime carry it. */
  micros(): string {
    return this.now().toISOString().replace('Z', '000Z');
  }
}
