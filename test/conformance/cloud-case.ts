import { expect } from 'vitest';
import type { Cases } from './cases.ts';
import type { CloudSession, Reply } from './cloud-session.ts';
import { at, listAt, textAt } from './json-path.ts';

export type CloudCases = Cases<CloudSession>;
export type Body = Record<string, unknown>;

export function expectFault(reply: Reply, status: number, text: string | RegExp): void {
  const fault = at(reply.body, 'faultstring');
  expect(reply.status, String(fault)).toBe(status);
  if (typeof text === 'string') expect(fault).toBe(text);
  else expect(fault).toMatch(text);
  expect(at(reply.body, 'faultcode')).toBe(status < 500 ? 'Client' : 'Server');
}

/** Expects that a create with this body is refused with this text; `always` is the rest of the body. */
export const refusing =
  (post: (body: Body) => Promise<Reply>, always: Body = {}) =>
  async (body: Body, text: string | RegExp): Promise<void> => {
    expectFault(await post({ ...always, ...body }), 400, text);
  };

/** What the table of releases says of an answer: its status, and in backquotes a part of the fault, without which it has `otherwise`. */
export function expectMeasured({ status, body }: Reply, row: string, otherwise = ''): void {
  const fault = String(at(body, 'faultstring'));
  expect(status, fault).toBe(parseInt(row));
  const [, words = otherwise] = row.split('`');
  expect(fault).toContain(words);
}

export function expectNeutron(reply: Reply, status: number, type: string): void {
  expect({ status: reply.status, type: at(reply.body, 'NeutronError.type') }).toEqual({ status, type });
}

/** VIP ports whose load balancer does not exist: a refused create left them behind. */
export async function orphans(cloud: CloudSession): Promise<string[]> {
  const ports = listAt((await cloud.neutron('GET', 'ports?device_owner=Octavia')).body, 'ports');
  const found: string[] = [];
  for (const port of ports) {
    const lb = await cloud.octavia('GET', `loadbalancers/${textAt(port, 'device_id').replace('lb-', '')}`);
    if (lb.status === 404) found.push(textAt(port, 'id'));
  }
  return found.sort();
}
