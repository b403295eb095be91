// Plans the .gitattributes next to a lock, which prevents git from changing line endings of the lock and of vendored files.
import { lstat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { readVendored } from "./files.js";
import { attributesLine } from "./lock.js";
/** The name of the file. */
export const ATTRIBUTES = '.gitattributes';
const HEAD = '# Keeps git from changing line ends: prompts.lock knows the bytes of these files.';
/**
 * Plans the file for a prompt that is added to a lock.
 *
 * @param target path of the prompt's content, relative to the lock's folder
 * @returns the new text of the file, or what the user must add to their own one; neither if nothing is missing
 */
export async function planAttributes(lockPath, target) {
    const folder = dirname(resolve(lockPath));
    const needed = [attributesLine(basename(lockPath)), attributesLine(target)];
    const there = await lstat(join(folder, ATTRIBUTES)).catch(() => undefined);
    if (!there)
        return { text: formatLines([HEAD, ...needed]) };
    const bytes = there.isFile() ? await readVendored(folder, ATTRIBUTES).catch(() => undefined) : undefined;
    const lines = new TextDecoder().decode(bytes).split(/\r?\n/);
    if (lines.at(-1) === '')
        lines.pop();
    const missing = needed.filter((line) => !lines.includes(line));
    if (missing.length === 0)
        return {};
    if (lines[0] === HEAD)
        return { text: formatLines([...lines, ...missing]) };
    const quoted = missing.map((line) => `"${line}"`).join(' and ');
    return { sentence: `add to ${ATTRIBUTES}, so that git does not change line endings: ${quoted}` };
}
function formatLines(lines) {
    return lines.map((line) => `${line}\n`).join('');
}
