import type { Server } from "./server.ts";

/** What is said to an API server, with all that comes of it; everything is in this namespace. */
export type Conversation = (server: Server, namespace: string) => Promise<readonly unknown[]>;

export type Conversations = Readonly<Record<string, Conversation>>;
