import { writeFileSync } from 'node:fs';
import { ERRORS, type ErrorCode } from '../shared/model/errors.ts';
import { ERROR_FACTS } from './error-facts.ts';
import { tableOf } from './markdown-table.ts';

const HEAD = `# Error codes

Codes are in the log (\`code\`), in the answer of \`POST /resync\` and in \`levelset_failures_total\`. The disposition says who acts:
**wait** nobody, **retry** nobody unless it lasts, **blocked** the owner of the object, **operator** whoever runs levelset, **bug** whoever
develops it. Codes that block count as blocked objects, and are not in \`levelset_failures_total\`.

`;

/** The whole document: docs/runbooks/error-codes.md. */
export function errorCodesPage(): string {
  const rows = (Object.keys(ERRORS) as ErrorCode[]).map((code) => {
    const { meaning, impact, see, mend, itself } = ERROR_FACTS[code];
    return [`\`${code}\``, ERRORS[code].disposition, meaning, impact, see, mend, itself];
  });
  const titles = [
    'code',
    'disposition',
    'what it means',
    'what it costs',
    'how to see it',
    'how to mend it',
    'by itself',
  ];
  return `${HEAD}${tableOf(titles, rows).join('\n')}\n`;
}

if (import.meta.main) writeFileSync(new URL('runbooks/error-codes.md', import.meta.url), errorCodesPage());
