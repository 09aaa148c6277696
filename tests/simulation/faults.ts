import { Dispatcher } from "undici";
import {
  AnsweringDispatcher,
  type Answer,
  reset,
  type Sent,
  timedOut,
} from "./answering-dispatcher.ts";

/** A request on its way. */
export interface Seen {
  /** From 1 up, of all requests that the faults have seen. */
  readonly number: number;
  /** The same of all requests that the process that asks has sent, to whichever server. */
  readonly ofAll: number;
  readonly method: string;
  readonly path: string;
  /** What is sent; empty for nothing. */
  readonly body: string;
  /** Milliseconds after which nobody waits for the answer any more. */
  readonly patience: number;
}

/** What happens to a request instead of, or after, what should happen to it. */
export type Fault =
  /** The connection is lost before the request arrives. */
  | "reset"
  /** The request is carried out, and the connection is lost before the answer. */
  | "drop"
  /** The answer is broken off half-way. */
  | "cut"
  /** Carried out twice, as by a proxy that retries; the second answer counts. */
  | "duplicate"
  /** Never carried out; nobody hears of it until the patience of whoever asks has run out. */
  | "hang"
  /** Carried out; nobody hears of it until the patience of whoever asks has run out. */
  | "carry out and hang"
  /** The process that asks is killed before the request is on its way. */
  | "crash"
  /** The process that asks is killed once the request is carried out. */
  | "carry out and crash"
  /** Something else answers. */
  | { readonly answer: Answer }
  /** The answer is another one on its way back. */
  | { readonly alter: (answer: Answer) => Answer }
  /** Another server answers, such as one that has fallen behind. */
  | { readonly by: Dispatcher }
  /** The answer comes after that. */
  | { readonly delay: () => Promise<unknown> };

/** Decides what happens to each request; undefined: nothing special. */
export type Plan = (request: Seen) => Fault | undefined;

/** A process that sends requests, to one server or to several; killed, it sends none any more. */
export class Sender {
  sent = 0;
  isKilled = false;
  readonly killed: Promise<void>;
  #tell: () => void = () => undefined;

  constructor() {
    this.killed = new Promise((resolve) => {
      this.#tell = resolve;
    });
  }

  kill(): void {
    this.isKilled = true;
    this.#tell();
  }
}

/**
 * Stands between a client and its server, and does to requests what networks, proxies and servers
 * do. It is handed to `connect` as any dispatcher is.
 */
export class Faults extends AnsweringDispatcher {
  plan: Plan;
  seen = 0;
  readonly #sender: Sender;
  readonly #server: Dispatcher;
  readonly #wait: (milliseconds: number) => Promise<void>;

  /**
   * @param wait how somebody waits in vain, so that no test has to
   * @param sender the process that asks, where it asks other servers too
   */
  constructor(
    server: Dispatcher,
    plan: Plan = () => undefined,
    wait: (milliseconds: number) => Promise<void> = () => Promise.resolve(),
    sender = new Sender(),
  ) {
    super();
    this.plan = plan;
    this.#server = server;
    this.#wait = wait;
    this.#sender = sender;
  }

  /** Settles when the process that asks has been killed, after which none of its requests arrives. */
  get crashed(): Promise<void> {
    return this.#sender.killed;
  }

  protected override async answer(sent: Sent): Promise<Answer> {
    if (this.#sender.isKilled) return never();
    this.seen += 1;
    this.#sender.sent += 1;
    const { method, path } = sent;
    const patience = sent.headersTimeout ?? 0;
    const body = typeof sent.body === "string" ? sent.body : "";
    const seen = { number: this.seen, ofAll: this.#sender.sent, method, path, body, patience };
    const fault = this.plan(seen);
    switch (fault) {
      case undefined:
        return this.#passOn(sent);
      case "reset":
        throw reset();
      case "drop":
        await this.#passOn(sent);
        throw reset();
      case "cut": {
        const { body, ...answer } = await this.#passOn(sent);
        return { ...answer, body: body.slice(0, body.length / 2), isCut: true };
      }
      case "duplicate":
        await this.#passOn(sent);
        return this.#passOn(sent);
      case "hang":
        await this.#wait(patience);
        throw timedOut();
      case "carry out and hang":
        await this.#passOn(sent);
        await this.#wait(patience);
        throw timedOut();
      case "crash":
        return this.#die();
      case "carry out and crash":
        await this.#passOn(sent);
        return this.#die();
      default:
        if ("answer" in fault) return fault.answer;
        if ("by" in fault) return this.#passOn(sent, fault.by);
        if ("alter" in fault) return fault.alter(await this.#passOn(sent));
        await fault.delay();
        return this.#passOn(sent);
    }
  }

  #die(): Promise<never> {
    this.#sender.kill();
    return never();
  }

  async #passOn(
    { headersTimeout: _, bodyTimeout: _body, ...sent }: Sent,
    server = this.#server,
  ): Promise<Answer> {
    const { statusCode, headers, body } = await server.request(sent);
    const retryAfter = headers["retry-after"];
    return {
      status: statusCode,
      ...(typeof retryAfter === "string" && { headers: { "retry-after": retryAfter } }),
      body: await body.text(),
    };
  }
}

function never(): Promise<never> {
  return new Promise(() => undefined);
}
