import { satisfies } from "./ranges.js";
/** Most events remembered as told. */
const MOST_SAID = 10_000;
/** What is known of the standing of prompts, out of the records that were read anyway. */
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
    /** Asks for what the caller has not asked for, and tells what it says. Nobody waits for it, and its failure is nobody's. */
    ask(name, version, unasked) {
        if (unasked.length === 0) {
            this.#say(name, version);
            return;
        }
        const asked = unasked.map((each) => each === 'record'
            ? this.#repositories.get(this.#recordUrl(name), true)
            : this.#lists.get(this.#listUrl(name), true));
        Promise.all(asked).then(() => this.#say(name, version), () => {
            // What was got is right either way; the next call asks again.
        });
    }
    /** @returns undefined while nothing is known */
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
