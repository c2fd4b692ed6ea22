import { parseGcfg } from '../config/cloud-conf/gcfg.ts';
import { OPTIONS } from '../config/cloud-conf/options.ts';
import { gcfgBoolean } from '../config/read-value.ts';

/** Options of [Global] that name a file, and the text of the entry that takes its place. */
const FILES = ['ca-file', 'cert-file', 'key-file'];

/**
 * Refuses what leads out of an entry: clouds.yaml and files. Adds to `problems`, which name the line. Returns the values in the
 * text, and the names that cloud.conf does not have, for messages to leave out: one may be a secret that stands in the wrong place.
 */
export function checkCloudConf(text: string, problems: string[]): readonly string[] {
  const { sections, problems: broken } = parseGcfg(text);
  for (const { line } of broken)
    problems.push(
      `cloud.conf:${line}: this is neither [section] nor key = value; a value with a backslash or a double quote stands in double quotes`,
    );
  const outside = sections
    .filter(({ name }) => name === 'global')
    .flatMap(({ entries }) => entries)
    .flatMap(({ key, value, line }) => {
      const remedy = remedyOf(key, value);
      return remedy === undefined
        ? []
        : [`cloud.conf:${line}: [Global] ${key} leads out of the entry: ${remedy}`];
    });
  problems.push(...outside);
  return sections.flatMap(({ name, subsection = '', entries }) => {
    const known = OPTIONS[name] ?? [];
    const unknown = entries.filter(({ key }) => !known.some((option) => option.key === key));
    return [
      ...(OPTIONS[name] ? [] : [name]),
      subsection,
      ...unknown.map(({ key }) => key),
      ...entries.map(({ value = '' }) => value),
    ];
  });
}

function remedyOf(key: string, value: string | undefined): string | undefined {
  if (key === 'use-clouds' && gcfgBoolean(value) === true)
    return 'leave it out, and give auth-url and credentials here';
  if (value === '') return undefined;
  if (key === 'clouds-file') return 'leave it out, and give auth-url and credentials here';
  return FILES.includes(key) ? `put the text of the file into ${key} of the entry` : undefined;
}
