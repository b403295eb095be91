import { fillChat } from "./chat.js";
import { fillContent, findVariables } from "./filling.js";
/** Creates a prompt from its metadata. */
export function makePrompt(facts) {
    const { content, variables } = facts;
    return {
        ...facts,
        fill: (values) => fillContent(content, variables, values),
        messages: (values, { history } = {}) => fillChat(content, variables, values, history),
    };
}
/** The metadata from a version's record. */
export function factsOf(record) {
    const { full_name, version, content, content_sha256, variables, parameters } = record;
    return { name: full_name, version, content, sha256: content_sha256, variables, parameters };
}
/** The metadata of the caller's fallback text. */
export function fallbackFacts(name, content) {
    const unknown = { version: null, sha256: null, parameters: {}, standing: undefined };
    return { name, content, variables: findVariables(content), source: 'fallback', ageMs: 0, ...unknown };
}
/** The source of a prompt that was read from two responses: the more distant one. */
export function slower(a, b) {
    return ['stale', 'network', 'disk'].find((source) => source === a || source === b) ?? 'memory';
}
