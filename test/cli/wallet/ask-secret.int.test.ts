import { PassThrough } from 'node:stream'
import { expect, test } from 'vitest'
import { createAskSecret } from '../../../src/cli/wallet/ask-secret.ts'

/** A terminal that a test types at; `screen` is what it shows. */
function terminal() {
  const stdin = new PassThrough()
  const controller = new AbortController()
  const shown: string[] = []
  const stderr = { write: (text: string) => shown.push(text) }
  const askSecret = createAskSecret({
    stdin,
    stderr,
    stop: controller.signal,
    onInterrupt: () => controller.abort('interrupted'),
  })
  return { askSecret, stdin, stop: controller, screen: () => shown.join('') }
}

test('the typed text is the answer and is not shown, corrections included', async () => {
  const { askSecret, stdin, screen } = terminal()
  const answer = askSecret('Password: ')
  stdin.write('secrex\u007ft\r')
  expect(await answer).toBe('secret')
  expect(screen()).toBe('Password: \n')
})

test('an answer that is no secret is shown as it is typed, and the next secret is not', async () => {
  const { askSecret, stdin, screen } = terminal()
  const answer = askSecret('Send it? ', true)
  stdin.write('yes\r')
  expect(await answer).toBe('yes')
  expect(screen()).toBe('Send it? yes\r\n')
  const secret = askSecret('Password: ')
  stdin.write('secret\r')
  expect(await secret).toBe('secret')
  expect(screen()).toBe('Send it? yes\r\nPassword: \n')
})

test('one question follows another', async () => {
  const { askSecret, stdin } = terminal()
  const first = askSecret('New password: ')
  stdin.write('one\r')
  await first
  const second = askSecret('Repeat it: ')
  stdin.write('two\r')
  expect(await second).toBe('two')
})

test('the terminal stays mute while the answer is worked on, whatever is typed ahead', async () => {
  const modes: boolean[] = []
  const { askSecret, stdin, screen } = terminal()
  Object.assign(stdin, { setRawMode: (isRaw: boolean) => modes.push(isRaw) })
  const first = askSecret('Password: ')
  stdin.write('wrong\r')
  await first
  // Whoever asks has not let the process look at its input again.
  stdin.write('typed ahead')
  expect(modes).toEqual([true])
  const second = askSecret('Password: ')
  stdin.write('\u0015right\r')
  expect(await second).toBe('right')
  expect(modes).toEqual([true])
  stdin.write('more')
  while (modes.length < 2) await new Promise((resolve) => setImmediate(resolve))
  expect({ modes, screen: screen() }).toEqual({ modes: [true, false], screen: 'Password: \nPassword: \n' })
})

test('Ctrl-C ends the asking with the reason of everything', async () => {
  const { askSecret, stdin, screen } = terminal()
  const answer = askSecret('Password: ')
  stdin.write('half\u0003')
  await expect(answer).rejects.toBe('interrupted')
  expect(screen()).toBe('Password: \n')
})

test('the end of input is no answer', async () => {
  const { askSecret, stdin } = terminal()
  const answer = askSecret('Password: ')
  stdin.end()
  await expect(answer).rejects.toBeNull()
})

test('no one is asked after the end', async () => {
  const { askSecret, stop } = terminal()
  stop.abort('over')
  await expect(askSecret('Password: ')).rejects.toBe('over')
})
