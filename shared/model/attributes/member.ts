import { attr } from './attribute-row.ts';

// prettier-ignore
export const MEMBER = {
  name: attr<string>({ change: 'at-create' }),
  address: attr<string>({ change: 'recreate' }),
  protocol_port: attr<number>({ change: 'recreate' }),
  subnet_id: attr<string>({ change: 'new-pool' }),
  monitor_port: attr<number | null>({ change: 'in-place', capability: [
    { at: 'udp', since: 16, instead: null, implied: true },
    { notOvn: true, instead: null, implied: true },
  ] }),
  /** Share of the new connections, 0 to 256. */
  weight: attr<number>({ change: 'in-place', unset: 1 }),
  /** Whether the member gets traffic only while all members that are no backups are down. */
  backup: attr<boolean>({ change: 'in-place', capability: { values: [true], since: 1, notOvn: true, instead: false, implied: true } }),
  admin_state_up: attr<boolean>({ change: 'in-place' }),
  tags: attr<readonly string[]>({ change: 'in-place', compare: 'set-record' }),
};
