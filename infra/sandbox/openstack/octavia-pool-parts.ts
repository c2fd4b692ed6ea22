import * as rule from './octavia-attribute-rules.ts';

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'TRACE', 'OPTIONS', 'CONNECT', 'PATCH'];
const types = ['HTTP', 'HTTPS', 'PING', 'TCP', 'TLS-HELLO', 'UDP-CONNECT', 'SCTP'];
const domainName = /^(?=.{1,253}\.?$)(?:(?!-|[^.]+_)[A-Za-z0-9-_]{1,63}(?<!-)(?:\.|$))+$/;

/** What hangs below a pool: members and its monitor. */
export const memberAttributes = {
  name: rule.text(''),
  admin_state_up: rule.flag(true),
  address: rule.once(rule.mandatory(rule.address)),
  protocol_port: rule.once(rule.mandatory(rule.port)),
  weight: rule.number(1, 0, 256),
  backup: rule.flag(false),
  subnet_id: rule.once(rule.uuid),
  ...rule.owner,
  monitor_port: rule.port,
  monitor_address: rule.address,
  tags: rule.keptTags,
};

export const healthMonitorAttributes = {
  name: rule.text(''),
  type: rule.once(rule.mandatory(rule.choice(...types))),
  delay: rule.mandatory(rule.number(null, 0)),
  timeout: rule.mandatory(rule.number(null, 0)),
  max_retries_down: rule.number(3, 1, 10),
  max_retries: rule.mandatory(rule.number(null, 1, 10)),
  http_method: { ...rule.choice(...methods), cleared: 'GET' },
  url_path: { ...rule.urlPath, cleared: '/' },
  expected_codes: {
    ...rule.text(null, Infinity),
    pattern: /^(\d{3}(\s*,\s*\d{3})*)$|^(\d{3}-\d{3})$/,
    cleared: '200',
  },
  admin_state_up: rule.flag(true),
  ...rule.owner,
  pool_id: rule.once(rule.mandatory(rule.uuid)),
  tags: rule.keptTags,
  http_version: { ...rule.choice(1.0, 1.1), decimal: true },
  domain_name: { ...rule.text(null), least: 1, pattern: domainName },
};
