import { type Command, InvalidArgumentError, Option } from "commander";
import { pairs, whole } from "../command.ts";

/** Options of a verb that plays a model on a server. */
export interface ModelOptions {
  readonly url?: readonly string[];
  readonly model?: string;
  readonly tokenizer?: string;
  readonly chatTemplate?: string;
  readonly chatOption: Readonly<Record<string, string>>;
  readonly keepRewrites?: true;
  readonly maxTokens: number;
  readonly contextTokens?: number;
  readonly temperature: number;
  readonly topP: number;
  readonly topK?: number;
  readonly topLogprobs: number;
  readonly rawLogprobs?: true;
  readonly retries: number;
  readonly concurrency: number;
  readonly omit?: readonly string[];
  readonly metricsPort?: number;
}

/** Environment variable that holds the key; never an option, for command lines are seen by others. */
export const API_KEY = "FORKGYM_API_KEY";

/** Adds {@link ModelOptions} to a verb. */
export function addModelOptions(command: Command): Command {
  const add = (flags: string, help: string) => new Option(flags, help).helpGroup(GROUP);
  const list = (text: string) => text.split(",").filter((each) => each !== "");
  const options = [
    add("--url <urls>", "base URLs of servers of one model, separated by commas").argParser(list),
    add("--model <name>", "the model, as the server calls it"),
    add(
      "--tokenizer <folder>",
      "with the model's tokenizer.json and tokenizer_config.json; or server: a vLLM server's own",
    ),
    add("--chat-template <file>", "Jinja file, or chatml (default: the tokenizer folder's)"),
    pairs(
      "--chat-option <name=value>",
      "what the template is told, enable_thinking=false for example; may be repeated",
    ).helpGroup(GROUP),
    add("--keep-rewrites", "take a template that rewrites earlier turns, and go on with what was sampled"),
    add("--max-tokens <n>", "most tokens of a reply").argParser(whole(1)).default(1024),
    add("--context-tokens <n>", "most tokens of a branch (default: what the servers say)").argParser(
      whole(2),
    ),
    add("--temperature <t>", "from 0").argParser(number(0, Number.MAX_VALUE)).default(1),
    add("--top-p <p>", "above 0, at most 1").argParser(number(Number.MIN_VALUE, 1)).default(1),
    add("--top-k <n>", "likeliest tokens to choose from (default: all)").argParser(whole(1)),
    add("--top-logprobs <n>", "alternatives to ask for; arpo's entropy takes 10")
      .argParser(whole(0))
      .default(0),
    add("--raw-logprobs", "take a vLLM server's log-probabilities as they are before temperature"),
    add("--retries <n>", "further samples in a turn whose request failed").argParser(whole(0)).default(0),
    add("--concurrency <n>", "most requests under way at one server").argParser(whole(1)).default(64),
    add(
      "--omit <fields>",
      "with openai: fields that the server refuses, separated by commas; for max_tokens max_completion_tokens is sent",
    ).argParser(list),
    add("--metrics-port <n>", "serve Prometheus metrics on this port of 127.0.0.1; 0 for any").argParser(
      whole(0, 65_535),
    ),
  ];
  for (const option of options) command.addOption(option);
  return command;
}

/** The first option of {@link ModelOptions} that was given on the command line, for example `--url`. */
export function givenOf(command: Command): string | undefined {
  const isGiven = (option: Option) =>
    option.helpGroupHeading === GROUP && command.getOptionValueSource(option.attributeName()) === "cli";
  return command.options.find(isGiven)?.long;
}

const GROUP = `A model on a server (its API key, if any, comes from ${API_KEY}):`;

function number(least: number, most: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (text.trim() !== "" && value >= least && value <= most) return value;
    throw new InvalidArgumentError(
      least === 0 ? "Expected a number from 0." : `Expected a number above 0, at most ${most}.`,
    );
  };
}
