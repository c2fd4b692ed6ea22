/** `npm run test:lab`: chooses lab files, runs them, and tells what was run and what was not. */
import { join } from 'node:path';
import { startVitest } from 'vitest/node';
import { choose, readCommandLine, flowOf, type Choice } from './rotation/choice.ts';
import { WITH_OLDEST } from './rotation/lab-files.ts';
import { LabReport } from './rotation/lab-report.ts';

/** In CI so many files that failed run once more, whole: the real parts share a machine with whatever else it does. */
const MOST_AGAIN = 4;

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
  const runAll = async (part: Choice): Promise<readonly string[]> => {
    const vitest = await startVitest([...part.files], {
      config: join(import.meta.dirname, 'vitest.config.ts'),
      watch: false,
      reporters: ['verbose', new LabReport(part)],
      ...(testName === undefined ? {} : { testNamePattern: testName }),
    });
    const failed = vitest.state.getTestModules().filter((module) => !module.ok());
    await vitest.close();
    return failed.map(({ relativeModuleId }) => relativeModuleId);
  };
  const failed = await runAll(choice);
  const code = Number(process.exitCode ?? 0);
  if (process.env['CI'] === undefined || failed.length === 0 || failed.length > MOST_AGAIN) return code;
  const again = await runAll({
    ...choice,
    files: failed,
    why: `what failed, once more (${failed.length} files)`,
    left: new Map(),
  });
  console.log(
    again.length === 0
      ? `lab: passed the second time: ${failed.join(', ')}`
      : `lab: failed twice: ${again.join(', ')}`,
  );
  return again.length === 0 ? 0 : 1;
}
