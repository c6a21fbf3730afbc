/** `moved`: its content continues elsewhere. `went_back`: it has lost data that its relay still has. */
export type StoreOpenReason = 'in_use' | 'corrupt' | 'moved' | 'went_back'

/** A store that is not opened; its files stay as they were. The CLI exits with 10 on `in_use`, otherwise with 9. */
export class StoreOpenError extends Error {
  override readonly name = 'StoreOpenError'
  readonly reason: StoreOpenReason
  readonly path: string
  readonly hint: string

  constructor(
    reason: StoreOpenReason,
    { message, path, hint, cause }: { message: string; path: string; hint: string; cause?: unknown },
  ) {
    super(message, cause === undefined ? {} : { cause })
    this.reason = reason
    this.path = path
    this.hint = hint
  }
}

const RESTORE = 'restore a backup with rfqctl db restore FOLDER, or start with an empty store in another --data-dir'

/** A file that this store did not write. Nothing is repaired by guessing, and no empty store is started beside it. */
export const corrupt = (
  path: string,
  fault: string,
  { cause, hint = RESTORE }: { cause?: unknown; hint?: string } = {},
): StoreOpenError =>
  new StoreOpenError('corrupt', { message: `${path} ${fault}. The file was left unchanged.`, path, hint, cause })

export const wentBackInTime = (): StoreOpenError =>
  new StoreOpenError('went_back', {
    message: 'The database went back in time. What this relay remembers may be lost to it.',
    path: 'DATABASE_URL',
    hint: 'start the relay again: it continues from what the database holds',
  })
