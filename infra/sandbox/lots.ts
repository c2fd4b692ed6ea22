import { randomBytes, randomUUID } from 'node:crypto';

/** Where ids and what else is drawn by lot come from. */
export interface Lots {
  id(): string;
  bytes(size: number): Buffer;
}

export const randomLots: Lots = { id: () => randomUUID(), bytes: (size) => randomBytes(size) };

/** The same in every world that does the same, and each once. */
export function countedLots(): Lots {
  let drawn = 0;
  const next = (): number => (drawn += 1);
  return {
    id: () => `cccccccc-0000-4000-8000-${String(next()).padStart(12, '0')}`,
    bytes: (size) =>
      Buffer.from(
        next()
          .toString(16)
          .padStart(size * 2, '0'),
        'hex',
      ),
  };
}
