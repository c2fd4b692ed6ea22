/** rules.yaml as data. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';

export interface RecordingRule {
  readonly record: string;
  readonly expr: string;
}

export interface AlertRule {
  readonly alert: string;
  readonly expr: string;
  readonly for: string;
  readonly labels: { readonly severity: string };
  readonly annotations: {
    readonly summary: string;
    readonly description: string;
    readonly runbook_url: string;
  };
}

interface RuleFile {
  readonly groups: readonly {
    readonly name: string;
    readonly rules: readonly (RecordingRule | AlertRule)[];
  }[];
}

export const RULES = join(import.meta.dirname, 'rules.yaml');

export function readRules(): {
  readonly recorded: readonly RecordingRule[];
  readonly alerts: readonly AlertRule[];
} {
  const { groups } = parse(readFileSync(RULES, 'utf8')) as RuleFile;
  const rules = groups.flatMap((group) => group.rules);
  return {
    recorded: rules.filter((rule) => 'record' in rule),
    alerts: rules.filter((rule) => 'alert' in rule),
  };
}
