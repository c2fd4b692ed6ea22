import type { Credentials } from '../../config/config.ts';

/** The body of POST /v3/auth/tokens (Identity API v3, "Password" and "Application credential" authentication). */
export function authBody(credentials: Credentials): unknown {
  if (credentials.type === 'password') {
    const user = { ...credentials.user, password: credentials.password };
    return {
      auth: {
        identity: { methods: ['password'], password: { user } },
        scope: { project: credentials.project },
      },
    };
  }
  const { id, name, user, secret } = credentials;
  // An id needs no user; the scope is the credential's own and must not be sent.
  const named = id === undefined ? { name, user } : { id };
  return {
    auth: {
      identity: { methods: ['application_credential'], application_credential: { ...named, secret } },
    },
  };
}

/** The one value in the credentials that nobody may read. */
export function secretOf(credentials: Credentials): string {
  return credentials.type === 'password' ? credentials.password : credentials.secret;
}
