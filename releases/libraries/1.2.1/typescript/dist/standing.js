import { satisfies } from "./ranges.js";
/** The notices about a version. @returns undefined without any record of its prompt */
export function standingOf(version, record, rows) {
    if (!record && !rows)
        return undefined;
    const row = rows?.find((each) => each.version === version);
    return {
        deprecated: record && record.status !== 'active' ? (record.status_message ?? record.status) : null,
        yanked: row?.yanked ? (row.yank_reason ?? 'yanked') : null,
        advisories: record?.advisories?.filter(({ range }) => satisfies(version, range)) ?? [],
    };
}
/** The events for a version's notices. */
export function eventsOf(name, version, standing) {
    if (!standing)
        return [];
    const { deprecated, yanked, advisories } = standing;
    return [
        ...(deprecated === null ? [] : [{ type: 'deprecated', name, message: deprecated }]),
        ...(yanked === null ? [] : [{ type: 'yanked', name, version, reason: yanked }]),
        ...advisories.map(({ severity, message }) => ({ type: 'advisory', name, version, severity, message })),
    ];
}
