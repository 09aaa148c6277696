import { createRequire } from "node:module";
import type * as command from "@pulumi/command";
import type * as kubernetes from "@pulumi/kubernetes";
import { lazily } from "@linkerd-multicluster/engine/base";

const require = createRequire(import.meta.url);

/** A stack that only mirrors loads neither of them. */
export const k8s = lazily(() => require("@pulumi/kubernetes") as typeof kubernetes);
export const local = lazily(() => (require("@pulumi/command") as typeof command).local);
