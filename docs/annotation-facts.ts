/** What other tables say about an annotation: its default, what its removal does, and which Octavia has it first. */
import { readCloudConf } from '../shared/config/cloud-conf/cloud-conf.ts';
import { OPTIONS } from '../shared/config/cloud-conf/options.ts';
import type { Config } from '../shared/config/config.ts';
import { camel } from '../shared/config/read-value.ts';
import { targetOf, type AnnotationRow } from '../shared/service/intent/annotations.ts';
import { attributeRule } from '../shared/model/attributes.ts';
import { attributeSince, CAPABILITIES } from '../shared/model/load-balancer/octavia.ts';

/** The value without configuration, and the option of cloud.conf that gives another. */
export function defaultOf({ otherwise }: AnnotationRow): string {
  if (!otherwise) return '';
  const read = new Set<string>();
  const defaults: Readonly<Record<string, unknown>> = readCloudConf('', '').loadBalancer;
  const loadBalancer = new Proxy(defaults, {
    get: (target, field) => {
      read.add(String(field));
      return target[String(field)];
    },
  });
  const value: unknown = otherwise({ loadBalancer } as unknown as Config);
  const options = Object.keys(OPTIONS.LoadBalancer).filter((key) => read.has(camel(key)));
  return [textOf(value), ...options.map((key) => `\`${key}\``)].filter((text) => text !== '').join(', ');
}

function textOf(value: unknown): string {
  if (value === undefined || (typeof value === 'object' && Object.keys(value ?? {}).length === 0)) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** What the removal of the annotation does to a load balancer that exists; empty: its default comes back, as with most. */
export function removalOf(row: AnnotationRow): string {
  const parts = targetOf(row);
  if (!parts) return '';
  const { change } = attributeRule(...parts);
  if (change === 'refuse' || parts[0] === 'floatingip') return 'stays, since it cannot change';
  if (change === 'at-create') return 'stays on what is there';
  if (change === 'recreate') return 'undone, by a new listener';
  // without the annotation the subnet follows from the VIP, and that moves no member (decision 11)
  if (change === 'new-pool' && row.refers === 'subnet') return 'stays on what is there';
  return change === 'new-pool' ? 'undone, by a new pool' : '';
}

/** The Octavia API that has it first, and whether the provider ovn has it at all. */
export function sinceOf(row: AnnotationRow): string {
  const target = targetOf(row);
  if (!target) return '';
  const [kind, attribute] = target;
  const since = attributeSince(kind, attribute);
  const notOvn = CAPABILITIES.some(
    (one) => one.kind === kind && one.attribute === attribute && !one.values && one.notOvn,
  );
  return [since > 0 ? `Octavia 2.${since}` : '', notOvn ? 'not ovn' : '']
    .filter((text) => text !== '')
    .join(', ');
}
