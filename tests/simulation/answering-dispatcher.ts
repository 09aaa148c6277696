import { Dispatcher, errors } from "undici";

export interface Answer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: string;
  /** The connection is lost where the body ends. */
  readonly isCut?: boolean;
}

export type Sent = Dispatcher.DispatchOptions;

/** Makes its answers in the process. If `answer` throws, the client sees an error of the connection. */
export abstract class AnsweringDispatcher extends Dispatcher {
  protected abstract answer(sent: Sent): Promise<Answer>;

  /** Returns what another dispatcher answers. */
  protected answerOf(server: AnsweringDispatcher, sent: Sent): Promise<Answer> {
    return server.answer(sent);
  }

  override dispatch(sent: Sent, handler: Dispatcher.DispatchHandler): boolean {
    const controller = new Controller(handler);
    handler.onRequestStart?.(controller, null);
    if (!controller.aborted) void this.#serve(sent, handler, controller);
    return true;
  }

  override async close(): Promise<void> {
    // No connection is open between two requests.
  }

  override async destroy(): Promise<void> {}

  async #serve(
    sent: Sent,
    handler: Dispatcher.DispatchHandler,
    controller: Controller,
  ): Promise<void> {
    try {
      const { status, headers = {}, body, isCut = false } = await this.answer(sent);
      if (controller.aborted) return;
      handler.onResponseStart?.(controller, status, { ...json, ...headers }, "");
      handler.onResponseData?.(controller, Buffer.from(body));
      if (isCut) throw reset();
      handler.onResponseEnd?.(controller, {});
    } catch (error) {
      controller.abort(error instanceof Error ? error : new Error(String(error)));
    }
  }
}

const json = { "content-type": "application/json" };

class Controller implements Dispatcher.DispatchController {
  aborted = false;
  paused = false;
  reason: Error | null = null;
  readonly #handler: Dispatcher.DispatchHandler;

  constructor(handler: Dispatcher.DispatchHandler) {
    this.#handler = handler;
  }

  abort(reason: Error): void {
    if (this.aborted) return;
    this.aborted = true;
    this.reason = reason;
    this.#handler.onResponseError?.(this, reason);
  }

  pause(): void {
    this.paused = true;
  }

  resume(): void {
    this.paused = false;
  }
}

/** Makes undici's error for a lost connection. */
export function reset(): Error {
  return new errors.SocketError("other side closed");
}

/** Makes undici's error for an answer that didn't arrive in time. */
export function timedOut(): Error {
  return new errors.HeadersTimeoutError();
}
