import type { Lots } from '../../../infra/sandbox/lots.ts';

/** What an id of the nth cluster begins with. */
export const prefixOf = (cluster: number): string => (0xa0000000 + cluster).toString(16);

/** So many ids are drawn by nobody, since a copy has those of what it was copied from. */
const OF_COPIES = 1_000_000;

/** Lots of one cluster. Two that draw as often have the same ids but for their prefixes. */
export class CopiedLots implements Lots {
  readonly #prefix: string;
  #drawn = 0;

  constructor(cluster: number) {
    this.#prefix = prefixOf(cluster);
  }

  id(): string {
    return `${this.#prefix}-0000-4000-8000-${String(this.#next()).padStart(12, '0')}`;
  }

  bytes(size: number): Buffer {
    const hex = this.#next().toString(16);
    const prefix = size < 16 ? '' : this.#prefix;
    return Buffer.from(prefix + hex.padStart(size * 2 - prefix.length, '0'), 'hex');
  }

  skip(): void {
    this.#drawn = OF_COPIES;
  }

  #next(): number {
    return (this.#drawn += 1);
  }
}
