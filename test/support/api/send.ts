import { type Agent, request as httpRequest } from 'node:http'
import { text } from 'node:stream/consumers'
import type { SeenAnswer } from './judge.ts'
import type { GeneratedRequest } from './requests.ts'

/** Sends a request; of a stream only its head is waited for. */
export function send(
  url: string,
  agent: Agent,
  { method, path, headers, text: body }: GeneratedRequest,
): Promise<SeenAnswer> {
  return new Promise((resolve, reject) => {
    const request = httpRequest(`${url}${path}`, { method, headers, agent }, (response) => {
      const contentType = response.headers['content-type'] ?? null
      const seen = { method, path, status: response.statusCode ?? 0, contentType }
      if (!contentType?.startsWith('text/event-stream')) {
        text(response).then((all) => resolve({ ...seen, text: all }), reject)
        return
      }
      resolve({ ...seen, text: '' })
      request.destroy()
    })
    request.on('error', reject)
    request.end(body)
  })
}
