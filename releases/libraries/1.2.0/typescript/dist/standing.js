import { satisfies } from "./ranges.js";
/** Maximum number of reported events that are remembered. Beyond that no more are reported, because any of them might be a repetition. */
const MAX_WARNED = 10_000;
/** Derives notices from the cached records, and reports those about the prompts in use. */
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
    /** Reports notices about a version once the unread records have arrived. Does not wait for them, and reports nothing if they are unavailable. */
    ask(name, version, unasked) {
        if (unasked.length === 0) {
            this.#say(name, version);
            return;
        }
        const asked = unasked.map((each) => each === 'record'
            ? this.#repositories.get(this.#recordUrl(name), true)
            : this.#lists.get(this.#listUrl(name), true));
        Promise.all(asked).then(() => this.#say(name, version), () => {
            // The prompt was returned anyway, and the next call tries again.
        });
    }
    /** The notices about a version. @returns undefined while no record of its prompt is cached */
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
        if (this.#said.has(key) || this.#said.size >= MAX_WARNED)
            return;
        this.#said.add(key);
        this.#onEvent(event);
    }
}
