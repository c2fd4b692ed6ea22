export interface NovaFlavor {
  readonly id: string;
  readonly name: string;
  readonly vcpus: number;
  readonly ram: number;
  readonly disk: number;
}

/** A server as Nova's database has it. Its addresses come from Neutron (views.ts). */
export interface Server {
  readonly id: string;
  name: string;
  readonly tenant_id: string;
  status: string;
  readonly metadata: Record<string, string>;
  accessIPv4: string;
  accessIPv6: string;
  /** The zone of the host it runs on. */
  zone: string;
  /** The flavor as it was when the server was made. It outlives the flavor itself. */
  readonly flavor: NovaFlavor;
  readonly created: string;
  updated: string;
  readonly tags: readonly string[];
  /** Ports that existed before the server and stay when it is removed. Its other ports are deleted. */
  readonly borrowedPorts: string[];
}

/** What Nova says of a server's state for each status (docs/sources/openstack.md, "States of a server"). */
export const novaStates: Readonly<
  Record<string, { readonly vm_state: string; readonly power_state: number }>
> = {
  ACTIVE: { vm_state: 'active', power_state: 1 },
  BUILD: { vm_state: 'building', power_state: 0 },
  ERROR: { vm_state: 'error', power_state: 0 },
  PAUSED: { vm_state: 'paused', power_state: 3 },
  SHELVED: { vm_state: 'shelved', power_state: 4 },
  SHELVED_OFFLOADED: { vm_state: 'shelved_offloaded', power_state: 4 },
  SHUTOFF: { vm_state: 'stopped', power_state: 4 },
  SUSPENDED: { vm_state: 'suspended', power_state: 1 },
};

/** Ids of Nova's flavors are any text that their operator chose. */
export const labFlavors = (newId: () => string): NovaFlavor[] => [
  { id: `1.${newId()}`, name: 'm1.tiny', vcpus: 1, ram: 512, disk: 1 },
  { id: `3107.${newId()}`, name: 'm1.small', vcpus: 1, ram: 2048, disk: 20 },
  { id: `m1 medium.${newId()}`, name: 'm1.medium', vcpus: 2, ram: 4096, disk: 40 },
  { id: `m1.large.${newId()}`, name: 'm1.large', vcpus: 4, ram: 8192, disk: 80 },
];
