// Owns asking the hub over HTTP: time limits, tries with pauses between them, and what each kind of answer means.
import { USER_AGENT } from "./address.js";
import { isObject } from "./records.js";
import { PromptHubError } from "./trouble.js";
/** The largest answer that is read: a record with its content, escaped, has about twice a content's 256 KiB. */
const MOST_BYTES = 4_194_304;
const FIRST_PAUSE_MS = 200;
const LONGEST_PAUSE_MS = 4_000;
/**
 * Asks for an address.
 *
 * @param etag what is known already, for a conditional request
 * @throws PromptHubError `not_found` or `refused` for what the hub answered, `unavailable` for trouble that outlasted all tries
 */
export async function ask(url, etag, settings) {
    const endsAt = Date.now() + settings.deadlineMs;
    for (let tries = 0;; tries++) {
        const outcome = await tryOnce(url, etag, settings, endsAt);
        if (outcome.kind !== 'trouble')
            return outcome;
        // Full jitter: many programs that met the same outage do not come back in the same moment.
        const pauseMs = outcome.waitMs ?? Math.random() * Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** tries);
        if (tries >= settings.retries || Date.now() + pauseMs >= endsAt)
            throw outcome.error;
        await new Promise((resolve) => setTimeout(resolve, pauseMs));
    }
}
async function tryOnce(url, etag, { fetch, timeoutMs }, endsAt) {
    const signal = AbortSignal.timeout(Math.max(1, Math.min(timeoutMs, endsAt - Date.now())));
    try {
        const response = await fetch(url, { ...conditionFor(etag), signal });
        if (response.status === 304)
            return { kind: 'unchanged' };
        const text = await readBounded(response, url);
        if (response.ok)
            return { kind: 'new', text, etag: response.headers.get('ETag') ?? undefined };
        return troubleOf(response, text, url);
    }
    catch (error) {
        if (error instanceof PromptHubError)
            throw error;
        const message = `${url} did not answer: ${error instanceof Error ? error.message : String(error)}`;
        return { kind: 'trouble', error: new PromptHubError('unavailable', message, { cause: error }), waitMs: undefined };
    }
}
function conditionFor(etag) {
    const accept = { Accept: 'application/json, text/plain' };
    // A browser sends its own User-Agent, and keeps ETags itself. With either in the request it would ask the hub for leave first, which a mirror of plain files cannot give.
    if (globalThis.navigator?.userAgent?.startsWith('Mozilla/'))
        return { headers: accept, ...(etag === undefined ? {} : { cache: 'no-cache' }) };
    return {
        headers: { ...accept, 'User-Agent': USER_AGENT, ...(etag === undefined ? {} : { 'If-None-Match': etag }) },
    };
}
/** Invalid UTF-8 is trouble on the way, never text with replaced characters. */
async function readBounded(response, url) {
    const reader = response.body?.getReader();
    if (!reader)
        return '';
    const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
    let text = '';
    let bytes = 0;
    for (;;) {
        const { done, value } = await reader.read();
        if (done)
            return text + decoder.decode();
        bytes += value.length;
        if (bytes > MOST_BYTES) {
            await reader.cancel();
            throw new PromptHubError('unavailable', `${url} answers more than ${MOST_BYTES} bytes: that is no prompt.`);
        }
        text += decoder.decode(value, { stream: true });
    }
}
function troubleOf(response, text, url) {
    const { status } = response;
    const said = messageOf(text) ?? `${url} answered ${status}.`;
    if (status === 404)
        throw new PromptHubError('not_found', said, { status });
    if (status < 500 && status !== 429)
        throw new PromptHubError('refused', said, { status });
    return {
        kind: 'trouble',
        error: new PromptHubError('unavailable', said, { status }),
        waitMs: readRetryAfter(response),
    };
}
/** The sentence of a hub's own error. */
function messageOf(text) {
    try {
        const answer = JSON.parse(text);
        if (isObject(answer) && isObject(answer.error) && typeof answer.error.message === 'string')
            return answer.error.message;
    }
    catch {
        // A proxy's page: the status says what there is to say.
    }
    return undefined;
}
/** RFC 9110 section 10.2.3: seconds or a date. */
function readRetryAfter(response) {
    const text = response.headers.get('Retry-After');
    if (text === null)
        return undefined;
    if (/^\d{1,6}$/.test(text))
        return Number(text) * 1000;
    const at = Date.parse(text);
    return Number.isNaN(at) ? undefined : Math.max(0, at - Date.now());
}
