// The types of the hub's responses, as far as this library reads them, and their validation.
import { PromptHubError } from "./trouble.js";
import { requireDigest } from "./verify.js";
/** Parses a list of versions. @throws PromptHubError `unavailable` when the text is invalid */
export function readVersionList(text, url) {
    const data = readData(text, url);
    const isList = Array.isArray(data) &&
        data.every((row) => isObject(row) && typeof row.version === 'string' && typeof row.yanked === 'boolean');
    if (!isList)
        throw noRecord(url);
    return data;
}
/**
 * Parses a version's record and verifies its content.
 *
 * @throws PromptHubError `unavailable` when the text is invalid, because then something other than a hub has responded; `integrity` when the content does not match the record's own SHA-256
 */
export async function readVersionRecord(text, url) {
    const record = await findVersion(readObject(text, url));
    if (!record)
        throw noRecord(url);
    return record;
}
/** Reads a version's fields and verifies its content. @returns undefined if a field is missing or invalid */
async function findVersion(data) {
    const { full_name, version, content, content_sha256, parameters } = data;
    const variables = readVariables(data.variables);
    if (typeof full_name !== 'string' || typeof version !== 'string' || !variables || !isObject(parameters))
        return undefined;
    if (typeof content !== 'string' || typeof content_sha256 !== 'string')
        return undefined;
    await requireDigest(new TextEncoder().encode(content), content_sha256, `${full_name}@${version}`);
    return { full_name, version, content, content_sha256, variables, parameters };
}
const TYPES = ['string', 'number', 'integer', 'boolean', 'enum'];
const VARIABLE_NAME = /^[A-Za-z_][A-Za-z0-9_]{0,63}$/;
/** Parses the variables in a hub's response or in a lock, adding the defaults of omitted fields. @returns undefined when invalid */
export function readVariables(value) {
    if (!Array.isArray(value))
        return undefined;
    const variables = value.map(readVariable);
    return variables.every((variable) => variable !== undefined) ? variables : undefined;
}
function readVariable(value) {
    if (!isObject(value))
        return undefined;
    const { name, description = '', type = 'string', required = true } = value;
    const { default: fallback = null, options = [], example = null } = value;
    const isVariable = typeof name === 'string' &&
        VARIABLE_NAME.test(name) &&
        typeof description === 'string' &&
        typeof type === 'string' &&
        TYPES.includes(type) &&
        typeof required === 'boolean' &&
        isScalar(fallback) &&
        Array.isArray(options) &&
        options.every((option) => typeof option === 'string') &&
        isScalar(example);
    if (!isVariable)
        return undefined;
    return { name, description, type: type, required, default: fallback, options, example };
}
function isScalar(value) {
    return value === null || ['string', 'number', 'boolean'].includes(typeof value);
}
/** Parses a repository's record and verifies the latest version in it. @throws PromptHubError like `readVersionRecord` */
export async function readRepositoryRecord(text, url) {
    const data = readObject(text, url);
    const isRecord = typeof data.full_name === 'string' &&
        typeof data.status === 'string' &&
        (data.latest_version === null || typeof data.latest_version === 'string') &&
        isObject(data.labels) &&
        Array.isArray(data.versions);
    if (!isRecord)
        throw noRecord(url);
    const latest = await findVersion({ ...data, version: data.latest_version });
    return { ...data, latest };
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
        // A text that is not JSON is not a record either; the error is thrown below.
    }
    throw noRecord(url);
}
/** Whether a value is a JSON object. */
export function isObject(value) {
    return typeof value === 'object' && value !== null && !Array.isArray(value);
}
function noRecord(url) {
    return new PromptHubError('unavailable', `${url} did not return a Prompt Hub record.`);
}
