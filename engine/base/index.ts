/** Errors, results and words that the whole program shares. */
export { count, firstOf, inDigits, listed } from "./message.ts";
export { lazily } from "./lazily.ts";
export { omitUndefined } from "./omit-undefined.ts";
export { type Failure, invalid, type Result, resultOf, valueIn } from "./result.ts";
export {
  atCluster,
  codeOf,
  isBug,
  messageOf,
  unlessBug,
  UserError,
  withStack,
} from "./user-error.ts";
export { programVersion } from "./version.ts";
