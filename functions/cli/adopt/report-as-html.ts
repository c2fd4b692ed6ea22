import { createHash } from 'node:crypto';
import { summarize, type Adoption, type AdoptionState } from './judge-plans.ts';

interface About {
  readonly clusterName: string;
  /** Milliseconds since 1970. */
  readonly atMs: number;
  readonly version: string;
  readonly incomplete: boolean;
}

/** Text on the ground, in light and in dark: every pair has a contrast of 4.5 or more (WCAG 2.2, 1.4.3). */
export const COLOURS = {
  light: {
    ground: '#ffffff',
    code: '#f0f2f5',
    text: '#1a1f27',
    quiet: '#525b69',
    line: '#767f8d',
    problem: '#b3261e',
    pending: '#8f4700',
    empty: '#1b6e3c',
  },
  dark: {
    ground: '#0f1216',
    code: '#1c2129',
    text: '#e4e8ee',
    quiet: '#a3adba',
    line: '#7b8594',
    problem: '#ff8a80',
    pending: '#ffb870',
    empty: '#7bd69b',
  },
} as const;

const variables = (colours: Readonly<Record<string, string>>): string =>
  Object.entries(colours)
    .map(([name, value]) => `--${name}: ${value};`)
    .join(' ');

const STYLE = `
:root { color-scheme: light dark; ${variables(COLOURS.light)} }
@media (prefers-color-scheme: dark) { :root { ${variables(COLOURS.dark)} } }
body { margin: 0 auto; max-width: 70rem; padding: 1rem; background: var(--ground); color: var(--text); font: 1rem/1.5 system-ui, sans-serif; }
table { width: 100%; border-collapse: collapse; }
caption { text-align: left; font-weight: 600; padding: .5rem 0; }
th, td { padding: .5rem; border-bottom: 1px solid var(--line); text-align: left; vertical-align: top; overflow-wrap: anywhere; }
tbody th { min-width: 14rem; } td { min-width: 9rem; }
ul { margin: 0 0 .4rem; padding-left: 1.1rem; }
pre { padding: .6rem; background: var(--code); white-space: pre-wrap; }
summary { cursor: pointer; padding: .3rem 0; }
summary:focus-visible { outline: 2px solid var(--text); outline-offset: 2px; }
.problem { color: var(--problem); } .pending { color: var(--pending); } .empty { color: var(--empty); }
footer { color: var(--quiet); margin-top: 1.5rem; }
@media (max-width: 40rem) { thead { display: none; } tr, th, td { display: block; min-width: 0; border-bottom: 0; } tr { border-bottom: 1px solid var(--line); } }
`;

const WORDS: Readonly<Record<AdoptionState, string>> = {
  problem: 'problem',
  pending: 'pending changes',
  empty: 'plans empty',
};

/** The report as one file that loads nothing, and runs no script. Every text of others is escaped. */
export function reportAsHtml(adoptions: readonly Adoption[], about: About): string {
  const { clusterName, atMs, version, incomplete } = about;
  const hash = createHash('sha256').update(STYLE).digest('base64');
  const title = `Moving the cluster ${clusterName} to levelset`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'sha256-${hash}'">
<title>${escaped(title)}</title>
<style>${STYLE}</style>
</head>
<body>
<header><h1>${escaped(title)}</h1></header>
<main>
<p><strong>${summarize(adoptions)}.</strong></p>
${incomplete ? '<p class="problem">Not everything could be read: there may be more.</p>\n' : ''}<p>Plans empty: levelset writes nothing but its tags. Pending changes: something changes, at once or after an approval. Look at each problem before you start levelset.</p>
<table>
<caption>Services, Nodes and routes, the worst first</caption>
<thead><tr><th scope="col">Object</th><th scope="col">State</th><th scope="col">Why, and the plan</th></tr></thead>
<tbody>
${adoptions.map(row).join('\n')}
</tbody>
</table>
</main>
<footer>levelset ${escaped(version)}, <time>${new Date(atMs).toISOString()}</time></footer>
</body>
</html>`;
}

function row({ name, state, because, approve, plan }: Adoption): string {
  const reasons =
    because.length > 0 ? `<ul>${because.map((line) => `<li>${escaped(line)}</li>`).join('')}</ul>` : '';
  const consent =
    approve === undefined ? '' : `<p>Approve with the annotation <code>${escaped(approve)}</code></p>`;
  const details =
    plan === undefined
      ? ''
      : `<details><summary>Plan of ${escaped(name)}</summary><pre>${escaped(plan)}</pre></details>`;
  return `<tr><th scope="row">${escaped(name)}</th><td class="${state}">${WORDS[state]}</td><td>${reasons}${consent}${details}</td></tr>`;
}

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ESCAPES[character] ?? '');
}
