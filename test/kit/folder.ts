import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A new folder for temporary files; whoever makes it removes it. */
export const newFolder = (): string => mkdtempSync(join(tmpdir(), 'rfqctl-test-'))

/** Removes a folder with all that is in it. */
export const removeFolder = (path: string): void => rmSync(path, { recursive: true, force: true })
