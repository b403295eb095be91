// Sends HTTP requests to the hub: timeouts, retries, and the meaning of each kind of response.
import { USER_AGENT } from "./address.js";
import { isObject } from "./records.js";
import { fetchAndFollow, isBrowser } from "./redirects.js";
import { PromptHubError } from "./trouble.js";
/** Adds the defaults to the options of requests. */
export function requestSettings(options) {
    return {
        timeoutMs: options.timeoutMs ?? 5_000,
        retries: options.retries ?? 2,
        deadlineMs: options.deadlineMs ?? 15_000,
        fetch: options.fetch ?? ((...given) => fetch(...given)),
    };
}
/** Maximum response size: a record with its escaped content is at most about twice as large as the content's 256 KiB. */
const MAX_BYTES = 4_194_304;
const FIRST_PAUSE_MS = 200;
const LONGEST_PAUSE_MS = 4_000;
/**
 * Sends a request, with retries.
 *
 * @param write the change to send; without it, the request reads
 * @param etag of the cached response; the hub then sends a new one only if it has changed
 * @throws PromptHubError `not_found` or `refused` according to the hub's response, `unavailable` if all attempts failed
 */
export async function ask(url, etag, settings, write) {
    // The clock is monotonic, so setting the system's time does not move the deadline.
    const endsAt = performance.now() + settings.deadlineMs;
    for (let tries = 0;; tries++) {
        const outcome = await tryOnce(url, etag, settings, endsAt, write);
        if (outcome.kind !== 'trouble')
            return outcome;
        // The pause is random, so that programs affected by the same outage do not all retry at the same moment. https://aws.amazon.com/blogs/architecture/exponential-backoff-and-jitter/
        const pauseMs = outcome.waitMs ?? Math.random() * Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** tries);
        if (tries >= settings.retries || performance.now() + pauseMs >= endsAt)
            throw outcome.error;
        await new Promise((resolve) => setTimeout(resolve, pauseMs));
    }
}
async function tryOnce(url, etag, { fetch, timeoutMs }, endsAt, write) {
    const signal = AbortSignal.timeout(Math.max(1, Math.floor(Math.min(timeoutMs, endsAt - performance.now()))));
    try {
        const options = { ...optionsOf(etag, write), signal };
        const response = await (write ? fetch(url, options) : fetchAndFollow(url, options, fetch));
        if (write && (response.type === 'opaqueredirect' || (response.status >= 300 && response.status < 400)))
            throw new PromptHubError('unavailable', `${url} redirects; redirects are not followed with a token.`, {
                status: response.status,
            });
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
        const message = `${url} did not respond: ${error instanceof Error ? error.message : String(error)}`;
        return { kind: 'trouble', error: new PromptHubError('unavailable', message, { cause: error }), waitMs: undefined };
    }
}
function optionsOf(etag, write) {
    const accept = { Accept: write ? 'application/json' : 'application/json, text/plain' };
    // Browsers send their own User-Agent and handle ETags themselves. Setting either header would cause a preflight request, which a static mirror does not answer.
    const headers = isBrowser()
        ? accept
        : { ...accept, 'User-Agent': USER_AGENT, ...(etag === undefined ? {} : { 'If-None-Match': etag }) };
    if (!write)
        return { headers, ...(isBrowser() && etag !== undefined ? { cache: 'no-cache' } : {}) };
    const { method, token, body } = write;
    const authorized = { ...headers, Authorization: `Bearer ${token}` };
    if (body === undefined)
        return { method, redirect: 'manual', headers: authorized };
    return { method, redirect: 'manual', headers: { ...authorized, 'Content-Type': 'application/json' }, body };
}
/** Reads a body, up to the limit. Invalid UTF-8 is an error, because it would otherwise be replaced silently. */
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
        if (bytes > MAX_BYTES) {
            await reader.cancel();
            throw new PromptHubError('unavailable', `${url} returned more than ${MAX_BYTES} bytes, which is too large for a prompt.`);
        }
        text += decoder.decode(value, { stream: true });
    }
}
function troubleOf(response, text, url) {
    const { status } = response;
    const said = messageOf(text) ?? `${url} returned status ${status}.`;
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
/** The message of a hub's error. */
function messageOf(text) {
    try {
        const answer = JSON.parse(text);
        if (isObject(answer) && isObject(answer.error) && typeof answer.error.message === 'string')
            return answer.error.message;
    }
    catch {
        // Not a hub's response, but perhaps a proxy's page; then only the status is known.
    }
    return undefined;
}
/** Parses Retry-After into milliseconds; it is a number of seconds or a date. RFC 9110 section 10.2.3 */
function readRetryAfter(response) {
    const text = response.headers.get('Retry-After');
    if (text === null)
        return undefined;
    if (/^\d{1,6}$/.test(text))
        return Number(text) * 1000;
    const at = Date.parse(text);
    return Number.isNaN(at) ? undefined : Math.max(0, at - Date.now());
}
