import { pathToFileURL } from 'node:url'
import { CliError } from '@rfqctl/lib/cli-error'
import { writeSignInPage } from '@rfqctl/relay/app/sign-in-page'
import type { Cli } from '../cli.ts'
import { operatorClient, operatorToken } from '../context/operator.ts'
import { dataDirOf, type RelayOptions, relayUrl } from '../context/targets.ts'
import { openPage } from '../terminal/open-page.ts'

/**
 * Opens the signed-in dashboard page. Without a browser it prints the path of a file: that file holds the token, which
 * is never printed.
 */
export async function openDashboardPage(cli: Cli, options: RelayOptions): Promise<void> {
  const url = relayUrl(cli, options)
  // A wrong token or an unreachable relay is reported here rather than on a page.
  await operatorClient(cli, options).listReviews({ signal: cli.stop })
  const operateUrl = `${url}/desk`
  await assertServed(operateUrl, cli.stop)
  const path = writeSignInPage(dataDirOf(cli, options), { url, token: operatorToken(cli, options) })
  const isOpen = await openPage(pathToFileURL(path).href, cli)
  cli.out.print({ type: 'opened', operateUrl, file: path, isOpen }, isOpen ? `opened ${operateUrl}` : operateUrl)
  if (!isOpen) cli.out.note(`no browser opened: open ${path}`)
}

async function assertServed(operateUrl: string, signal: AbortSignal): Promise<void> {
  const { status } = await fetch(operateUrl, { method: 'HEAD', signal })
  if (status === 200) return
  throw new CliError('the relay serves no pages', {
    code: 'no_pages',
    why: [`${operateUrl} is ${status}`],
    hint: 'start it with WEB=on, or watch it here: rfqctl dashboard',
  })
}
