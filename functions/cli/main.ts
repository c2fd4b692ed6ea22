import { CommanderError } from 'commander';
import { errorText, ERRORS, ReconcileError } from '../../shared/model/errors.ts';
import { readGoFlags } from './go-flags.ts';
import { program } from './program.ts';

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

function inWords(error: unknown): string {
  if (error instanceof ReconcileError) {
    const { advice } = ERRORS[error.code];
    return error.code === 'CONFIG_INVALID' ? error.message : `${error.message} (${advice})`;
  }
  return errorText(error);
}
