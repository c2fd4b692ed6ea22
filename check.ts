/**
 * `npm run check`: types, lint and formatting side by side, what each says in one piece when it has ended. `npm test` adds the
 * tests, which are shown as they run: half of their time is waiting, and the checks fill it.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';

const names = process.argv.slice(2);
const checks = (names.length > 0 ? names : ['lint', 'types', 'format']).map((name) =>
  name === 'unit' ? show(name) : tell(name),
);
const codes = await Promise.all(checks);
process.exitCode = codes.every((code) => code === 0) ? 0 : 1;

/** The exit code of `npm run SCRIPT`, which prints for itself; null when a signal ended it. */
async function show(script: string): Promise<number | null> {
  const child = spawn('npm', ['run', '--silent', script], { stdio: ['ignore', 'inherit', 'inherit'] });
  const [code] = (await once(child, 'close')) as [number | null];
  return code;
}

/** The same, with what it printed in one piece. */
async function tell(script: string): Promise<number | null> {
  const child = spawn('npm', ['run', '--silent', script], { stdio: ['ignore', 'pipe', 'pipe'] });
  const chunks: string[] = [];
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => chunks.push(text));
  const [code] = (await once(child, 'close')) as [number | null];
  console.log(`${script}: ${code === 0 ? 'ok' : 'failed'}\n${chunks.join('')}`.trimEnd());
  return code;
}
