import { writeFileSync } from 'node:fs';
import { ERRORS, type ErrorCode } from '../shared/model/errors.ts';
import { ERROR_FACTS } from './error-facts.ts';

const HEAD = `# Error codes

Look up the code of the log (\`code\`), of the answer of \`POST /resync\` or of \`levelset_failures_total\`: what it costs, how to see and to mend
it, and what levelset does by itself. The disposition says who acts: **wait** nobody, **retry** nobody unless it lasts, **blocked** the owner of
the object, **operator** whoever runs levelset, **bug** whoever develops it. Codes that block are not in \`levelset_failures_total\`: their
objects count as blocked. [Reasons and HTTP statuses](../reference/error-codes.md).
`;

/** The whole document: docs/runbooks/error-codes.md. */
export function errorCodesPage(): string {
  const sections = (Object.keys(ERRORS) as ErrorCode[]).map((code) => {
    const { meaning, impact, see, mend, itself } = ERROR_FACTS[code];
    return `
## ${code}

**${ERRORS[code].disposition}**: ${meaning}.

- costs: ${impact}
- to see it: ${see}
- to mend it: ${mend}
- levelset by itself: ${itself}
`;
  });
  return `${HEAD}${sections.join('')}`;
}

if (import.meta.main) writeFileSync(new URL('runbooks/error-codes.md', import.meta.url), errorCodesPage());
