/** Barbican's objects as the simulator keeps them. The reference of a secret is made from its id when it is shown. */
export interface Acl {
  'project-access': boolean;
  users: string[];
  readonly created: string;
  updated: string;
}

interface BarbicanObject {
  readonly id: string;
  readonly project_id: string;
  readonly creator_id: string;
  readonly created: string;
  updated: string;
  readonly name: string;
  acl: Acl | undefined;
}

export interface Secret extends BarbicanObject {
  readonly secret_type: string;
  readonly expiration: string | null;
  content_type: string | null;
  readonly algorithm: string | null;
  readonly bit_length: number | null;
  readonly mode: string | null;
  payload: Buffer | null;
}

export interface SecretContainer extends BarbicanObject {
  readonly type: string;
  readonly container_ref: string;
  secret_refs: { readonly name: string; readonly secret_ref: string }[];
}
