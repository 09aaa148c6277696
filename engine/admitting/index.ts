export type { GateArgs, Phase } from "./args.ts";
