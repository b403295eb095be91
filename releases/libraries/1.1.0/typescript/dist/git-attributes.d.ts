/** What is to be done: write the file, tell a person what to add to a file of their own, or nothing. */
export type AttributesPlan = {
    kind: 'write';
    path: string;
    text: string;
} | {
    kind: 'say';
    sentence: string;
} | {
    kind: 'none';
};
/** @param target where the content of the prompt goes, from the lock's folder */
export declare function planAttributes(lockPath: string, target: string): Promise<AttributesPlan>;
