import { expect } from 'vitest';
import type { Cases } from '../cases.ts';
import { at } from '../json-path.ts';
import type { KubeReply, KubeSession } from './kube-session.ts';

export type KubeCases = Cases<KubeSession>;

/** A refusal of the API machinery: code and reason of the Status body. */
export function expectStatus(reply: KubeReply, code: number, reason: string): void {
  const { kind, status, reason: given, code: inside } = (reply.body ?? {}) as Record<string, unknown>;
  const seen = { code: reply.status, inside, kind, status, reason: given };
  expect(seen).toEqual({ code, inside: code, kind: 'Status', status: 'Failure', reason });
}

export const version = (reply: KubeReply): unknown => at(reply.body, 'metadata.resourceVersion');
