/** What a Service writes on its load balancer for people and programs of the cloud: tags and a description. */
import { DESCRIPTION_MARK, LONGEST_DESCRIPTION } from '../../model/ownership.ts';
import { isReserved, LONGEST_USER_TAG } from '../../model/load-balancer/user-tags.ts';
import type { Parser } from './parsers.ts';

const MOST_TAGS = 32;

/** Split on commas, as the Go provider does. A tag that says whose something is may not be forged (decision 31). */
export const userTags: Parser<readonly string[]> = (text) => {
  const tags = [...new Set(text.split(',').map((tag) => tag.trim()))].filter((tag) => tag !== '');
  return tags.length > 0 && tags.length <= MOST_TAGS && tags.every(isTag)
    ? { value: tags }
    : {
        allowed: `at most ${MOST_TAGS} tags with commas between, each of at most ${LONGEST_USER_TAG} bytes and none that begins with levelset- or kube_service_`,
      };
};

function isTag(tag: string): boolean {
  return Buffer.byteLength(tag) <= LONGEST_USER_TAG && !/\p{Cc}/u.test(tag) && !isReserved(tag);
}

/** Controllers read in descriptions whose a load balancer is, and how it is to behave: that may not be forged either. */
export const description: Parser<string> = (text) => {
  const line = text.trim();
  const isFine =
    line !== '' &&
    Buffer.byteLength(line) <= LONGEST_DESCRIPTION &&
    !/\p{Cc}|,lb_version:/u.test(line) &&
    !line.includes(DESCRIPTION_MARK.trim());
  return isFine
    ? { value: line }
    : { allowed: `one line of at most ${LONGEST_DESCRIPTION} bytes, without what controllers write there` };
};
