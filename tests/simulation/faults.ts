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
  | { readonly by: AnsweringDispatcher }
  /** The answer comes after that, which may be a wait of so many milliseconds. */
  | { readonly delay: (wait: Wait) => Promise<unknown> };

/** How somebody waits, so that no test has to. */
type Wait = (milliseconds: number) => Promise<void>;

/** Decides what happens to each request; undefined: nothing special. */
export type Plan = (request: Seen) => Fault | undefined;

/** A process that sends requests, to one server or to several; killed, it sends none any more. */
export class Sender {
  sent = 0;
  isKilled = false;
  readonly #killed = Promise.withResolvers<"crashed">();

  get killed(): Promise<"crashed"> {
    return this.#killed.promise;
  }

  kill(): void {
    this.isKilled = true;
    this.#killed.resolve("crashed");
  }
}

/**
 * Stands between a process and a server, and does to requests what networks, proxies and servers do.
 * It is handed to `connect` as any dispatcher is.
 */
export class Faults extends AnsweringDispatcher {
  readonly #server: AnsweringDispatcher;
  readonly #plan: Plan;
  readonly #wait: Wait;
  readonly #sender: Sender;
  #seen = 0;

  constructor(server: AnsweringDispatcher, plan: Plan, wait: Wait, sender: Sender) {
    super();
    this.#server = server;
    this.#plan = plan;
    this.#wait = wait;
    this.#sender = sender;
  }

  protected override async answer(sent: Sent): Promise<Answer> {
    if (this.#sender.isKilled) return never();
    this.#seen += 1;
    this.#sender.sent += 1;
    const { method, path } = sent;
    const patience = sent.headersTimeout ?? 0;
    const body = typeof sent.body === "string" ? sent.body : "";
    const asked = { method, path, body, patience };
    const fault = this.#plan({ number: this.#seen, ofAll: this.#sender.sent, ...asked });
    const passOn = (server = this.#server) => this.answerOf(server, sent);
    switch (fault) {
      case undefined:
        return passOn();
      case "reset":
        throw reset();
      case "drop":
        await passOn();
        throw reset();
      case "cut": {
        const { body, ...answer } = await passOn();
        return { ...answer, body: body.slice(0, body.length / 2), isCut: true };
      }
      case "duplicate":
        await passOn();
        return passOn();
      case "hang":
        await this.#wait(patience);
        throw timedOut();
      case "carry out and hang":
        await passOn();
        await this.#wait(patience);
        throw timedOut();
      case "crash":
        return this.#die();
      case "carry out and crash":
        await passOn();
        return this.#die();
      default:
        if ("answer" in fault) return fault.answer;
        if ("by" in fault) return passOn(fault.by);
        if ("alter" in fault) return fault.alter(await passOn());
        await fault.delay(this.#wait);
        return passOn();
    }
  }

  #die(): Promise<never> {
    this.#sender.kill();
    return never();
  }
}

function never(): Promise<never> {
  return new Promise(() => undefined);
}
