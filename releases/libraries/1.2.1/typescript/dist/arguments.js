// Parses the arguments of `PromptHub.get`: a name and an optional version, range or label.
import { FULL_NAME } from "./lock.js";
import { readWish } from "./ranges.js";
import { PromptHubError } from "./trouble.js";
/** Parses the arguments of `get`. @throws PromptHubError `invalid_request` for invalid arguments */
export function parseArguments(name, { version, range, label }) {
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
function invalid(message) {
    return new PromptHubError('invalid_request', message);
}
