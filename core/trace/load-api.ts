import { InputError } from "../errors.ts";

/** The package, which an installation of ForkGym does not bring. @throws {InputError} with the line that installs it. */
export async function loadApi(entry = "@opentelemetry/api"): Promise<typeof import("@opentelemetry/api")> {
  try {
    return (await import(entry)) as typeof import("@opentelemetry/api");
  } catch (cause) {
    throw new InputError(
      "openTelemetry: @opentelemetry/api is not installed; run: npm i @opentelemetry/api@^1.9.0",
      { cause },
    );
  }
}
