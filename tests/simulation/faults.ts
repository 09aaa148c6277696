import {
  AnsweringDispatcher,
  type Answer,
  reset,
  type Sent,
  timedOut,
} from "./answering-dispatcher.ts";

export interface Seen {
  /** Counts the sender's requests from 1, to whichever server. */
  readonly ofAll: number;
  readonly method: string;
  readonly path: string;
  readonly body: string;
  /** Milliseconds after which the client gives up. */
  readonly patience: number;
}

export type Fault =
  /** The connection is lost before the request arrives. */
  | "reset"
  /** The server carries out the request, and the connection is lost before the answer. */
  | "drop"
  /** The connection is lost in the middle of the answer. */
  | "cut"
  /** The server carries out the request twice, as behind a proxy that retries. The second answer counts. */
  | "duplicate"
  /** The request never arrives, and the client waits until it gives up. */
  | "hang"
  /** The server carries out the request, and the client waits until it gives up. */
  | "carry out and hang"
  /** The client is killed before the request is sent. */
  | "crash"
  /** The client is killed once the server has carried out the request. */
  | "carry out and crash"
  /** Something other than the server answers. */
  | { readonly answer: Answer }
  /** Something changes the answer on its way. */
  | { readonly alter: (answer: Answer) => Answer }
  /** Another server answers, such as one with stale data. */
  | { readonly by: AnsweringDispatcher }
  /** The request arrives after this, which may use the test's own clock to wait. */
  | { readonly delay: (wait: Wait) => Promise<unknown> };

type Wait = (milliseconds: number) => Promise<void>;

/** Decides what happens to each request. Undefined means nothing special. */
export type Plan = (request: Seen) => Fault | undefined;

/** A process that sends requests, to one or several servers, until it is killed. */
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

/** Stands between a process and a server, and does to requests what networks, proxies and servers do. */
export class Faults extends AnsweringDispatcher {
  readonly #server: AnsweringDispatcher;
  readonly #plan: Plan;
  readonly #wait: Wait;
  readonly #sender: Sender;

  constructor(server: AnsweringDispatcher, plan: Plan, wait: Wait, sender: Sender) {
    super();
    this.#server = server;
    this.#plan = plan;
    this.#wait = wait;
    this.#sender = sender;
  }

  protected override async answer(sent: Sent): Promise<Answer> {
    if (this.#sender.isKilled) return never();
    this.#sender.sent += 1;
    const { method, path } = sent;
    const patience = sent.headersTimeout ?? 0;
    const body = typeof sent.body === "string" ? sent.body : "";
    const fault = this.#plan({ ofAll: this.#sender.sent, method, path, body, patience });
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
