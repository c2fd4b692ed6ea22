/** The tokens of the tests, as long as levelset asks for. */
export const AUDIT_TOKEN = 'audit-token-of-the-tests';
export const NEXT_AUDIT_TOKEN = 'next-audit-token-of-the-tests';
export const RESYNC_TOKEN = 'resync-token-of-the-tests';
export const PAGE_TOKEN = 'page-token-of-the-tests';
