import { Command } from 'commander';
import { expect, test } from 'vitest';
import { withConnection } from '../../functions/cli/options.ts';
import { readFlags } from '../../functions/lambda/flags.ts';

/** The kubeconfig has variables of its own, and a function logs what CloudWatch is told to keep. */
const COMMAND_LINE_ONLY = ['kubeconfig', 'v'];

const options = withConnection(new Command())
  .options.map((option) => ({ name: option.attributeName(), variable: option.envVar ?? '' }))
  .filter(({ name }) => !COMMAND_LINE_ONLY.includes(name));

test.each(options)(
  'a function reads $name from $variable, as the command line does',
  ({ name, variable }) => {
    expect(readFlags({ [variable]: 'x' })).toEqual({ [name]: 'x' });
    expect(readFlags({ [variable]: '' })).toEqual({});
  },
);
