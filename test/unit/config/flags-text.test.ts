import { expect, test } from 'vitest';
import { readFlagsText } from '../../../shared/config/flags-text.ts';

const read = (text: string) => {
  const problems: string[] = [];
  return { flags: readFlagsText(text, 'flags', problems), problems };
};

test('one flag a line; empty lines and comments say nothing, a list may go on in another line', () => {
  const text =
    '# of prod\r\ncluster-cidr = 10.0.0.0/8\r\n\nadopt=names-only\ncontrollers=service\ncontrollers=route\nload-balancer-class=';
  expect(read(text)).toEqual({
    flags: {
      clusterCidr: '10.0.0.0/8',
      adopt: 'names-only',
      controllers: 'service,route',
      loadBalancerClass: '',
    },
    problems: [],
  });
});

test.each([
  [
    'cluster-cdir=10.0.0.0/8',
    'no flag of a cluster has this name: write name=value; did you mean cluster-cidr?',
  ],
  ['--adopt=tags', 'no flag of a cluster has this name: write name=value; did you mean adopt?'],
  ['kubeconfig=/etc/hunter2', 'no flag of a cluster has this name: write name=value'],
  ['listen=0.0.0.0:80', 'no flag of a cluster has this name: write name=value'],
  ['hunter2hunter2', 'no flag of a cluster has this name: write name=value'],
  ['adopt', 'adopt has no value: write adopt=value'],
  ['adopt=hunter2', 'adopt has a value that is not allowed: give one of tags, names-only'],
  ['state-namespace=other', 'state-namespace has a value in a line above: leave one of them'],
])('%s is refused by its line, and nothing of it is repeated', (line, problem) => {
  const { flags, problems } = read(`\nstate-namespace=levelset\n${line}`);
  expect(problems).toEqual([`flags:3: ${problem}`]);
  expect(flags).toEqual({ stateNamespace: 'levelset' });
});
