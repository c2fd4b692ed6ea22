import { describe, it } from 'vitest';

type Run<Session> = (session: Session) => Promise<void>;

/** Promises of an API by their names, each with what arranges, acts and asserts; `sandboxOnly` says why a real one cannot show it. */
export type Cases<Session> = Readonly<
  Record<string, Run<Session> | { readonly sandboxOnly: string; readonly run: Run<Session> }>
>;

/** Cases by what they are about. */
export type Groups<Session> = Readonly<Record<string, Cases<Session>>>;

export function testGroups<Session>(groups: Groups<Session>, session: () => Session, real: boolean): void {
  for (const [group, cases] of Object.entries(groups))
    describe(group, () => {
      for (const [name, one] of Object.entries(cases))
        it.skipIf(real && 'sandboxOnly' in one)(name, () => ('run' in one ? one.run : one)(session()));
    });
}
