// Changes what is published: labels, yanks, status and texts, with a token.
import { HUB_URL } from "./address.js";
import { parseArguments } from "./arguments.js";
import { isHubUrl } from "./lock.js";
import { isObject } from "./records.js";
import { isLoopback } from "./redirects.js";
import { ask, requestSettings } from "./requests.js";
import { PromptHubError } from "./trouble.js";
/**
 * Changes prompts on a hub. Each call makes one commit, or none when nothing changes, so a call may be repeated. Every call throws PromptHubError: `invalid_request` when nothing was sent, `not_found`, `refused` (with `status` 403 for a missing permission, 409 when `expected` differs) or `unavailable` according to the hub's response.
 */
export class HubManager {
    #url;
    #options;
    /** @throws PromptHubError `invalid_request` for an invalid URL or token */
    constructor(options) {
        this.#url = (options.url ?? HUB_URL).replace(/\/$/, '');
        this.#options = options;
        if (!isHubUrl(this.#url))
            throw new PromptHubError('invalid_request', `url: expected the URL of a hub, got ${JSON.stringify(this.#url)}`);
        if (!/^[\w.~+/=-]+$/.test(options.token))
            throw new PromptHubError('invalid_request', 'token: expected a token, without spaces and line breaks');
        const { protocol, hostname } = new URL(this.#url);
        if (protocol !== 'https:' && !isLoopback(hostname))
            throw new PromptHubError('invalid_request', 'url: expected https, so that nobody on the network can read the token');
    }
    /** Points a label at a version. @param expected the version it must point at now, or null if the label must not exist */
    async setLabel(name, label, version, expected) {
        return this.#send('PUT', name, `/labels/${encodeURIComponent(label)}`, { version, expected });
    }
    /** Removes a label. */
    async removeLabel(name, label, expected) {
        const body = expected === undefined ? undefined : { expected };
        return this.#send('DELETE', name, `/labels/${encodeURIComponent(label)}`, body);
    }
    /** Yanks a version. @param reason 1 to 500 characters */
    async yank(name, version, reason) {
        return this.#send('PUT', name, `/versions/${encodeURIComponent(version)}/yank`, { reason });
    }
    /** Undoes a yank. */
    async unyank(name, version) {
        return this.#send('DELETE', name, `/versions/${encodeURIComponent(version)}/yank`, undefined);
    }
    /** Changes title, description, tags, licence, status and related fields, or the readme. */
    async change(name, changes) {
        return this.#send('PATCH', name, '', changes);
    }
    async #send(method, name, rest, body) {
        const { fullName } = parseArguments(name, {});
        const url = `${this.#url}/api/v1/repos/${fullName}${rest}`;
        const write = { method, token: this.#options.token, body: body && JSON.stringify(body) };
        const reply = await ask(url, undefined, requestSettings(this.#options), write);
        try {
            const { data } = JSON.parse(reply.kind === 'new' ? reply.text : '{}');
            if (isObject(data) && typeof data.unchanged === 'boolean')
                return { unchanged: data.unchanged, commit: data.commit ?? null };
        }
        catch {
            // The error is thrown below.
        }
        throw new PromptHubError('unavailable', `${url} accepted the change, but did not respond like a hub.`);
    }
}
