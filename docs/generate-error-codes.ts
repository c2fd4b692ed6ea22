import { writeFileSync } from 'node:fs';
import { ERRORS, type ErrorCode } from '../shared/model/errors.ts';
import { ERROR_FACTS } from './error-facts.ts';

const HEAD = `# Error codes

Codes are in the log (\`code\`), in the answer of \`POST /resync\` and in \`levelset_failures_total\`. The disposition says who acts:
**wait** nobody, **retry** nobody unless it lasts, **blocked** the owner of the object, **operator** whoever runs levelset, **bug** whoever
develops it. Codes that block count as blocked objects, and are not in \`levelset_failures_total\`. Reasons, HTTP statuses and advice:
[reference](../reference/error-codes.md).
`;

/** The whole document: docs/runbooks/error-codes.md. */
export function errorCodesPage(): string {
  const sections = (Object.keys(ERRORS) as ErrorCode[]).map((code) => {
    const { meaning, impact, see, mend, itself } = ERROR_FACTS[code];
    return `
## ${code}

**${ERRORS[code].disposition}**: ${meaning}.

- What it costs: ${impact}
- How to see it: ${see}
- How to mend it: ${mend}
- What levelset does by itself: ${itself}
`;
  });
  return `${HEAD}${sections.join('')}`;
}

if (import.meta.main) writeFileSync(new URL('runbooks/error-codes.md', import.meta.url), errorCodesPage());
