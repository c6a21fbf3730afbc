import type { FastifyReply } from 'fastify'

/** A page, and the policy under which it is shown. */
export type Page = { html: string | Buffer; policy: string }

/** Sends a page. It is asked for each time, so that what a browser shows is of the relay that runs now. */
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
