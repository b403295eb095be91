// Plans the .gitattributes next to a lock, which prevents git from changing line endings of the lock and of vendored files.
import { lstat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { readVendored } from "./files.js";
import { attributesLine } from "./lock.js";
const NAME = '.gitattributes';
const HEAD = '# Keeps git from changing line ends: prompts.lock knows the bytes of these files.';
/** @param target path of the prompt's content, relative to the lock's folder */
export async function planAttributes(lockPath, target) {
    const folder = dirname(resolve(lockPath));
    const needed = [attributesLine(basename(lockPath)), attributesLine(target)];
    const there = await lstat(join(folder, NAME)).catch(() => undefined);
    if (!there)
        return write([HEAD, ...needed]);
    const bytes = there.isFile() ? await readVendored(folder, NAME).catch(() => undefined) : undefined;
    const lines = new TextDecoder().decode(bytes).split(/\r?\n/);
    if (lines.at(-1) === '')
        lines.pop();
    const missing = needed.filter((line) => !lines.includes(line));
    if (missing.length === 0)
        return { kind: 'none' };
    if (lines[0] === HEAD)
        return write([...lines, ...missing]);
    const quoted = missing.map((line) => `"${line}"`).join(' and ');
    return { kind: 'say', sentence: `add to ${NAME}, so that git does not change line endings: ${quoted}` };
}
function write(lines) {
    return { kind: 'write', path: NAME, text: lines.map((line) => `${line}\n`).join('') };
}
