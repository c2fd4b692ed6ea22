import { parseGcfg } from '../config/cloud-conf/gcfg.ts';
import { gcfgBoolean } from '../config/read-value.ts';

/** Options of [Global] that name a file, and the text of the entry that takes its place. */
const FILES = ['ca-file', 'cert-file', 'key-file'];

/** Refuses what leads out of an entry: clouds.yaml and files. Adds to `problems`, which name the line. */
export function checkCloudConf(text: string, problems: string[]): void {
  for (const { name, entries } of parseGcfg(text).sections)
    for (const { key, value, line } of entries) {
      const remedy = name === 'global' ? remedyOf(key, value) : undefined;
      if (remedy !== undefined)
        problems.push(`cloud.conf:${line}: [Global] ${key} leads out of the entry: ${remedy}`);
    }
}

function remedyOf(key: string, value: string | undefined): string | undefined {
  if (key === 'use-clouds' && gcfgBoolean(value) === true)
    return 'leave it out, and give auth-url and credentials here';
  if (value === '') return undefined;
  if (key === 'clouds-file') return 'leave it out, and give auth-url and credentials here';
  return FILES.includes(key) ? `put the text of the file into ${key} of the entry` : undefined;
}
