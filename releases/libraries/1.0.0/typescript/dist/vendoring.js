// Owns changing a lock and the vendored files that it names: everything is fetched and checked first, then all of it appears or none. docs/lock-file.md.
import { createHash } from 'node:crypto';
import { open, rm, rmdir } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { makeFolders, putAll, readLockFile, readVendored, requireNoLink, writeTemporary } from "./files.js";
import { emptyLock, formatLock, isSafePath, parseLock } from "./lock.js";
import { PromptHub } from "./prompt-hub.js";
import { isVersion, readWish } from "./ranges.js";
import { PromptHubError } from "./trouble.js";
const PATIENCE_MS = 5_000;
/**
 * Adds a prompt to a lock, or gives it another range, and writes its content.
 *
 * @param lockPath where `prompts.lock` lies or is to lie
 * @param url the hub, when there is no lock yet
 * @returns the version that was chosen
 */
export async function addToLock(lockPath, { name, path }, url) {
    const [fullName = '', given] = name.split('@');
    const address = (await readLockFile(lockPath))?.hub ?? url;
    const hub = new PromptHub(address === undefined ? {} : { url: address });
    const wish = given === undefined ? undefined : readWish(given);
    if (given !== undefined && !wish)
        throw new PromptHubError('invalid_request', `${name}: ${given} is no version, range or label.`);
    const prompt = await hub.get(wish?.kind === 'version' ? `${fullName}@${given}` : name);
    const version = prompt.version;
    const target = path ?? `prompts/${fullName}.md`;
    if (!isSafePath(target))
        throw new PromptHubError('invalid_request', `${target} leaves the folder or cannot be kept everywhere.`);
    await changeLock(lockPath, hub.url, (lock) => {
        lock.prompts[fullName] = { range: given ?? `^${version}`, version, sha256: prompt.sha256, path: target };
        return [[target, prompt.content, fullName]];
    });
    return version;
}
/**
 * Writes exactly what a lock says; what is there already is checked and left.
 *
 * @returns how many files were written
 * @throws PromptHubError `integrity` when the hub has other bytes: then nothing is replaced
 */
export async function installLock(lockPath) {
    const lock = await readLockFile(lockPath);
    if (!lock)
        throw new PromptHubError('invalid_request', `There is no lock at ${lockPath}.`);
    const hub = new PromptHub({ url: lock.hub });
    const missing = await findChanged(lockPath, lock);
    const contents = await Promise.all(missing.map(async (name) => {
        const { version, sha256, path } = lock.prompts[name];
        const prompt = await hub.get(name, { version });
        if (prompt.sha256 !== sha256)
            throw new PromptHubError('integrity', `${name}@${version}: the hub has other bytes than prompts.lock. Nothing was replaced.`);
        return [path, prompt.content, name];
    }));
    if (contents.length > 0)
        await changeLock(lockPath, lock.hub, () => contents);
    return contents.length;
}
/** The prompts of a lock whose vendored file is missing or has other bytes, by full name. Asks nobody. */
export async function findChanged(lockPath, lock) {
    const folder = dirname(resolve(lockPath));
    const checked = await Promise.all(Object.entries(lock.prompts).map(async ([name, { sha256, path }]) => {
        const bytes = await readVendored(folder, path);
        return bytes && digestOf(bytes) === sha256 ? [] : [name];
    }));
    return checked.flat();
}
/** @param change changes the lock as it is by then, and says which contents go where for which prompt */
async function changeLock(lockPath, hub, change) {
    const path = resolve(lockPath);
    const folder = dirname(path);
    const handle = await takeTurn(`${path}.new`);
    const staged = [];
    const made = [];
    try {
        const lock = (await readLockFile(path)) ?? emptyLock(hub);
        const known = new Map(Object.values(lock.prompts).map((each) => [each.path, each.sha256]));
        const contents = change(lock);
        parseLock(formatLock(lock));
        for (const [target, content, name] of contents) {
            await requireOurs(folder, target, content, name, known, lock.hub);
            const place = join(folder, target);
            await makeFolders(dirname(place), made);
            const before = await readVendored(folder, target);
            const each = { place, temporary: await writeTemporary(place, content) };
            staged.push(each);
            if (before)
                each.before = await writeTemporary(place, before);
        }
        await handle.writeFile(formatLock(lock));
        await handle.sync();
        await handle.close();
        await putAll([...staged, { place: path, temporary: `${path}.new` }]);
    }
    catch (error) {
        await handle.close().catch(() => {
            // It was closed before the renames began.
        });
        for (const { temporary } of staged)
            await rm(temporary, { force: true });
        for (const dir of made.reverse())
            await rmdir(dir).catch(() => {
                // Somebody put something into it meanwhile.
            });
        await rm(`${path}.new`, { force: true });
        throw error;
    }
    finally {
        for (const { before } of staged)
            if (before !== undefined)
                await rm(before, { force: true });
    }
}
/** One run at a time: whoever makes the file has the turn. */
async function takeTurn(path) {
    const endsAt = Date.now() + PATIENCE_MS;
    for (;;) {
        try {
            return await open(path, 'wx');
        }
        catch (error) {
            if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST'))
                throw error;
            if (Date.now() > endsAt)
                throw new PromptHubError('invalid_request', `${path} is there: another run is at work. Delete it if none is.`, {
                    cause: error,
                });
            await new Promise((done) => setTimeout(done, 50));
        }
    }
}
/** A file that somebody wrote by hand is never replaced: it must hold what the lock names, what is to be written, or a version of that prompt. */
async function requireOurs(folder, target, content, name, known, hub) {
    await requireNoLink(folder, target);
    const bytes = await readVendored(folder, target);
    if (!bytes)
        return;
    const digest = digestOf(bytes);
    if (digest === known.get(target) || digest === digestOf(new TextEncoder().encode(content)))
        return;
    const versions = await new PromptHub({ url: hub }).listVersions(name);
    if (versions.some(({ version, content_sha256 }) => isVersion(version) && content_sha256 === digest))
        return;
    throw new PromptHubError('integrity', `${target} was changed by hand. Move it away, then try again; nothing was replaced.`);
}
function digestOf(bytes) {
    return createHash('sha256').update(bytes).digest('hex');
}
