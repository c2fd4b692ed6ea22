/** From the last change to the look at all that came together. */
const QUIET_MS = 2_000;
/** From the first one. */
const LONGEST_MS = 15_000;

/** Changes that come one after another, such as those of Nodes, are one look, soon after the last of them and in time after the first. */
export class Window {
  readonly #look: () => unknown;
  #timer: NodeJS.Timeout | undefined;
  #endsMs = 0;

  constructor(look: () => unknown) {
    this.#look = look;
  }

  get isOpen(): boolean {
    return this.#timer !== undefined;
  }

  touch(): void {
    const now = performance.now();
    if (!this.#timer) this.#endsMs = now + LONGEST_MS;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(
      () => {
        this.#timer = undefined;
        this.#look();
      },
      Math.min(QUIET_MS, this.#endsMs - now),
    ).unref();
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }
}
