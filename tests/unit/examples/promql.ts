/** What a PromQL expression asks for: the parts of it that name metrics and labels. */
export interface Query {
  /** Each with the labels of its matchers. */
  readonly selectors: readonly { readonly metric: string; readonly labels: readonly string[] }[];
  /** Of `by`, `without`, `on`, `ignoring`, `group_left` and `group_right`. */
  readonly grouping: readonly string[];
}

const token =
  /\s+|"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|\$\w+|\d+(?:\.\d+)?(?:ms|[smhdwy])?|[a-zA-Z_:][\w:]*|=~|!~|!=|==|<=|>=|[-+*/%^<>=(){}[\],@]/y;

const groups = ["by", "without", "on", "ignoring", "group_left", "group_right"];
const operators = ["and", "or", "unless", "bool", "offset"];

/** @throws Error where it meets what it does not know */
export function parseQuery(text: string): Query {
  const words = tokensIn(text);
  const selectors: { metric: string; labels: string[] }[] = [];
  const grouping: string[] = [];
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] ?? "";
    if (word === "{") throw new Error(`a selector without a metric in ${text}`);
    if (!/^[a-zA-Z_:]/.test(word) || operators.includes(word)) continue;
    if (groups.includes(word)) {
      if (words[at + 1] !== "(") continue;
      const end = words.indexOf(")", at);
      grouping.push(...words.slice(at + 2, end).filter((each) => each !== ","));
      at = end;
    } else if (words[at + 1] === "{") {
      const end = words.indexOf("}", at);
      selectors.push({ metric: word, labels: labelsIn(words.slice(at + 2, end)) });
      at = end;
    } else if (words[at + 1] !== "(" && !groups.includes(words[at + 1] ?? "")) {
      selectors.push({ metric: word, labels: [] });
    }
  }
  return { selectors, grouping };
}

function tokensIn(text: string): string[] {
  const words: string[] = [];
  token.lastIndex = 0;
  while (token.lastIndex < text.length) {
    const at = token.lastIndex;
    const [word] = token.exec(text) ?? [];
    if (word === undefined) throw new Error(`can't read ${text.slice(at)}`);
    if (word.trim() !== "") words.push(word);
  }
  return words;
}

/** `name`, operator and text, separated by commas. */
function labelsIn(words: readonly string[]): string[] {
  const labels: string[] = [];
  for (let at = 0; at < words.length; at += 4) {
    const [name = "", operator = "", value = "", comma = ","] = words.slice(at, at + 4);
    const isMatcher = /^(=|!=|=~|!~)$/.test(operator) && /^["']/.test(value) && comma === ",";
    if (!isMatcher) throw new Error(`not a matcher: ${words.slice(at, at + 4).join(" ")}`);
    labels.push(name);
  }
  return labels;
}
