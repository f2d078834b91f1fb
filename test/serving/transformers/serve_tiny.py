"""Makes a tiny Qwen2 with random weights and a BPE tokenizer, samples from it, and serves it by `transformers serve`.

Arguments: a folder for the model, a port. `golden.json` in the folder holds what was sampled here, token by token, for
the same seeds that the server is asked with.
"""

import json
import sys
from pathlib import Path

import torch
from tokenizers import AddedToken
from transformers import GenerationConfig, Qwen2Config, Qwen2ForCausalLM, Qwen2Tokenizer

CHATML = (
    "{% for message in messages %}{{ '<|im_start|>' + message.role + '\\n' + message.content + '<|im_end|>' + '\\n' }}"
    "{% endfor %}{% if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}{% endif %}"
)
# Text to learn merges from: words of the game, several scripts, white space.
CORPUS = [
    "You control a player on a frozen lake. The lake is a grid of cells; each turn you see all of it and move by one.",
    "Task: bring the player (P) onto the goal (G). Actions: Up, Down, Left, Right. Turns left: 1 2 3 4 5 6 7 8 9 10.",
    "P _ O G\n_ _ _ O\nO _ _ _\n\tnaïve 氷の上 лёд 👩‍🚀 don't def f(x):\n    return x  \n\n",
]
# Whole replies as single tokens, so that a model that knows nothing moves now and then.
MOVES = ["```Up```", "```Down```", "```Left```", "```Right```"]
QUESTIONS = ["Where?", "P _ _ G\n_ O _ _", "naïve 氷 👩‍🚀\n\n\tdon't ```Left``` ```Up", "  two  spaces \n", "1234567890"]
MAX_TOKENS = 24


def make_tokenizer() -> Qwen2Tokenizer:
    untrained = Qwen2Tokenizer(
        eos_token="<|im_end|>", pad_token="<|endoftext|>", extra_special_tokens=["<|im_start|>"]
    )
    tokenizer = untrained.train_new_from_iterator(CORPUS * 4, vocab_size=480, show_progress=False)
    tokenizer.add_tokens([AddedToken(move, special=False, normalized=False) for move in MOVES])
    tokenizer.chat_template = CHATML
    return tokenizer


def make_model(tokenizer: Qwen2Tokenizer) -> Qwen2ForCausalLM:
    torch.manual_seed(0)
    config = Qwen2Config(
        vocab_size=len(tokenizer),
        hidden_size=32,
        intermediate_size=64,
        num_hidden_layers=2,
        num_attention_heads=2,
        num_key_value_heads=1,
        max_position_embeddings=4096,
        bos_token_id=None,
        eos_token_id=tokenizer.eos_token_id,
        pad_token_id=tokenizer.pad_token_id,
    )
    model = Qwen2ForCausalLM(config).eval()
    # Of the special tokens only the end of a reply: the server's text would show the others.
    model.generation_config = GenerationConfig(
        do_sample=True,
        top_k=0,
        eos_token_id=tokenizer.eos_token_id,
        pad_token_id=tokenizer.pad_token_id,
        suppress_tokens=tokenizer.convert_tokens_to_ids(["<|endoftext|>", "<|im_start|>"]),
        # Replies that end, and that hold a move, are to be no rarity.
        sequence_bias=[[[token], 3.0] for token in tokenizer.convert_tokens_to_ids(["<|im_end|>", *MOVES])],
    )
    return model


def sampled(model: Qwen2ForCausalLM, tokenizer: Qwen2Tokenizer, question: str, seed: int) -> dict:
    messages = [{"role": "system", "content": "Rules"}, {"role": "user", "content": question}]
    prompt = tokenizer.apply_chat_template(
        messages, add_generation_prompt=True, return_tensors="pt", return_dict=True
    )
    torch.manual_seed(seed)
    with torch.no_grad():
        output = model.generate(**prompt, temperature=1.0, top_p=1.0, max_new_tokens=MAX_TOKENS)
    ids = prompt["input_ids"][0].tolist()
    reply = output[0, len(ids) :].tolist()
    text = tokenizer.decode(reply, skip_special_tokens=True)
    return {
        "messages": messages,
        "seed": seed,
        "promptTokenIds": ids,
        "tokenIds": reply,
        "text": text,
        # The server takes a Qwen's replies apart and strips the white space around them.
        "served": text.strip(),
    }


def main(folder: Path, port: str) -> None:
    tokenizer = make_tokenizer()
    model = make_model(tokenizer)
    tokenizer.save_pretrained(folder)
    model.save_pretrained(folder)
    golden = [sampled(model, tokenizer, question, seed) for seed, question in enumerate(QUESTIONS * 2)]
    (folder / "golden.json").write_text(json.dumps({"maxTokens": MAX_TOKENS, "samples": golden}))

    from transformers.cli.transformers import main as transformers

    sys.argv = ["transformers", "serve", str(folder), "--device", "cpu", "--host", "127.0.0.1", "--port", port]
    transformers()


main(Path(sys.argv[1]), sys.argv[2])
