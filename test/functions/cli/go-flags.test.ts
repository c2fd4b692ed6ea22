import { expect, test } from 'vitest';
import { GO_FLAGS, readGoFlags } from '../../../functions/cli/go-flags.ts';

test.each<[string, string, string, ...(readonly string[])]>([
  [
    'flags that have no effect are taken out, each with a note',
    '--leader-elect=true --node-monitor-period 5s --cluster-name blue --controllers=*,-route',
    '--cluster-name blue --controllers=*,-route',
    'levelset ignores --leader-elect: of its processes one always leads, by the Lease `levelset`',
    'levelset ignores --node-monitor-period: audit events and the sweep tell it what to look at',
  ],
  ['-v=4 is -v 4', '-v=4 --v=2', '-v 4 --v=2'],
  [
    'what neither program knows stays for the parser, without its value',
    '--toString --constructor=1 service/a/b',
    '--toString --constructor service/a/b',
  ],
  [
    'a boolean that both programs have needs no value',
    '--configure-cloud-routes --dry-run',
    '--configure-cloud-routes=true --dry-run',
  ],
])('%s', (_, given, rest, ...notes) => {
  const read = readGoFlags(['serve', ...given.split(' ')]);
  expect([read.rest.join(' '), read.notes]).toEqual([`serve ${rest}`, notes]);
});

test.each(Object.entries(GO_FLAGS))('--%s is taken out, however its value is given', (name, { value }) => {
  for (const words of [[`--${name}=x`], value ? [`--${name}`, 'x'] : [`--${name}`]]) {
    const { rest, notes } = readGoFlags(['serve', ...words, '--watch']);
    expect(rest).toEqual(['serve', '--watch']);
    expect(notes).toEqual([expect.stringContaining(`levelset ignores --${name}: `)]);
  }
});
