import { styleText } from "node:util";

import { columns } from "../testbed/table.ts";

/** The printer of the demo, through which everything goes, so that it looks the same everywhere. */
export interface Screen {
  /** Whether `pulumi` may use colors too. */
  readonly colored: boolean;
  heading(text: string): void;
  /** The next step: what is done, and why. */
  step(title: string, why: string): void;
  /** Commands as one would type them. */
  command(...lines: readonly string[]): void;
  /** The output of a command. */
  output(text: string): void;
  table(rows: readonly (readonly string[])[]): void;
  /** A remark on what to see in the output above it. */
  remark(text: string): void;
  /** Prints nothing from now on: what is being torn down has nothing to say. */
  close(): void;
}

export function screenOn(stream: NodeJS.WriteStream): Screen {
  // Not where it is no terminal, nor against the reader's will (https://no-color.org).
  const colored = stream.isTTY && stream.hasColors();
  let steps = 0;
  let isOpen = true;
  let blank = true;

  const paint = (format: Parameters<typeof styleText>[0], text: string): string =>
    colored ? styleText(format, text, { validateStream: false }) : text;
  const print = (text: string): void => {
    const wasBlank = blank;
    blank = text === "";
    // One blank line tells as much as several.
    if (isOpen && !(blank && wasBlank)) stream.write(`${text}\n`);
  };
  const indented = (text: string): void => {
    for (const line of text.split("\n")) print(line === "" ? "" : `   ${line}`);
  };

  return {
    colored,
    heading(text) {
      print(paint("bold", text));
    },
    step(title, why) {
      steps += 1;
      print("");
      print(paint(["bold", "cyan"], `${steps}. ${title}`));
      indented(why);
    },
    command(...lines) {
      print("");
      for (const line of lines) indented(paint("green", `$ ${line}`));
    },
    output: indented,
    table(rows) {
      indented(columns(rows));
    },
    remark(text) {
      print("");
      indented(paint("italic", text));
    },
    close() {
      isOpen = false;
    },
  };
}
