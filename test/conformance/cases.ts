import { afterAll, afterEach, beforeAll, describe, it } from 'vitest';

type Run<Session> = (session: Session) => Promise<void>;

/** Promises of an API by their names, each with what arranges, acts and asserts; `sandboxOnly` says why a real one cannot show it. */
export type Cases<Session> = Readonly<
  Record<string, Run<Session> | { readonly sandboxOnly: string; readonly run: Run<Session> }>
>;

export type Groups<Session> = Readonly<Record<string, Cases<Session>>>;

/** One user's view of an API, who cleans up after each case. */
interface Cleaning {
  cleanUp(): Promise<void>;
  end?(): Promise<void>;
}

export function suiteOf<Session extends Cleaning>(
  [name, real, timeout]: readonly [name: string, real: boolean, timeout: number],
  groups: Groups<Session>,
  open: () => Promise<Session>,
): void {
  describe(name, { timeout }, () => {
    let session: Session;
    beforeAll(async () => {
      session = await open();
    });
    afterEach(() => session.cleanUp(), timeout);
    afterAll(() => session.end?.());
    for (const [group, cases] of Object.entries(groups))
      describe(group, () => {
        for (const [title, one] of Object.entries(cases))
          it.skipIf(real && 'sandboxOnly' in one)(title, () => ('run' in one ? one.run : one)(session));
      });
  });
}
