import { isDeepStrictEqual } from 'node:util';
import type { Credentials } from '../../config/config.ts';
import { Answers } from '../../memory/answers.ts';
import { asReconcileError } from '../../model/errors.ts';
import type { Keystone } from './keystone.ts';
import { isRefusal } from './login-refusals.ts';

/** How often the files are read for other credentials while a login is refused. */
const READ_EVERY_MS = 10_000;

interface FollowCredentialsOptions {
  readonly credentials: Credentials;
  readonly readCredentials: () => Promise<Credentials | undefined>;
  readonly keystoneOf: (credentials: Credentials) => Keystone;
  readonly now: () => number;
}

/** The login with the credentials that their files have. Other ones that came while a login is refused are another login, tried at once. */
export function followCredentials({
  readCredentials,
  keystoneOf,
  now,
  ...first
}: FollowCredentialsOptions): Keystone {
  const readings = new Answers(1);
  let { credentials } = first;
  let keystone = keystoneOf(credentials);

  async function readAgain(): Promise<void> {
    const found = await readCredentials();
    if (found === undefined || isDeepStrictEqual(found, credentials)) return;
    credentials = found;
    keystone = keystoneOf(found);
  }

  async function ask<T>(call: (its: Keystone) => Promise<T>): Promise<T> {
    const asked = keystone;
    try {
      return await call(asked);
    } catch (error) {
      if (!isRefusal(asReconcileError(error))) throw error;
      await readings.read('credentials', { keepMs: READ_EVERY_MS, clock: { now } }, readAgain);
      if (keystone === asked) throw error;
      return call(keystone);
    }
  }

  return {
    token: (run) => ask((its) => its.token(run)),
    renew: (refused, run) => ask((its) => its.renew(refused, run)),
  };
}
