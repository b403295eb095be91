// Owns the thread that reads content ahead.
import { Tinypool } from 'tinypool'
import { type Chunk, type ChunkGiven, readChunk } from './read-chunk.ts'

const given: ChunkGiven = Tinypool.workerData

/** Reads a chunk of the folder that the thread was started with. */
export const read = (chunk: Chunk) => readChunk(chunk, given)
