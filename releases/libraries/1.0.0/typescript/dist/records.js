// Owns the shapes of what a hub answers, as far as this library reads them, and the check that an answer has them.
import { PromptHubError } from "./trouble.js";
/** @throws PromptHubError `unavailable` when the text is no list of versions */
export function readVersionList(text, url) {
    const data = readData(text, url);
    const isList = Array.isArray(data) &&
        data.every((row) => isObject(row) && typeof row.version === 'string' && typeof row.yanked === 'boolean');
    if (!isList)
        throw noRecord(url);
    return data;
}
/** @throws PromptHubError `unavailable` when the text is no version record: whoever answered is no hub */
export function readVersionRecord(text, url) {
    const data = readObject(text, url);
    const isRecord = typeof data.full_name === 'string' &&
        typeof data.version === 'string' &&
        typeof data.content === 'string' &&
        typeof data.content_sha256 === 'string' &&
        Array.isArray(data.variables) &&
        isObject(data.parameters);
    if (!isRecord)
        throw noRecord(url);
    return data;
}
/** @throws PromptHubError `unavailable` when the text is no repository record */
export function readRepositoryRecord(text, url) {
    const data = readObject(text, url);
    const isRecord = typeof data.full_name === 'string' &&
        typeof data.status === 'string' &&
        (data.latest_version === null || typeof data.latest_version === 'string') &&
        isObject(data.labels) &&
        Array.isArray(data.versions);
    if (!isRecord)
        throw noRecord(url);
    return data;
}
/** The latest version as it stands in a repository's record; undefined when it does not stand there. */
export function latestOf(record) {
    const { full_name, latest_version, content, content_sha256, variables, parameters } = record;
    if (typeof latest_version !== 'string' || typeof content !== 'string' || typeof content_sha256 !== 'string')
        return undefined;
    if (!Array.isArray(variables) || !isObject(parameters))
        return undefined;
    return { full_name, version: latest_version, content, content_sha256, variables, parameters };
}
function readObject(text, url) {
    const data = readData(text, url);
    if (!isObject(data))
        throw noRecord(url);
    return data;
}
function readData(text, url) {
    try {
        const answer = JSON.parse(text);
        if (isObject(answer))
            return answer.data;
    }
    catch {
        // Said below: what is no JSON is no record either.
    }
    throw noRecord(url);
}
/** Whether a value is a JSON object. */
export function isObject(value) {
    return typeof value === 'object' && value !== null && !Array.isArray(value);
}
function noRecord(url) {
    return new PromptHubError('unavailable', `${url} did not answer with a record of a Prompt Hub.`);
}
