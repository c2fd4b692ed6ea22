/** `npm run test:lab`: chooses lab files, runs them, and tells what was run and what was not. */
import { join } from 'node:path';
import { startVitest } from 'vitest/node';
import { choose, readCommandLine, flowOf } from './rotation/choice.ts';
import { WITH_OLDEST } from './rotation/lab-files.ts';
import { LabReport } from './rotation/lab-report.ts';

try {
  process.exitCode = await run(process.argv.slice(2));
} catch (error) {
  console.error((error as Error).message);
  process.exitCode = 2;
}

async function run(args: readonly string[]): Promise<number> {
  const { list, testName, ...wish } = readCommandLine(args);
  const choice = choose(wish, () => flowOf(import.meta.dirname));
  console.log(`lab: ${choice.why}\n${choice.files.map((file) => `  ${file}`).join('\n')}`);
  if (list) return 0;
  const isWithOldest = (file: string): boolean => WITH_OLDEST.some((folder) => file.startsWith(folder));
  if (choice.files.some(isWithOldest)) process.env['LEVELSET_E2E_OLDEST'] = 'yes';
  const vitest = await startVitest([...choice.files], {
    config: join(import.meta.dirname, 'vitest.config.ts'),
    watch: false,
    reporters: ['verbose', new LabReport(choice)],
    ...(testName === undefined ? {} : { testNamePattern: testName }),
  });
  await vitest.close();
  return Number(process.exitCode ?? 0);
}
