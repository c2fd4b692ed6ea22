/**
 * How much there is to read, as a table: `npx node test/repo/figures.ts`. The story is what runs for one plain Service from its audit
 * event until it is settled, by V8's coverage; LIST=1 names its files.
 */
import inspector from 'node:inspector';
import { pathToFileURL } from 'node:url';
import { parseSync } from 'rolldown/utils';
import { setTimeout as pause } from 'node:timers/promises';
import { createLog } from '../../functions/log.ts';
import { writeAccess } from '../../functions/sandbox/access-files.ts';
import { serve } from '../../functions/serve.ts';
import { startSandbox } from '../../infra/sandbox/sandbox.ts';
import { aService } from '../support/service.ts';
import { filesOf, importsOf, linesOf, ROOT, textOf } from './files.ts';

const AUDIT_TOKEN = 'a'.repeat(32);

/** The functions that ran, by file; those without a name do not count. */
async function runStory(): Promise<ReadonlyMap<string, number>> {
  const session = new inspector.Session();
  session.connect();
  const post = <T>(method: string, params: object = {}): Promise<T> =>
    new Promise((resolve, reject) => {
      session.post(method, params, (error, value) => {
        if (error) reject(error);
        else resolve(value as T);
      });
    });
  await post('Profiler.enable');
  await post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
  const sandbox = await startSandbox({ pendingMs: 300, kubeTls: true });
  const { levelsetKubeconfig, cloudConfig } = await writeAccess(sandbox);
  const serving = await serve({
    flags: { kubeconfig: levelsetKubeconfig, cloudConfig, listen: '127.0.0.1:0' },
    env: { ...process.env, LEVELSET_AUDIT_TOKENS: AUDIT_TOKEN, LEVELSET_RESYNC_TOKENS: 'b'.repeat(32) },
    log: createLog('error'),
  });
  const idle = async (): Promise<void> => {
    for (let still = 0; still < 3; still = serving.idle() ? still + 1 : 0) await pause(300);
  };
  sandbox.setAuditSink(`${serving.url}/audit/kubernetes`, AUDIT_TOKEN);
  await idle();
  await post('Profiler.takePreciseCoverage');
  sandbox.kube.apply(aService({ spec: { ports: [{ port: 80, protocol: 'TCP', nodePort: 30_080 }] } }));
  await pause(500);
  await idle();
  type Coverage = inspector.Profiler.TakePreciseCoverageReturnType;
  const { result } = await post<Coverage>('Profiler.takePreciseCoverage');
  await serving.stop();
  await sandbox.close();
  const root = pathToFileURL(`${ROOT}/`).href;
  const ran = result
    .filter(({ url }) => ['shared/', 'functions/'].some((room) => url.startsWith(`${root}${room}`)))
    .map(({ url, functions }): [string, number] => [
      url.slice(root.length),
      functions.filter(({ functionName, ranges }) => functionName !== '' && (ranges[0]?.count ?? 0) > 0)
        .length,
    ]);
  return new Map(ran.filter(([, named]) => named > 0));
}

const OURS = '{shared,functions}/**/*.ts';
const sum = (numbers: readonly number[]): number => numbers.reduce((all, one) => all + one, 0);
const linesIn = (pattern: string): number => sum(filesOf(pattern).map(linesOf));
const NO_CODE = ['ImportDeclaration', 'TSInterfaceDeclaration', 'TSTypeAliasDeclaration'];

/** Lines of comments, and those with a word of code in them, where no import or type stands. */
function kindsOf(path: string): { readonly comments: number; readonly code: number } {
  const text = textOf(path);
  const { program, comments } = parseSync(path, text);
  const lineAt = (at: number): number => text.slice(0, at).split('\n').length - 1;
  const linesIn = (ranges: readonly { readonly start: number; readonly end: number }[]): Set<number> =>
    new Set(
      ranges.flatMap(({ start, end }) => {
        const [first, last] = [lineAt(start), lineAt(end)];
        return Array.from({ length: last - first + 1 }, (_, at) => first + at);
      }),
    );
  const bare = comments.reduceRight(
    (left, { start, end }) =>
      left.slice(0, start) + text.slice(start, end).replace(/./g, ' ') + left.slice(end),
    text,
  );
  const typed = program.body
    .map((one) => (one.type === 'ExportNamedDeclaration' && one.declaration ? one.declaration : one))
    .filter(({ type }) => NO_CODE.includes(type));
  const others = linesIn(typed);
  const lines = bare.split('\n');
  return {
    comments: [...linesIn(comments)].filter((at) => lines[at]?.trim() === '').length,
    code: lines.filter((line, at) => /\w/.test(line) && !others.has(at)).length,
  };
}
const ours = filesOf(OURS).map(kindsOf);
const words = (paths: readonly string[]): number =>
  sum(paths.map((path) => textOf(path).split(/\s+/).filter(Boolean).length));

const story = await runStory();
if (process.env['LIST']) for (const [path, named] of [...story].sort()) console.log(named, path);
const DECISIONS = 'docs/decisions.md';
const documents = filesOf('{*.md,{docs,examples,infra,test}/**/*.md}');
/** The program's modules that such files import themselves. */
const importedBy = (paths: readonly string[]): ReadonlySet<string> =>
  new Set(
    paths
      .flatMap((path) => importsOf(path).map(({ target }) => target))
      .filter((target) => /^(shared|functions)\//.test(target)),
  );
const [others = [], units = []] = [false, true].map((isUnit) =>
  filesOf('test/**/*.ts').filter((path) => path.startsWith('test/unit/') === isUnit),
);
const byOthers = importedBy(others);
console.table({
  'story: files': story.size,
  'story: named functions': sum([...story.values()]),
  'story: lines of its files': sum([...story.keys()].map(linesOf)),
  'shared + functions: lines': linesIn(OURS),
  'shared + functions: lines of code': sum(ours.map(({ code }) => code)),
  'shared + functions: lines of comments': sum(ours.map(({ comments }) => comments)),
  'shared/service: lines': linesIn('shared/service/**/*.ts'),
  'functions/cli: lines': linesIn('functions/cli/**/*.ts'),
  'infra: lines': linesIn('infra/**/*.ts'),
  'test: lines': linesIn('test/**/*.ts'),
  'test/unit: lines': sum(units.map(linesOf)),
  'modules that only test/unit imports': [...importedBy(units)].filter((path) => !byOthers.has(path)).length,
  decisions: textOf(DECISIONS).match(/^\*\*\d+\./gm)?.length,
  'decisions: words': words([DECISIONS]),
  'words of our own': textOf('docs/design.md')
    .split('## Words')[1]
    ?.split('\n## ')[0]
    ?.match(/^\| (?!word|-)/gm)?.length,
  'README: words': words(['README.md']),
  'all documents: words': words(documents),
});
process.exit(0);
