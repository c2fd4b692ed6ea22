import type { Ref } from '../address.ts';

/** A redirect to another scheme and host; path and query stay (Octavia API, L7 policies). */
export interface L7Policy {
  name: string;
  action: 'REDIRECT_PREFIX';
  redirect_prefix: string;
  redirect_http_code: number;
  position: number;
  admin_state_up: boolean;
  listener_id: string | Ref;
  tags: readonly string[];
}

/** Which requests a policy is about. */
export interface L7Rule {
  type: 'PATH';
  compare_type: 'STARTS_WITH';
  value: string;
  admin_state_up: boolean;
}

/** `l7rule/tcp/80/redirect` is a rule of `l7policy/tcp/80/redirect`. */
export function policyAddressOf(rule: string): string {
  return `l7policy/${rule.slice('l7rule/'.length)}`;
}
