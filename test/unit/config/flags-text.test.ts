import { expect, test } from 'vitest';
import { readFlagsText } from '../../../shared/config/read-flags.ts';

const read = (text: string) => {
  const problems: string[] = [];
  return { flags: readFlagsText(text, 'flags', problems), problems };
};

test('one flag a line; empty lines and comments say nothing, a list may go on in another line', () => {
  const text =
    '# of prod\r\ncluster-cidr = 10.0.0.0/8\r\n\ndrift=report\ncontrollers=service\ncontrollers=route\nload-balancer-class=';
  expect(read(text)).toEqual({
    flags: {
      clusterCidr: '10.0.0.0/8',
      drift: 'report',
      controllers: 'service,route',
      loadBalancerClass: '',
    },
    problems: [],
  });
});

// prettier-ignore
test.each([
  ['cluster-cdir=10.0.0.0/8', 'no flag of a cluster has this name: write name=value; did you mean cluster-cidr?'],
  ['--drift=report', 'no flag of a cluster has this name: write name=value; did you mean drift?'],
  ['kubeconfig=/etc/hunter2', 'no flag of a cluster has this name: write name=value'],
  ['listen=0.0.0.0:80', 'no flag of a cluster has this name: write name=value'],
  ['hunter2hunter2', 'no flag of a cluster has this name: write name=value'],
  ['drift', 'drift has no value: write drift=value'],
  ['drift=hunter2', 'drift has a value that is not allowed: give one of repair, report'],
  ['state-namespace=other', 'state-namespace has a value in a line above: leave one of them'],
])('%s is refused by its line, and nothing of it is repeated', (line, problem) => {
  const { flags, problems } = read(`\nstate-namespace=levelset\n${line}`);
  expect(problems).toEqual([`flags:3: ${problem}`]);
  expect(flags).toEqual({ stateNamespace: 'levelset' });
});
