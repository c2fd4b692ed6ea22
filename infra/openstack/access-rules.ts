import { writeFileSync } from 'node:fs';
import type { AccessRule } from '../sandbox/openstack/keystone/access-rules.ts';
import { CLOUD_RIGHTS } from './rights.ts';

/** What `openstack application credential create --access-rules` takes. */
export const ACCESS_RULES: readonly AccessRule[] = CLOUD_RIGHTS.filter(({ password }) => !password).map(
  ({ service, method, path }) => ({ service, method, path }),
);

/** access-rules.json, one rule a line. */
export function accessRulesFile(): string {
  const lines = ACCESS_RULES.map(
    ({ service, method, path }) => `  { "service": "${service}", "method": "${method}", "path": "${path}" }`,
  );
  return `[\n${lines.join(',\n')}\n]\n`;
}

if (import.meta.main) writeFileSync(new URL('access-rules.json', import.meta.url), accessRulesFile());
