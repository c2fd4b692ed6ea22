/**
 * Two processes handle three edits of the source ranges in turn. The first one wrote 192.0.2.0/24 and remembers that state.
 * The other one opened the listener. When the owner asks for 192.0.2.0/24 again, the first process trusts its memory and
 * writes nothing: the listener stays open, reported as settled.
 */
import { sweep } from '../../../shared/sweep.ts';
import { pause, run, startSandboxWorld } from '../../support/sandbox-world.ts';
import { aService } from '../../support/service.ts';
import { readyOf } from '../../support/told.ts';
import { HTTP_PORT, settleBy, show } from '../show.ts';

const it = await startSandboxWorld();
const { sandbox } = it;
const [first, second] = [it.world, await it.another()];
const allow = (cidr: string): void => {
  sandbox.kube.apply(aService({ spec: { ports: [HTTP_PORT], loadBalancerSourceRanges: [cidr] } }));
};
const allowed = (): unknown => sandbox.cloud.listeners[0]?.['allowed_cidrs'];
allow('10.0.0.0/8');
await settleBy(first);
await pause(2_100);
await settleBy(first);
allow('192.0.2.0/24');
await run({ key: 'service/default/web', trigger: 'audit' }, first);
show('first process wrote', allowed());
await pause(20);
allow('0.0.0.0/0');
await settleBy(second);
show('second process wrote', allowed());
allow('192.0.2.0/24');
const { outcome, applied } = await settleBy(first);
show('first process', [outcome.status, `${applied.length} steps`]);
show('the listener allows', allowed());
show('condition', readyOf(sandbox)?.status);
show(
  'the next sweep queues',
  (await sweep(await it.another())).requests.map(({ key }) => key),
);
await it.close();
