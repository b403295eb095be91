/**
 * A declaration file with the value types of each prompt in a lock.
 *
 * @param prompts full name → its variables
 */
export function writeTypes(prompts) {
    const entries = [...prompts]
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(([name, variables]) => {
        const fields = variables.map((variable) => `${commentOf(variable)}      ${fieldOf(variable)}\n`);
        return `    '${name}': {\n${fields.join('')}    }\n`;
    });
    return `// Made by \`prompt-hub types\` from prompts.lock; make it anew after each change of the lock.
import 'prompt-hub-client'

declare module 'prompt-hub-client' {
  interface PromptValues {
${entries.join('')}  }
}
`;
}
/** A variable with a default is optional, even if it is declared as required. */
function fieldOf({ name, type, required, default: fallback, options }) {
    const isNeeded = required && fallback === null;
    const written = {
        string: 'string',
        number: 'number | string',
        integer: 'number | string',
        boolean: 'boolean | string',
        enum: '',
    }[type];
    return `${name}${isNeeded ? '' : '?'}: ${written || options.map((option) => JSON.stringify(option)).join(' | ') || 'never'}`;
}
/** Writes a description as a comment. It is untrusted text, so a `*\/` in it is broken up. */
function commentOf({ description }) {
    const line = description.replace(/\s+/g, ' ').replaceAll('*/', '* /').trim();
    return line === '' ? '' : `      /** ${line} */\n`;
}
