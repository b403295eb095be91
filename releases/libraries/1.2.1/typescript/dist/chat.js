// Chat prompts: splits a text with role lines into messages, and converts them for the model SDKs.
import { fillTexts } from "./filling.js";
import { PromptHubError } from "./trouble.js";
/**
 * A role line or a history line. Only LF ends a line, optionally after a CR; a byte order mark may precede the first one. The hub has the same pattern, and a shared table of test cases keeps them equal.
 */
const MARKER_LINE = /(?:^\uFEFF?|(?<=\n))[ \t]*\{\{(?:role "(system|user|assistant)"|history)\}\}[ \t]*\r?(?=\n|$)/g;
/** Splits a prompt's text at its role lines; empty if other text comes before the first one. */
export function splitChat(content) {
    const lines = [...content.matchAll(MARKER_LINE)];
    if (!lines[0] || content.slice(0, lines[0].index).trim() !== '')
        return [];
    return lines.map((match, index) => match[1] === undefined
        ? { type: 'history' }
        : {
            role: match[1],
            content: trimLineEnds(content.slice(match.index + match[0].length, lines[index + 1]?.index)),
        });
}
/**
 * Trims line breaks around a message. A lone CR at its start stays, because what follows could otherwise become a role line. It uses no regular expression, which would take quadratic time in the number of line breaks.
 */
function trimLineEnds(text) {
    let from = 0;
    let to = text.length;
    while (from < to && (text[from] === '\n' || text.startsWith('\r\n', from)))
        from += text[from] === '\n' ? 1 : 2;
    while (to > from && (text[to - 1] === '\n' || text[to - 1] === '\r'))
        to--;
    return text.slice(from, to);
}
/**
 * The messages of a chat prompt with their variables filled in, separately for each message: a value never creates a message.
 *
 * @param history inserted unchanged at `{{history}}`
 * @throws PromptHubError `invalid_values`, also if the prompt is not a chat prompt, or has no `{{history}}` line for the history
 */
export function fillChat(content, variables, values, history = []) {
    const parts = splitChat(content);
    if (!parts.some((part) => 'role' in part))
        throw new PromptHubError('invalid_values', 'this prompt is a text without roles; use fill');
    if (history.length > 0 && parts.every((part) => 'role' in part))
        throw new PromptHubError('invalid_values', 'history: this prompt has no {{history}} line');
    const texts = parts.flatMap((part) => ('role' in part ? [part.content] : []));
    // A text without a record has a variable for each placeholder; this one is not a variable.
    const known = variables.filter(({ name }) => name !== 'history');
    const filled = fillTexts(texts, known, values).values();
    return parts.flatMap((part) => 'role' in part ? [{ role: part.role, content: filled.next().value }] : [...history]);
}
/** Messages in the format of Anthropic's SDK: `client.messages.create({ model, max_tokens, ...forAnthropic(messages) })`. */
export function forAnthropic(messages) {
    const { system, turns } = takeSystem(messages);
    return { ...(system === undefined ? {} : { system }), messages: turns };
}
/** Messages in the format of Gemini's API, where the assistant is called model. */
export function forGemini(messages) {
    const { system, turns } = takeSystem(messages);
    return {
        ...(system === undefined ? {} : { systemInstruction: { parts: [{ text: system }] } }),
        contents: turns.map(({ role, content }) => ({
            role: role === 'assistant' ? 'model' : 'user',
            parts: [{ text: content }],
        })),
    };
}
function takeSystem(messages) {
    const system = messages.filter(({ role }) => role === 'system').map(({ content }) => content);
    const turns = messages.flatMap(({ role, content }) => (role === 'system' ? [] : [{ role, content }]));
    return { system: system.length === 0 ? undefined : system.join('\n\n'), turns };
}
