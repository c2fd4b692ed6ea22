/** Replaces, in what is built, what got has for HTTP/2, which levelset does not speak. */
export const constants = {};

export function Http2ServerResponse(): never {
  throw new TypeError('this build has no HTTP/2');
}

export default { constants };
