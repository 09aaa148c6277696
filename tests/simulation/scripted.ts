import type { Values } from "./providers.ts";

/** The arguments of a resource that does what they say. */
export interface Script extends Values {
  readonly value: string;
  /** The answer of `diff`; by default, the engine compares the inputs. */
  readonly changes?: boolean;
  /** The end of `create` or `update`, if it fails. */
  readonly fails?: "in part" | "outright";
}

interface Props extends Values {
  readonly value?: string;
}

/** Real and simulated engine call it, and so show how they differ. */
export const scripted = {
  check: (_olds: Values, inputs: Values) => Promise.resolve({ inputs, failures: [] }),

  diff: (_id: string, _olds: Values, { changes }: Values) =>
    Promise.resolve(typeof changes === "boolean" ? { changes } : {}),

  create: (inputs: Values) => work({}, inputs).then((outs) => ({ id: "scripted", outs })),

  update: (_id: string, olds: Values, inputs: Values) =>
    work(olds, inputs).then((outs) => ({ outs })),

  read: (id: string, props: Values) => Promise.resolve({ id, props }),

  delete: () => Promise.resolve(),
};

function work(olds: Props, inputs: Values): Promise<Values> {
  const outputs = { ...inputs, after: olds.value ?? "nothing" };
  if (inputs["fails"] === undefined) return Promise.resolve(outputs);
  const error = new Error("it fails");
  if (inputs["fails"] === "outright") return Promise.reject(error);
  const state = { id: "scripted", properties: outputs, reasons: ["it fails"] };
  return Promise.reject(Object.assign(error, state));
}
