import { attr } from './attribute-row.ts';

/** Stands for the certificate in plans, which never hold it. The Secret of this name is read when the step runs. */
export interface StoredPayload {
  readonly $secret: string;
  readonly fingerprint: string;
}

/** A certificate from a Secret of the cluster, stored in Barbican as PKCS #12. */
export const SECRET = {
  name: attr<string>({ change: 'at-create' }),
  mode: attr<string>({ change: 'at-create' }),
  secret_type: attr<'opaque'>({ change: 'at-create' }),
  payload: attr<StoredPayload>({ change: 'at-create' }),
};
