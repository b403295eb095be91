// Parses a caller's request: a name, an optional version, and whether a lock allows it.
import { FULL_NAME } from "./lock.js";
import { readWish, satisfies } from "./ranges.js";
import { PromptHubError } from "./trouble.js";
/** Parses the arguments of `get`. @throws PromptHubError `invalid_request` for invalid arguments */
export function readQuestion(name, { version, range, label }) {
    const at = name.indexOf('@');
    const fullName = at < 0 ? name : name.slice(0, at);
    if (!FULL_NAME.test(fullName))
        throw invalid(`expected owner/name, got ${JSON.stringify(name.slice(0, 120))}`);
    const given = [at < 0 ? undefined : name.slice(at + 1), version, range, label].filter((text) => text !== undefined);
    if (given.length > 1)
        throw invalid(`${fullName}: give a version, a range or a label, not several`);
    if (given.length === 0)
        return { fullName, wish: undefined };
    const wish = readWish(given[0]);
    const kind = version !== undefined ? 'version' : range !== undefined ? 'range' : label !== undefined ? 'label' : undefined;
    if (kind === 'range' && wish?.kind === 'version')
        return { fullName, wish: { kind: 'range', range: given[0] } };
    if (!wish || (kind !== undefined && kind !== wish.kind))
        throw invalid(`${fullName}: expected a ${kind ?? 'version, range or label'}, got ${JSON.stringify(given[0].slice(0, 60))}`);
    return { fullName, wish };
}
/** Requires that the requested version matches the lock. Only the lock chooses versions, so any other request is rejected and not ignored. @throws PromptHubError `not_locked` */
export function requireLocked(name, wish, { range, version }) {
    const isMet = wish === undefined ||
        (wish.kind === 'version' && wish.version === version) ||
        (wish.kind === 'range' && (wish.range === range || satisfies(version, wish.range))) ||
        (wish.kind === 'label' && wish.label === range);
    if (!isMet)
        throw new PromptHubError('not_locked', `prompts.lock has ${name} ${range} at ${version}, which is not what was asked for.`);
}
function invalid(message) {
    return new PromptHubError('invalid_request', message);
}
