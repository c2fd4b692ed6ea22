import { ERRORS, type Disposition } from '../../shared/model/errors.ts';
import { tableOf } from '../markdown-table.ts';

const HEAD = `# Error codes

Every way in which OpenStack, Kubernetes or the configuration can fail a run. The log has the code, the Service's condition and its Event have
the reason, and their message ends in advice. A dry run of \`POST /resync\` answers with the HTTP status. Each code leads to its
[runbook](../runbooks/error-codes.md): what it means, what it costs, and how to see and to mend it.

Written by \`npm run generate\` from \`shared/model/errors.ts\`.
`;

const MEANS: Readonly<Record<Disposition, string>> = {
  wait: 'nothing is wrong; levelset looks again soon',
  retry: 'levelset tries again, later each time, up to 30 s',
  blocked: 'the object must change; levelset looks when it does, and at each sweep',
  operator: 'whoever runs levelset or the cloud must act; levelset looks again within 5 minutes',
  bug: 'levelset or an API broke a promise: report it',
};

/** The whole page. */
export function errorCodesPage(): string {
  const rows = Object.entries(ERRORS).map(([code, { disposition, reason, status }]) => [
    `[\`${code}\`](../runbooks/error-codes.md#${code.toLowerCase()})`,
    disposition,
    `\`${reason}\``,
    String(status),
  ]);
  const dispositions = Object.entries(MEANS).map(([name, means]) => [name, means]);
  return [
    HEAD,
    ...tableOf(['code', 'disposition', 'reason', 'HTTP'], rows),
    '\n## Dispositions\n',
    ...tableOf(['disposition', 'means'], dispositions),
    '',
  ].join('\n');
}
