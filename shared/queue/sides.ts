import type { Side } from './side.ts';

/** The sides of one cluster. A run needs both. */
export class Sides {
  readonly #kube: Side;
  readonly #cloud: Side;

  constructor(kube: Side, cloud: Side) {
    this.#kube = kube;
    this.#cloud = cloud;
  }

  /** Why no run begins; undefined while runs do. */
  get trouble(): string | undefined {
    return this.#resting?.trouble;
  }

  /** A run may end for want of an answer. */
  get isDoubtful(): boolean {
    return this.#kube.isDoubtful || this.#cloud.isDoubtful;
  }

  get mayBegin(): boolean {
    return this.#resting?.mayBegin ?? true;
  }

  /** A run begins. Returns what notes its end. */
  begin(): () => void {
    const resting = this.#resting;
    const met = [this.#kube, this.#cloud].filter((side) => side === resting || !side.rests);
    const ends = met.map((side) => side.begin());
    return () => {
      for (const end of ends) end();
    };
  }

  /** As `Side.follow`, of either. */
  follow(changed: () => void): () => void {
    const ends = [this.#kube, this.#cloud].map((side) => side.follow(changed));
    return () => {
      for (const end of ends) end();
    };
  }

  /** Resolves when a run may begin, or when who waits stops. */
  async untilMayBegin(stopping: AbortSignal): Promise<void> {
    while (!this.mayBegin && !stopping.aborted) {
      const { promise, resolve } = Promise.withResolvers<undefined>();
      const goOn = (): void => {
        resolve(undefined);
      };
      const end = this.follow(goOn);
      stopping.addEventListener('abort', goOn);
      await promise;
      stopping.removeEventListener('abort', goOn);
      end();
    }
  }

  /** A kube-apiserver that hangs is looked at first, and keeps no other cluster from looking at OpenStack. */
  get #resting(): Side | undefined {
    return [this.#kube, this.#cloud].find(({ rests }) => rests);
  }
}
