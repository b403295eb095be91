// Owns the lock file as text: reading it strictly and writing it so that every client writes the same bytes. docs/lock-file.md.
import { isRange, isVersion, satisfies } from "./ranges.js";
import { isObject } from "./records.js";
import { PromptHubError } from "./trouble.js";
/** A repository's full name, `owner/name`. */
export const FULL_NAME = /^[a-z0-9](?:[a-z0-9]|-(?=[a-z0-9])){0,38}\/[a-z0-9](?:[a-z0-9]|-(?=[a-z0-9])){0,63}$/;
const HUB = /^https?:\/\/[!-"$->A-~]+$/;
const LABEL = /^(?=.{1,36}$)[a-z0-9]+(?:-[a-z0-9]+)*$/;
const MOST_PROMPTS = 1_000;
const MOST_BYTES = 1_048_576;
/** An empty lock for a hub. */
export function emptyLock(hub) {
    return { lockfile: 1, hub, prompts: {} };
}
/** Writes a lock: the same lock is the same bytes whichever client writes it. */
export function formatLock({ hub, prompts }) {
    const sorted = Object.keys(prompts)
        .sort((a, b) => (a < b ? -1 : 1))
        .map((name) => {
        const { range, version, sha256, path } = prompts[name];
        return [name, { range, version, sha256, path }];
    });
    return `${JSON.stringify({ lockfile: 1, hub, prompts: Object.fromEntries(sorted) }, null, 2)}\n`;
}
/**
 * Reads a lock.
 *
 * @throws PromptHubError `integrity` unless it is exactly what a client would write: an edit by hand or a merge that went wrong is seen, not guessed at
 */
export function parseLock(text) {
    if (new TextEncoder().encode(text).length > MOST_BYTES)
        throw wrong(`it is larger than ${MOST_BYTES} bytes`);
    let value;
    try {
        value = JSON.parse(text);
    }
    catch {
        throw wrong('it is no JSON');
    }
    if (!isObject(value) || !isObject(value.prompts))
        throw wrong('expected lockfile, hub and prompts');
    if (value.lockfile !== 1)
        throw wrong('it was made by a newer client');
    const { hub, prompts } = value;
    if (typeof hub !== 'string' || !isHubAddress(hub))
        throw wrong('hub: expected an http or https address without a final slash');
    const names = Object.keys(prompts);
    if (names.length > MOST_PROMPTS)
        throw wrong(`it names more than ${MOST_PROMPTS} prompts`);
    const lock = emptyLock(hub);
    for (const name of names)
        lock.prompts[name] = readLocked(name, prompts[name]);
    requireApart(Object.values(lock.prompts).map(({ path }) => path));
    if (formatLock(lock) !== text)
        throw wrong('it was edited by hand or merged');
    return lock;
}
/** Whether a text can be a lock's hub. */
export function isHubAddress(text) {
    if (text.length > 2_000 || !HUB.test(text) || text.endsWith('/') || text.includes('?') || !URL.canParse(text))
        return false;
    return new URL(text).username === '';
}
function readLocked(name, value) {
    if (!FULL_NAME.test(name))
        throw wrong(`${name} is no owner/name`);
    if (!isObject(value))
        throw wrong(`${name}: expected range, version, sha256 and path`);
    const { range, version, sha256, path } = value;
    if (typeof range !== 'string' || !(isRange(range) || LABEL.test(range)))
        throw wrong(`${name}: range is no range or label`);
    if (typeof version !== 'string' || !isVersion(version))
        throw wrong(`${name}: version is no version`);
    if (isRange(range) && !satisfies(version, range))
        throw wrong(`${name}: ${range} does not allow ${version}`);
    if (typeof sha256 !== 'string' || !/^[0-9a-f]{64}$/.test(sha256))
        throw wrong(`${name}: sha256 is no SHA-256`);
    if (typeof path !== 'string' || !isSafePath(path))
        throw wrong(`${name}: path leaves the folder or cannot be kept everywhere`);
    return { range, version, sha256, path };
}
/** Whether a path stays below the lock's folder on every system. */
export function isSafePath(path) {
    const bytes = new TextEncoder();
    if (!path.isWellFormed() || bytes.encode(path).length > 1_024 || /[\\:\u0000-\u001f\u007f-\u009f]/.test(path))
        return false;
    return (!['prompts.lock', 'prompts.lock.new'].includes(path.toLowerCase()) &&
        path
            .split('/')
            .every((segment) => segment !== '' &&
            segment !== '.' &&
            segment !== '..' &&
            segment.toLowerCase() !== '.git' &&
            bytes.encode(segment).length <= 255));
}
/** @throws PromptHubError `integrity` when two paths are one, in whatever case, or one lies inside another */
function requireApart(paths) {
    const seen = new Set();
    for (const path of paths) {
        const folded = path.toLowerCase();
        if (seen.has(folded))
            throw wrong(`two prompts share the path ${path}`);
        seen.add(folded);
    }
    for (const path of seen) {
        const segments = path.split('/');
        for (let count = 1; count < segments.length; count++) {
            if (seen.has(segments.slice(0, count).join('/')))
                throw wrong(`the path ${path} lies inside another`);
        }
    }
}
function wrong(what) {
    return new PromptHubError('integrity', `prompts.lock: ${what}. Restore it from git, or make it anew with hubcli.`);
}
