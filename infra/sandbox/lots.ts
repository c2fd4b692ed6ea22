import { randomBytes, randomUUID } from 'node:crypto';

/** The source of ids and of everything else that is random. */
export interface Lots {
  id(): string;
  bytes(size: number): Buffer;
}

export const randomLots: Lots = { id: () => randomUUID(), bytes: (size) => randomBytes(size) };

/** Lots that are counted: worlds that do the same draw the same, and none is drawn twice. */
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
