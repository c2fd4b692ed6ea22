/**
 * `npm run check`: types, lint and formatting side by side, what each says in one piece when it has ended. `npm test` adds the tests,
 * which are shown as they run: half of their time is waiting, and the checks fill it.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';

const names = process.argv.slice(2);
const checks = (names.length > 0 ? names : ['lint', 'types', 'format']).map(run);
const codes = await Promise.all(checks);
process.exitCode = codes.every((code) => code === 0) ? 0 : 1;

/** The exit code of `npm run SCRIPT`; null when a signal ended it. Only the script `unit` prints as it runs. */
async function run(script: string): Promise<number | null> {
  const output = script === 'unit' ? 'inherit' : 'pipe';
  const child = spawn('npm', ['run', '--silent', script], { stdio: ['ignore', output, output] });
  const chunks: string[] = [];
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding('utf8').on('data', (text: string) => chunks.push(text));
  const [code] = (await once(child, 'close')) as [number | null];
  if (output === 'pipe')
    console.log(`${script}: ${code === 0 ? 'ok' : 'failed'}\n${chunks.join('')}`.trimEnd());
  return code;
}
