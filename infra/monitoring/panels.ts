/** The panels of the dashboard, as a table: dashboard.json is made of it by npm run generate. */

export interface Query {
  readonly expr: string;
  /** What a line of the graph is called, with labels in {{}}. */
  readonly legend: string;
}

export interface Panel {
  readonly row: string;
  readonly title: string;
  /** What it answers, in words. */
  readonly description: string;
  readonly kind: 'stat' | 'timeseries' | 'table';
  readonly unit: 'short' | 's' | 'reqps' | 'percentunit' | 'ops';
  /** Of 24 columns. */
  readonly width: number;
  /** From which value on it is orange, and red. */
  readonly limits?: readonly [orange: number, red: number];
  readonly queries: readonly Query[];
}

const its = (metric: string, matchers = ''): string =>
  `${metric}{cluster=~"$cluster"${matchers === '' ? '' : `, ${matchers}`}}`;
const one = (expr: string, legend = ''): readonly Query[] => [{ expr, legend }];

// prettier-ignore
export const PANELS: readonly Panel[] = [
  { row: 'Is it well?', title: 'Oldest object that levelset works on', kind: 'stat', unit: 's', width: 6, limits: [300, 1_800],
    description: 'Services, Nodes and routes that progress or failed: for how long the oldest of them has not been as desired.',
    queries: one(`max(${its('levelset_unsettled_oldest_seconds', 'state=~"failed|progressing"')})`) },
  { row: 'Is it well?', title: 'Objects that failed', kind: 'stat', unit: 'short', width: 4, limits: [1, 5],
    description: 'Objects whose last run failed.',
    queries: one(`sum(${its('levelset_unsettled_objects', 'state="failed"')})`) },
  { row: 'Is it well?', title: 'Objects that their owner must correct', kind: 'stat', unit: 'short', width: 5, limits: [1, 1_000],
    description: 'Objects that levelset leaves alone until somebody changes them.',
    queries: one(`sum(${its('levelset_unsettled_objects', 'state="blocked"')})`) },
  { row: 'Is it well?', title: 'Last sweep that succeeded', kind: 'stat', unit: 's', width: 4, limits: [900, 1_500],
    description: 'Its age, of the cluster where it is oldest.',
    queries: one(`max(time() - max by (namespace, job, cluster) (${its('levelset_sweep_last_timestamp_seconds')}))`) },
  { row: 'Is it well?', title: 'Services with an address in five minutes, 30 days', kind: 'stat', unit: 'percentunit', width: 5,
    description: 'The objective is 99 %.',
    queries: one('1 - max(levelset:addresses_late:ratio_rate30d)') },
  { row: 'Services', title: 'Time to address', kind: 'timeseries', unit: 's', width: 12, limits: [120, 300],
    description: 'From the first run of a Service until its address is published. Of all clusters of the process.',
    queries: [{ expr: 'histogram_quantile(0.5, sum by (le) (rate(levelset_service_address_seconds_bucket[1h])))', legend: 'half of them' },
      { expr: 'histogram_quantile(0.95, sum by (le) (rate(levelset_service_address_seconds_bucket[1h])))', legend: '95 %' }] },
  { row: 'Services', title: 'Not as desired', kind: 'timeseries', unit: 'short', width: 6,
    description: 'Objects by how their last run ended.',
    queries: one(`sum by (state) (${its('levelset_unsettled_objects')})`, '{{state}}') },
  { row: 'Services', title: 'Load balancers by state', kind: 'timeseries', unit: 'short', width: 6,
    description: 'As the last sweep saw them.',
    queries: one(`sum by (state) (${its('levelset_load_balancers')})`, '{{state}}') },
  { row: 'Work', title: 'Runs', kind: 'timeseries', unit: 'ops', width: 8,
    description: 'Runs a second, by how they ended.',
    queries: one(`sum by (object, outcome) (rate(${its('levelset_reconcile_total')}[$__rate_interval]))`, '{{object}} {{outcome}}') },
  { row: 'Work', title: 'Duration of runs, 95 %', kind: 'timeseries', unit: 's', width: 8,
    description: 'Of all clusters of the process.',
    queries: one('histogram_quantile(0.95, sum by (le, object) (rate(levelset_reconcile_duration_seconds_bucket[$__rate_interval])))', '{{object}}') },
  { row: 'Work', title: 'Queue', kind: 'timeseries', unit: 'short', width: 8,
    description: 'Keys that wait, and for how many seconds the oldest of them has.',
    queries: [{ expr: `sum(${its('levelset_queue_depth')})`, legend: 'keys' },
      { expr: `max(${its('levelset_queue_oldest_seconds')})`, legend: 'oldest, s' }] },
  { row: 'Work', title: 'Failures by code', kind: 'timeseries', unit: 'short', width: 12,
    description: 'Within a quarter of an hour. docs/runbooks/error-codes.md has what each means.',
    queries: one(`sum by (code) (${its('levelset:failures:increase15m')}) > 0`, '{{code}}') },
  { row: 'Work', title: 'Drift and deletions held back', kind: 'timeseries', unit: 'short', width: 12,
    description: 'Changes of somebody else within an hour, and deletions that the budget refused within half an hour.',
    queries: [{ expr: `sum by (kind, result) (${its('levelset:drift:increase1h')})`, legend: '{{kind}} {{result}}' },
      { expr: `sum by (object) (rate(${its('levelset_deletions_total')}[$__rate_interval]))`, legend: 'deletions of {{object}}' }] },
  { row: 'Events and sweeps', title: 'Events', kind: 'timeseries', unit: 'ops', width: 8,
    description: 'Events of the webhook a second, and requests that were refused.',
    queries: [{ expr: `sum by (result) (rate(${its('levelset_audit_events_total')}[$__rate_interval]))`, legend: '{{result}}' },
      { expr: `sum by (reason) (rate(${its('levelset_audit_refusals_total')}[$__rate_interval]))`, legend: 'refused: {{reason}}' }] },
  { row: 'Events and sweeps', title: 'Last batch of events', kind: 'timeseries', unit: 's', width: 8,
    description: 'Its age. A cluster where nothing changes sends none.',
    queries: one(`time() - max by (cluster) (${its('levelset_audit_last_batch_timestamp_seconds')})`, '{{cluster}}') },
  { row: 'Events and sweeps', title: 'Watches', kind: 'timeseries', unit: 'short', width: 8,
    description: '1 while the changes of a collection come.',
    queries: one(`min by (collection) (${its('levelset_watch_up')})`, '{{collection}}') },
  { row: 'APIs', title: 'Requests to OpenStack', kind: 'timeseries', unit: 'reqps', width: 8,
    description: 'By service and status.',
    queries: one(`sum by (service, status) (rate(${its('levelset_openstack_requests_total')}[$__rate_interval]))`, '{{service}} {{status}}') },
  { row: 'APIs', title: 'Duration of requests to OpenStack, 95 %', kind: 'timeseries', unit: 's', width: 8,
    description: 'Of all clusters of the process.',
    queries: one('histogram_quantile(0.95, sum by (le, service) (rate(levelset_openstack_request_duration_seconds_bucket[$__rate_interval])))', '{{service}}') },
  { row: 'APIs', title: 'Requests to the kube-apiserver', kind: 'timeseries', unit: 'reqps', width: 8,
    description: 'By method and status.',
    queries: one(`sum by (method, status) (rate(${its('levelset_kube_requests_total')}[$__rate_interval]))`, '{{method}} {{status}}') },
  { row: 'APIs', title: 'Certificates that end next', kind: 'table', unit: 's', width: 12,
    description: 'Seconds until their end.',
    queries: one(`sort(${its('levelset_certificate_not_after_seconds')} - time())`) },
  { row: 'Clusters', title: 'Clusters that are served', kind: 'timeseries', unit: 'short', width: 12,
    description: 'With --clusters only.',
    queries: one(`count(${its('levelset_cluster_served')} == 1)`, 'served') },
];
