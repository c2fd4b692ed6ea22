import { recordedIn, setTags } from '../ownership.ts';

/** Tags whose record of what is set only because somebody asks for it does not name these attributes (decision 2). */
export function withoutRecordOf(tags: readonly string[], attributes: readonly string[]): readonly string[] {
  return tags.flatMap((tag) => {
    const recorded = recordedIn([tag]);
    return recorded.length > 0 ? setTags(recorded.filter((name) => !attributes.includes(name))) : [tag];
  });
}
