import type { ScriptNode, SimpleCommandNode } from "just-bash";

/** Every simple command in a part of a script, those in substitutions and functions too. */
export function simpleCommandsIn(part: unknown): SimpleCommandNode[] {
  return nodesIn(part, "SimpleCommand", true) as SimpleCommandNode[];
}

/** The scripts in `$(...)`, not those within them. */
export function substitutionsIn(part: unknown): ScriptNode[] {
  return (nodesIn(part, "CommandSubstitution", false) as { readonly body: ScriptNode }[]).map(
    ({ body }) => body,
  );
}

function nodesIn(part: unknown, type: string, inside: boolean): unknown[] {
  const found: unknown[] = [];
  const visit = (value: unknown): void => {
    if (Array.isArray(value)) value.forEach(visit);
    else if (typeof value === "object" && value !== null) {
      const isOne = "type" in value && value.type === type;
      if (isOne) found.push(value);
      if (!isOne || inside) Object.values(value).forEach(visit);
    }
  };
  visit(part);
  return found;
}
