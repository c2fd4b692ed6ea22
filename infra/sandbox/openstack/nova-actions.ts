import type { Answer } from '../exchange.ts';
import { isJson } from '../json.ts';
import type { CloudState } from './cloud-state.ts';
import { novaStates, type Server } from './nova-objects.ts';
import { novaFault } from './nova-refusal.ts';

interface Action {
  readonly verb: string;
  readonly from: readonly string[];
  readonly to: string;
}

const running = ['ACTIVE', 'PAUSED', 'SHUTOFF', 'SUSPENDED'];
const actions: Readonly<Record<string, Action>> = {
  'os-start': { verb: 'start', from: ['SHUTOFF'], to: 'ACTIVE' },
  'os-stop': { verb: 'stop', from: ['ACTIVE', 'ERROR'], to: 'SHUTOFF' },
  pause: { verb: 'pause', from: ['ACTIVE'], to: 'PAUSED' },
  unpause: { verb: 'unpause', from: ['PAUSED'], to: 'ACTIVE' },
  suspend: { verb: 'suspend', from: ['ACTIVE'], to: 'SUSPENDED' },
  resume: { verb: 'resume', from: ['SUSPENDED'], to: 'ACTIVE' },
  shelve: { verb: 'shelve', from: running, to: 'SHELVED_OFFLOADED' },
  unshelve: { verb: 'unshelve', from: ['SHELVED', 'SHELVED_OFFLOADED'], to: 'ACTIVE' },
};

/** POST /servers/ID/action: what it leads to is there at once, where a real one takes a second. */
export function actOn(world: CloudState, server: Server, body: unknown): Answer {
  const name = isJson(body) ? (Object.keys(body)[0] ?? '') : '';
  const action = actions[name];
  if (!action) throw novaFault(400, `There is no such action: ${name}`);
  if (!action.from.includes(server.status)) {
    const state = novaStates[server.status]?.vm_state ?? server.status.toLowerCase();
    throw novaFault(409, `Cannot '${action.verb}' instance ${server.id} while it is in vm_state ${state}`);
  }
  server.status = action.to;
  server.updated = world.clock.seconds();
  return { status: 202 };
}
