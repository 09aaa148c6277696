import { badRequest } from "./refusals.ts";

type Labels = Readonly<Record<string, string>>;
type Selects = (labels: Labels) => boolean;

const requirement =
  /^\s*(?:!\s*(?<absent>[^\s!=,()]+)|(?<key>[^\s!=,()]+)(?:\s*(?<operator>==|=|!=)\s*(?<value>[^\s!=,()]*)|\s+(?<set>in|notin)\s*\((?<values>[^()]*)\))?)\s*$/;

/** As in the API: `app=web,tier in (a,b),!other`. */
export function selectorOf(text: string): Selects {
  if (text.trim() === "") return () => true;
  // Commas between requirements, not those in parentheses.
  const all = text.split(/,(?![^(]*\))/).map(requirementOf);
  return (labels) => all.every((selects) => selects(labels));
}

function requirementOf(text: string): Selects {
  const groups = requirement.exec(text)?.groups;
  if (groups === undefined) throw badRequest(`unable to parse requirement: ${text}`);
  const { absent, key = absent ?? "", operator, value = "", set, values = "" } = groups;
  const wanted = set === undefined ? [value] : values.split(",").map((each) => each.trim());
  if (absent !== undefined) return (labels) => !Object.hasOwn(labels, key);
  if (operator === undefined && set === undefined) return (labels) => Object.hasOwn(labels, key);
  const is = (labels: Labels) => Object.hasOwn(labels, key) && wanted.includes(labels[key] ?? "");
  return operator === "!=" || set === "notin" ? (labels) => !is(labels) : is;
}
