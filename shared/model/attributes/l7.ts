import type { Ref } from '../address.ts';
import { attr } from './attribute-row.ts';

/** A policy that redirects to another scheme and host; path and query stay (Octavia API, L7 policies). */
// prettier-ignore
export const L7_POLICY = {
  name: attr<string>({ change: 'at-create' }),
  action: attr<'REDIRECT_PREFIX'>({ change: 'in-place' }),
  redirect_prefix: attr<string>({ change: 'in-place' }),
  redirect_http_code: attr<number>({ change: 'in-place', capability: { since: 9 } }),
  position: attr<number>({ change: 'at-create' }),
  admin_state_up: attr<boolean>({ change: 'in-place' }),
  listener_id: attr<string | Ref>({ change: 'at-create' }),
  tags: attr<readonly string[]>({ change: 'at-create' }),
};

/** A condition on requests for which an L7 policy applies. */
// prettier-ignore
export const L7_RULE = {
  type: attr<'PATH'>({ change: 'in-place' }),
  compare_type: attr<'STARTS_WITH'>({ change: 'in-place' }),
  value: attr<string>({ change: 'in-place' }),
  admin_state_up: attr<boolean>({ change: 'in-place' }),
};
