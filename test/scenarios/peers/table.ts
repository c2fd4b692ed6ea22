import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

/**
 * A case of a peer's own test: its name, what is given, and what the peer expects of it. Where levelset decides otherwise: the number of the
 * decision, and what levelset makes of it.
 */
export type Case<Given, Result> =
  | readonly [name: string, given: Given, peer: Result]
  | readonly [name: string, given: Given, peer: Result, decision: number, own: Result];

const DECISIONS = readFileSync(new URL('../../../docs/decisions.md', import.meta.url), 'utf8');

/** A table of cloud-provider-openstack, Kubernetes' cloud-provider or its controllers, with the same cases and values of our own. */
export function table<Given, Result>(
  name: string,
  make: (given: Given) => unknown,
  cases: readonly Case<Given, Result>[],
): void {
  describe(name, () => {
    it.each(cases.map((one) => [one[0], one] as const))(
      '%s',
      async (_name, [, given, peer, decision, own]) => {
        const made = await make(given);
        if (decision === undefined) {
          expect(made).toEqual(peer);
          return;
        }
        expect(made).toEqual(own);
        expect(made).not.toEqual(peer);
        expect(DECISIONS).toContain(`\n**${decision}. `);
      },
    );
  });
}
