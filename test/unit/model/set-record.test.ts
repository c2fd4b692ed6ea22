import { expect, test } from 'vitest';
import { ATTRIBUTES } from '../../../shared/model/attributes.ts';
import { mergeTags, recordedIn, setTags } from '../../../shared/model/ownership.ts';

const everything = Object.keys(ATTRIBUTES.listener);

test('the record of what is set fits the tags of Octavia, however much it is, and nothing is lost', () => {
  const tags = setTags(everything);

  expect(Math.max(...tags.map(({ length }) => length))).toBeLessThanOrEqual(255);
  expect(recordedIn(['other', ...tags])).toEqual(everything);
  expect(tags.length).toBeGreaterThan(1);
});

test('a shorter record takes the place of a longer one', () => {
  expect(mergeTags(['other', ...setTags(everything)], setTags(['tls_versions']))).toEqual([
    'other',
    'levelset-set=tls_versions',
  ]);
  expect(setTags([])).toEqual([]);
});
