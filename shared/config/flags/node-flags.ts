import type { Flags } from './flags.ts';
import type { NodeConfig, NodeNameFrom, ShutdownState } from '../node-config.ts';

const NAMES: readonly NodeNameFrom[] = ['name', 'hostname', 'first-label'];
const STATES: readonly ShutdownState[] = ['SHUTOFF', 'SHELVED_OFFLOADED', 'SUSPENDED'];
const DELETION_PERCENT = 10;

/** How Nodes find their servers and follow them. `regional` is the variable OS_CCM_REGIONAL, read as by the Go provider. */
export function nodeConfig(
  flags: Pick<Flags, 'nodeNameFrom' | 'shutdownStates' | 'nodeDeletionShare'>,
  { regional, region }: { readonly regional: string | undefined; readonly region: string | undefined },
  problems: string[],
  warnings: string[],
): NodeConfig {
  const isRegional = regional === 'true';
  if (isRegional && region === undefined)
    warnings.push('OS_CCM_REGIONAL has no effect: there is no region ([Global] region, OS_REGION_NAME)');
  return {
    regionalProviderID: isRegional && region !== undefined,
    nameFrom: nameFrom(flags.nodeNameFrom, problems),
    shutdownStates: shutdownStates(flags.shutdownStates, problems),
    deletionPercent: percent(flags.nodeDeletionShare, problems),
  };
}

function nameFrom(value: string | undefined, problems: string[]): NodeNameFrom {
  const found = NAMES.find((name) => name === (value ?? 'name'));
  if (found === undefined)
    problems.push(`--node-name-from is one of ${NAMES.join(', ')}, not ${JSON.stringify(value)}`);
  return found ?? 'name';
}

function shutdownStates(value: string | undefined, problems: string[]): readonly ShutdownState[] {
  const words = (value ?? 'SHUTOFF').split(/[\s,]+/).filter((word) => word !== '');
  const wrong = words.find((word) => !STATES.some((state) => state === word));
  if (words.length === 0 || wrong !== undefined) {
    const allowed = `one or more of ${STATES.join(', ')}, with commas between`;
    problems.push(`--shutdown-states is ${allowed}, not ${JSON.stringify(wrong ?? value)}`);
  }
  return STATES.filter((state) => words.includes(state));
}

function percent(value: string | undefined, problems: string[]): number {
  if (value === undefined) return DELETION_PERCENT;
  const share = /^(\d{1,3})%$/.exec(value)?.[1];
  if (share !== undefined && Number(share) <= 100) return Number(share);
  problems.push(`--node-deletion-share is from 0% to 100%, not ${JSON.stringify(value)}`);
  return DELETION_PERCENT;
}
