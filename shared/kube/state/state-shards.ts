import { createHash } from 'node:crypto';
import type { UnitState } from '../../model/state.ts';

export const STATE_LABEL = { 'levelset.openstack.org/state': 'watermarks' } as const;

const SHARDS = 8;

/** The ConfigMap of a unit. The number of shards is part of what is stored: another one loses every watermark once. */
export function shardOf(unit: string): string {
  return `levelset-state-${createHash('sha256').update(unit).digest().readUInt32BE() % SHARDS}`;
}

/** A ConfigMap's key allows [-._a-zA-Z0-9]: any other character, and `_` itself, becomes `_` and its UTF-8 in hex. */
export function toDataKey(unit: string): string {
  return unit.replace(/[^-.a-zA-Z0-9]+/gu, (text) =>
    Buffer.from(text)
      .toString('hex')
      .replace(/../g, (byte) => `_${byte}`),
  );
}

export function fromDataKey(key: string): string {
  return key.replace(/(?:_[0-9a-f]{2})+/g, (text) =>
    Buffer.from(text.replaceAll('_', ''), 'hex').toString('utf8'),
  );
}

/** Undefined for what is no UnitState. */
export function parseState(text: string): UnitState | undefined {
  try {
    const state = JSON.parse(text) as Partial<Record<keyof UnitState, unknown>> | null;
    const { hash, updated_at, rejected, awaitingApproval } = state ?? {};
    const isState =
      typeof hash === 'string' &&
      (typeof updated_at === 'string' || updated_at === null) &&
      (typeof rejected === 'string' || rejected === undefined) &&
      (typeof awaitingApproval === 'number' || awaitingApproval === undefined);
    return isState ? (state as UnitState) : undefined;
  } catch {
    return undefined;
  }
}
