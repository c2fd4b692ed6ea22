const UUID = /^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i;

/** In lower case; undefined for anything else. What is none never enters a URL (decision 30). */
export function readUuid(text: string): string | undefined {
  return UUID.test(text.trim()) ? text.trim().toLowerCase() : undefined;
}
