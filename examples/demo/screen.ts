import { styleText } from "node:util";

import { columns } from "../../tests/bed/table.ts";

export type Screen = ReturnType<typeof screenOn>;

/** Everything that the demo prints goes through this, so that it looks the same everywhere. */
export function screenOn(stream: NodeJS.WriteStream) {
  // Files get no colors, and neither do readers who set NO_COLOR (https://no-color.org).
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
    heading(text: string) {
      print(paint("bold", text));
    },
    step(title: string, why: string) {
      steps += 1;
      print("");
      print(paint(["bold", "cyan"], `${steps}. ${title}`));
      indented(why);
    },
    command(...lines: readonly string[]) {
      print("");
      for (const line of lines) indented(paint("green", `$ ${line}`));
    },
    output: indented,
    table(rows: readonly (readonly string[])[]) {
      indented(columns(rows));
    },
    remark(text: string) {
      print("");
      indented(paint("italic", text));
    },
    /** Prints nothing from now on: what is being torn down has nothing to say. */
    close() {
      isOpen = false;
    },
  };
}
