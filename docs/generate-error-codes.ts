import { writeFileSync } from 'node:fs';
import { ERRORS, type ErrorCode } from '../shared/model/errors.ts';
import { BY_ITSELF, ERROR_FACTS } from './error-facts.ts';

const HEAD = `# Error codes

Look up the code of the log (\`code\`), of the answer of \`POST /resync\` or of \`levelset_failures_total\`: what it costs, how to see and to mend
it, and what levelset does by itself. Each section begins with the disposition, and the HTTP status of a dry run:

| disposition | who acts                          | levelset by itself                                         |
| ----------- | --------------------------------- | ---------------------------------------------------------- |
| wait        | nobody                            | looks again soon                                           |
| retry       | nobody, unless it lasts           | ${BY_ITSELF.retry}                                     |
| blocked     | the owner of the object           | ${BY_ITSELF.blocked}      |
| operator    | whoever runs levelset or the cloud | ${BY_ITSELF.operator} |
| bug         | whoever develops levelset or the API: report it | ${BY_ITSELF.bug}                                     |

Where a section says no more, the log shows it, and there is nothing to mend. The Service's condition and its Event end in advice. Their reason
is \`EnsuringLoadBalancer\` for wait, \`LoadBalancerBlocked\` for blocked (its Event has \`SyncLoadBalancerFailed\`), else
\`SyncLoadBalancerFailed\`. Codes that block are not in \`levelset_failures_total\`: their objects
count as blocked.

Written by \`npm run generate\` from \`shared/model/errors.ts\` and \`docs/error-facts.ts\`.
`;

/** The whole document: docs/runbooks/error-codes.md. */
export function errorCodesPage(): string {
  const sections = (Object.keys(ERRORS) as ErrorCode[]).map((code) => {
    const { disposition, status } = ERRORS[code];
    const { meaning, impact, see, mend, itself } = ERROR_FACTS[code];
    const facts = [
      `- costs: ${impact}`,
      see === 'the log' ? '' : `- to see it: ${see}`,
      mend === 'nothing' ? '' : `- to mend it: ${mend}`,
      itself === undefined ? '' : `- levelset by itself: ${itself}`,
    ];
    return `
## ${code}

**${disposition}**, ${status}: ${meaning}.

${facts.filter(Boolean).join('\n')}
`;
  });
  return `${HEAD}${sections.join('')}`;
}

if (import.meta.main) writeFileSync(new URL('runbooks/error-codes.md', import.meta.url), errorCodesPage());
