// Requests to the service. The key, if it needs one, is kept until the tab is closed.
const place = 'sau-serve-key';

export class KeyNeeded extends Error {}
// There is no answer, or none that is of use.
export class NoAnswer extends Error {}
export class NotFound extends NoAnswer {}

// The browser may refuse storage; then the key is kept only until the page is left.
let key = '';
try {
  key = sessionStorage.getItem(place) ?? '';
} catch {
  key = '';
}

export const hasKey = (): boolean => key !== '';

export function useKey(next: string): void {
  key = next;
  try {
    sessionStorage.setItem(place, next);
  } catch {
    // The browser refuses storage, so the key is kept only in `key`.
  }
}

// `path` is relative to the page, which may be that of an application: /apps/NAME/. Throws one of
// the errors above.
export async function ask<T>(path: string): Promise<T> {
  const headers: Record<string, string> = key === '' ? {} : {'Ocp-Apim-Subscription-Key': key};
  // A server that accepts the connection but does not answer counts as not reachable.
  const patience = new AbortController();
  const timer = setTimeout(() => patience.abort(), 10000);
  try {
    const reply = await fetch(path, {headers, cache: 'no-store', signal: patience.signal});
    if (reply.status === 401) throw new KeyNeeded('The service does not know this key.');
    if (reply.status === 403) throw new KeyNeeded('This key may not read here.');
    if (reply.status === 404) throw new NotFound('not found');
    if (!reply.ok) throw new NoAnswer(`status ${reply.status}`);
    return (await reply.json()) as T;
  } catch (error) {
    throw error instanceof KeyNeeded || error instanceof NoAnswer ? error : new NoAnswer(String(error));
  } finally {
    clearTimeout(timer);
  }
}
