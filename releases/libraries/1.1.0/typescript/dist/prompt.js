import { fillContent } from "./filling.js";
import { findVariables } from "./verify.js";
/** Makes a prompt of its facts. */
export function makePrompt(facts) {
    return { ...facts, fill: (values) => fillContent(facts.content, facts.variables, values) };
}
/** The facts that stand in a version's record. */
export function factsOf(record) {
    const { full_name, version, content, content_sha256, variables, parameters } = record;
    return { name: full_name, version, content, sha256: content_sha256, variables, parameters };
}
/** The facts of the text that the caller gave for when the hub cannot be reached. */
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
/** The source of a prompt that took two answers: that of the answer which came from farther away. */
export function slower(a, b) {
    return ['stale', 'network', 'disk'].find((source) => source === a || source === b) ?? 'memory';
}
