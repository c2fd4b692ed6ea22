import { describe, expect, test } from 'vitest';
import { mergeTags, withoutOurTags } from '../../../shared/model/ownership.ts';
import { userTags } from '../../../shared/model/load-balancer/user-tags.ts';

const WEB = { namespace: 'shop', name: 'web' };
const API = { namespace: 'shop', name: 'api' };
const NAME = 'levelset-name=shop/web';

describe('tags that a Service asks for', () => {
  test('are added to those of others, and go with the annotation', () => {
    const asked = mergeTags(['theirs'], [NAME, ...userTags(WEB, ['paid', 'a/b'])]);
    expect(asked).toContain('paid');
    expect(mergeTags(asked, [NAME, ...userTags(WEB, ['a/b'])])).toEqual([
      'theirs',
      NAME,
      'a/b',
      userTags(WEB, ['a/b'])[1],
    ]);
    expect(mergeTags(asked, [NAME])).toEqual(['theirs', NAME]);
  });

  test('do not become ours when they were there before', () => {
    const asked = mergeTags(['paid'], [NAME, ...userTags(WEB, ['paid'])]);
    expect(asked).toEqual(['paid', NAME]);
    expect(mergeTags(asked, [NAME])).toContain('paid');
  });

  test('of another Service on the same load balancer stay', () => {
    const both = mergeTags(mergeTags([], [NAME, ...userTags(WEB, ['paid', 'web'])]), [
      'levelset-name=shop/api',
      ...userTags(API, ['paid']),
    ]);
    expect(both).toContain('web');
    expect(both).toContain('paid');
    const left = mergeTags(both, ['levelset-name=shop/api']);
    expect(left).toEqual(both.filter((tag) => !userTags(API, ['paid']).slice(1).includes(tag)));
  });

  test('go when the load balancer is given back to its maker', () => {
    expect(withoutOurTags(mergeTags(['theirs'], [NAME, ...userTags(WEB, ['paid'])]))).toEqual(['theirs']);
  });
});
