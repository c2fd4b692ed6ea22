import { CommanderError } from 'commander';
import { readGoFlags } from './go-flags.ts';
import { program } from './program.ts';
import { inWords } from './command.ts';

/** Runs one command and returns its exit code. Prints an error as one message, never as a stack. */
export async function main(argv: readonly string[]): Promise<number> {
  const { rest, notes } = readGoFlags(argv);
  for (const note of notes) console.error(note);
  let code = 0;
  try {
    await program(process.env, (result) => {
      code = result;
    }).parseAsync([...rest], { from: 'user' });
    return code;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode;
    console.error(`levelset: ${inWords(error)}`);
    return 1;
  }
}
