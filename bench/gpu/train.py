"""Makes a small Qwen2 and its tokenizer, and trains it on scripted episodes: `train.py TRANSCRIPTS FOLDER SECONDS SIZE`.

SIZE is `tiny` (a CPU's minute) or `small` (about 190 million weights). Prints one line: the device's name, a tab, the
model's size.
"""

import json
import random
import sys
import time
from pathlib import Path

import torch
from transformers import GenerationConfig, Qwen2Config, Qwen2ForCausalLM, Qwen2Tokenizer

CHATML = (
    "{% for message in messages %}{{ '<|im_start|>' + message.role + '\\n' + message.content + '<|im_end|>' + '\\n' }}"
    "{% endfor %}{% if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}{% endif %}"
)
SIZES = {
    # hidden, layers, heads, batch
    "tiny": (64, 2, 4, 4),
    "small": (1024, 12, 16, 16),
}
IGNORED = -100


def make_tokenizer(texts: list[str]) -> Qwen2Tokenizer:
    untrained = Qwen2Tokenizer(
        eos_token="<|im_end|>", pad_token="<|endoftext|>", extra_special_tokens=["<|im_start|>"]
    )
    tokenizer = untrained.train_new_from_iterator(texts, vocab_size=1024, show_progress=False)
    tokenizer.chat_template = CHATML
    return tokenizer


def make_model(tokenizer: Qwen2Tokenizer, size: str) -> Qwen2ForCausalLM:
    hidden, layers, heads, _ = SIZES[size]
    torch.manual_seed(0)
    model = Qwen2ForCausalLM(
        Qwen2Config(
            vocab_size=len(tokenizer),
            hidden_size=hidden,
            intermediate_size=4 * hidden,
            num_hidden_layers=layers,
            num_attention_heads=heads,
            num_key_value_heads=heads // 2,
            max_position_embeddings=8192,
            bos_token_id=None,
            eos_token_id=tokenizer.eos_token_id,
            pad_token_id=tokenizer.pad_token_id,
        )
    )
    model.generation_config = GenerationConfig(
        do_sample=True, top_k=0, eos_token_id=tokenizer.eos_token_id, pad_token_id=tokenizer.pad_token_id
    )
    return model


def example(tokenizer: Qwen2Tokenizer, messages: list[dict]) -> tuple[list[int], list[int]]:
    """Tokens of an episode, and which of them are to be learnt: the replies with their ends."""
    ids, labels = [], []
    for message in messages:
        head = tokenizer.encode(f"<|im_start|>{message['role']}\n", add_special_tokens=False)
        body = tokenizer.encode(f"{message['content']}<|im_end|>", add_special_tokens=False)
        end = tokenizer.encode("\n", add_special_tokens=False)
        learnt = body if message["role"] == "assistant" else [IGNORED] * len(body)
        ids += head + body + end
        labels += [IGNORED] * len(head) + learnt + [IGNORED] * len(end)
    return ids, labels


def batch_of(examples: list, pad: int, device: str) -> dict:
    width = max(len(ids) for ids, _ in examples)
    padded = [ids + [pad] * (width - len(ids)) for ids, _ in examples]
    labels = [wanted + [IGNORED] * (width - len(wanted)) for _, wanted in examples]
    mask = [[1] * len(ids) + [0] * (width - len(ids)) for ids, _ in examples]
    fields = {"input_ids": padded, "labels": labels, "attention_mask": mask}
    return {name: torch.tensor(rows, device=device) for name, rows in fields.items()}


def main(transcripts: Path, folder: Path, seconds: float, size: str) -> None:
    episodes = [json.loads(line)["messages"] for line in transcripts.read_text().splitlines()]
    tokenizer = make_tokenizer([message["content"] for messages in episodes for message in messages])
    examples = [example(tokenizer, messages) for messages in episodes]
    device = "cuda" if torch.cuda.is_available() else "cpu"
    model = make_model(tokenizer, size).to(device)
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-4)
    draw = random.Random(0)
    steps, last, start = 0, float("nan"), time.monotonic()
    while time.monotonic() - start < seconds:
        batch = batch_of(draw.sample(examples, SIZES[size][3]), tokenizer.pad_token_id, device)
        with torch.autocast(device, torch.bfloat16, enabled=device == "cuda"):
            loss = model(**batch).loss
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        steps, last = steps + 1, loss.item()
    if device == "cuda":
        model.to(torch.bfloat16)
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    print(f"trained {steps} steps, last loss {last:.3f}", file=sys.stderr)
    name = torch.cuda.get_device_name() if device == "cuda" else "CPU"
    print(f"{name}\tQwen2 of {sum(p.numel() for p in model.parameters()) / 1e6:.1f} million weights")


main(Path(sys.argv[1]), Path(sys.argv[2]), float(sys.argv[3]), sys.argv[4])
