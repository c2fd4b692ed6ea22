import { Registry } from 'prom-client';
import { MEASURED } from '../../functions/measured.ts';
import { createMetrics, createMetricsByCluster } from '../../functions/metrics.ts';
import { tableOf } from '../markdown-table.ts';

const HEAD = `# Metrics

\`GET /metrics\` has them in Prometheus' format, beside those of Node (\`process_*\`, \`nodejs_*\`). On AWS they go into the log, and from there to
CloudWatch ([infra/aws](../../infra/aws/README.md#log-and-metrics)). No label has the name of an object, but for certificates.

With \`serve --clusters\` all but histograms have the label \`cluster\` too.

Written by \`npm run generate\` from \`functions/measured.ts\` and \`functions/metrics.ts\`.
`;

/** What a metric of prom-client says about itself; its types leave the labels out. */
interface Described {
  readonly name: string;
  readonly help: string;
  readonly type: string;
  readonly labelNames?: readonly string[];
}

/** The whole page. */
export function metricsPage(): string {
  const serve = registered(createMetrics);
  const names = new Set(serve.map(({ name }) => name));
  const many = registered(createMetricsByCluster).filter(({ name }) => !names.has(name));
  const functions = Object.entries(MEASURED)
    .filter(([, described]) => 'isOfFunctions' in described)
    .map(([name, { kind, help, labels }]) => ({ name, type: kind, help, labelNames: [...labels] }));
  return [
    HEAD.trimEnd(),
    ...section('`levelset serve`', serve),
    ...section('`levelset serve --clusters` besides', many),
    ...section('The functions on AWS besides', functions),
    '',
  ].join('\n');
}

function registered(create: (register: Registry) => unknown): readonly Described[] {
  const register = new Registry();
  create(register);
  const all = register.getMetricsAsArray() as unknown as readonly Described[];
  return all
    .filter(({ name }) => name.startsWith('levelset_'))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

function section(title: string, metrics: readonly Described[]): readonly string[] {
  const rows = metrics.map(({ name, type, labelNames = [], help }) => [
    `\`${name}\``,
    type,
    labelNames.map((label) => `\`${label}\``).join(', '),
    help,
  ]);
  return [`\n## ${title}\n`, ...tableOf(['metric', 'kind', 'labels', 'what it is'], rows)];
}
