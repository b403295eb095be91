import { satisfies } from "./ranges.js";
/** So many events are remembered as told. Beyond that no more are told, for any of them might have been told before. */
const MOST_SAID = 10_000;
/** Knows the standing of prompts from the records that the cache holds, and tells the program what is wrong with those that it uses. */
export class StandingWatch {
    #url;
    #repositories;
    #lists;
    #onEvent;
    #said = new Set();
    constructor(url, repositories, lists, onEvent) {
        this.#url = url;
        this.#repositories = repositories;
        this.#lists = lists;
        this.#onEvent = onEvent;
    }
    /** Tells what is wrong with a version, once the records that the caller has not read are there. It does not wait for them, and when they cannot be had nothing is told. */
    ask(name, version, unasked) {
        if (unasked.length === 0) {
            this.#say(name, version);
            return;
        }
        const asked = unasked.map((each) => each === 'record'
            ? this.#repositories.get(this.#recordUrl(name), true)
            : this.#lists.get(this.#listUrl(name), true));
        Promise.all(asked).then(() => this.#say(name, version), () => {
            // The prompt was got all the same, and the next call asks again.
        });
    }
    /** The standing of a version. @returns undefined while no record of its prompt is held */
    of(name, version) {
        const record = this.#repositories.peek(this.#recordUrl(name));
        const rows = this.#lists.peek(this.#listUrl(name));
        if (!record && !rows)
            return undefined;
        const row = rows?.find((each) => each.version === version);
        return {
            deprecated: record && record.status !== 'active' ? (record.status_message ?? record.status) : null,
            yanked: row?.yanked ? (row.yank_reason ?? 'yanked') : null,
            advisories: record?.advisories?.filter(({ range }) => satisfies(version, range)) ?? [],
        };
    }
    #recordUrl(name) {
        return `${this.#url}/data/v1/repos/${name}.json`;
    }
    #listUrl(name) {
        return `${this.#url}/data/v1/repos/${name}/versions.json`;
    }
    #say(name, version) {
        const standing = this.of(name, version);
        if (!standing)
            return;
        const { deprecated, yanked, advisories } = standing;
        if (deprecated !== null)
            this.#sayOnce({ type: 'deprecated', name, message: deprecated });
        if (yanked !== null)
            this.#sayOnce({ type: 'yanked', name, version, reason: yanked });
        for (const { severity, message } of advisories)
            this.#sayOnce({ type: 'advisory', name, version, severity, message });
    }
    #sayOnce(event) {
        const key = JSON.stringify(event);
        if (this.#said.has(key) || this.#said.size >= MOST_SAID)
            return;
        this.#said.add(key);
        this.#onEvent(event);
    }
}
