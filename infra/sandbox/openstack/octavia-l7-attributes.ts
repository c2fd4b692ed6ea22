import * as rule from './octavia-attribute-rules.ts';
import type { AttributeRule } from './octavia-attribute-rules.ts';

const actions = ['REJECT', 'REDIRECT_TO_URL', 'REDIRECT_TO_POOL', 'REDIRECT_PREFIX'];
const types = [
  ...['HOST_NAME', 'PATH', 'FILE_TYPE', 'HEADER', 'COOKIE'],
  ...['SSL_CONN_HAS_CERT', 'SSL_VERIFY_RESULT', 'SSL_DN_FIELD'],
];
const compareTypes = ['REGEX', 'STARTS_WITH', 'ENDS_WITH', 'CONTAINS', 'EQUAL_TO'];
const oneLine: AttributeRule = { ...rule.text(null), pattern: /^[^\r\n]*$/ };

/** The last place there can be: a policy without a position goes to the end. */
export const lastPosition = 2147483647;

export const l7PolicyAttributes = {
  name: rule.text(''),
  description: rule.text(''),
  admin_state_up: rule.flag(true),
  ...rule.owner,
  action: rule.mandatory(rule.choice(...actions)),
  redirect_pool_id: rule.uuid,
  redirect_url: rule.url,
  redirect_prefix: rule.url,
  position: rule.number(lastPosition, 1, lastPosition),
  listener_id: rule.once(rule.mandatory(rule.uuid)),
  rules: rule.objects,
  tags: rule.tags,
  redirect_http_code: rule.choice(301, 302, 303, 307, 308),
};

export const l7RuleAttributes = {
  type: rule.mandatory(rule.choice(...types)),
  compare_type: rule.mandatory(rule.choice(...compareTypes)),
  key: oneLine,
  value: rule.mandatory(oneLine),
  invert: rule.flag(false),
  admin_state_up: rule.flag(true),
  ...rule.owner,
  tags: rule.tags,
};
