import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { writePrivateText } from '@rfqctl/lib/private-file'
import { html } from '../server/html.ts'

const pathIn = (dataDir: string): string => join(dataDir, 'sign-in.html')

/**
 * Writes a page that opens the operator's page signed in, readable by its owner only, and returns its path. The browser
 * gets the path, because a token in the address would show in the list of processes, which everyone on this machine
 * sees. The token follows a `#`, so no server receives it.
 */
export function writeSignInPage(dataDir: string, { url, token }: { url: string; token: string }): string {
  const { href } = new URL(`${url}/desk#token=${encodeURIComponent(token)}`)
  const path = pathIn(dataDir)
  const page = html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="referrer" content="no-referrer">
<meta http-equiv="refresh" content="0; url=${href}"><title>rfqctl</title></head>
<body><p><a href="${href}">Operate the relay</a></p></body></html>
`
  writePrivateText(path, page.html)
  return path
}

/** Its token may be another relay's by now, and no one needs it twice. */
export const removeSignInPage = (dataDir: string): void => rmSync(pathIn(dataDir), { force: true })
