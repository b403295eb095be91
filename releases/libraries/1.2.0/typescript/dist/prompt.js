import { fillChat } from "./chat.js";
import { fillContent } from "./filling.js";
import { findVariables } from "./verify.js";
/** Creates a prompt from its metadata. */
export function makePrompt(facts) {
    const { content, variables } = facts;
    return {
        ...facts,
        fill: (values) => fillContent(content, variables, values),
        messages: (values, { history } = {}) => fillChat(content, variables, values, history),
    };
}
/** The metadata in a version's record. */
export function factsOf(record) {
    const { full_name, version, content, content_sha256, variables, parameters } = record;
    return { name: full_name, version, content, sha256: content_sha256, variables, parameters };
}
/** The metadata of the caller's fallback text. */
export function fallbackFacts(name, content) {
    const variables = findVariables(content);
    return {
        name,
        version: null,
        content,
        sha256: null,
        variables,
        parameters: {},
        source: 'fallback',
        ageMs: 0,
        standing: undefined,
    };
}
/** The source of a prompt from two responses: the more distant of the two. */
export function slower(a, b) {
    return ['stale', 'network', 'disk'].find((source) => source === a || source === b) ?? 'memory';
}
