import type { FastifyReply } from 'fastify'

export type Page = { html: string | Buffer; policy: string }

/** Browsers revalidate each time, so that they show the relay that runs now. */
export const sendPage = (reply: FastifyReply, { html, policy }: Page): FastifyReply =>
  reply
    .headers({
      'cache-control': 'no-cache',
      'content-security-policy': policy,
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
    })
    .type('text/html; charset=utf-8')
    .send(html)
