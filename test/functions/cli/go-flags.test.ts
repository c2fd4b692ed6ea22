import { expect, test } from 'vitest';
import { GO_FLAGS, readGoFlags } from '../../../functions/cli/go-flags.ts';

test('flags of the Go program that have no effect are taken out, each with a note', () => {
  const argv = [
    'serve',
    '--leader-elect=true',
    '--node-monitor-period',
    '5s',
    '--cluster-name',
    'blue',
    '--use-service-account-credentials',
    '--concurrent-node-syncs=2',
    '--controllers=*,-route',
  ];

  const { rest, notes } = readGoFlags(argv);

  expect(rest).toEqual(['serve', '--cluster-name', 'blue', '--controllers=*,-route']);
  expect(notes).toEqual([
    'levelset ignores --leader-elect: of its processes one always leads, by the Lease `levelset`',
    'levelset ignores --node-monitor-period: audit events and the sweep tell it what to look at',
    'levelset ignores --use-service-account-credentials: it has one ServiceAccount',
    'levelset ignores --concurrent-node-syncs: it reads Nodes in bulk',
  ]);
});

test('-v=4 is -v 4', () => {
  expect(readGoFlags(['serve', '-v=4', '--v=2']).rest).toEqual(['serve', '-v', '4', '--v=2']);
});

test('what neither program knows stays for the parser, without its value', () => {
  expect(readGoFlags(['plan', '--toString', '--constructor=1', 'service/a/b']).rest).toEqual([
    'plan',
    '--toString',
    '--constructor',
    'service/a/b',
  ]);
});

test('a boolean that both programs have needs no value', () => {
  const argv = ['sweep', '--configure-cloud-routes', '--dry-run'];
  expect(readGoFlags(argv)).toEqual({
    rest: ['sweep', '--configure-cloud-routes=true', '--dry-run'],
    notes: [],
  });
});

test.each(Object.entries(GO_FLAGS))('--%s is taken out, however its value is given', (name, { value }) => {
  for (const words of [[`--${name}=x`], value ? [`--${name}`, 'x'] : [`--${name}`]]) {
    const { rest, notes } = readGoFlags(['serve', ...words, '--watch']);
    expect(rest).toEqual(['serve', '--watch']);
    expect(notes).toEqual([expect.stringContaining(`levelset ignores --${name}: `)]);
  }
});
