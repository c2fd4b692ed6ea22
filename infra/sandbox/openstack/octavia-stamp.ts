import type { Json } from '../json.ts';
import type { CloudState } from './cloud-state.ts';

/** Fills in what Octavia sets on every new object, whatever it is. */
export function stamp(world: CloudState, owner: string, body: Json): Json {
  return {
    ...body,
    id: world.newId(),
    project_id: owner,
    provisioning_status: 'PENDING_CREATE',
    operating_status: 'OFFLINE',
    created_at: world.octaviaTime(),
    updated_at: null,
  };
}
