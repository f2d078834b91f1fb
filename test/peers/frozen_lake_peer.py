"""Plays FrozenLake in Gymnasium itself and writes what happened, one JSON object a line.

Usage: python frozen_lake_peer.py OUTPUT
Lines: {"versions"}, {"stream"} (numpy draws), {"rows"} (rLLM's task rows), {"hard"} (the hard test maps, drawn with
numpy), {"map", ...} (a random map and the episodes on it).
"""

import hashlib
import json
import sys
from collections import deque

import gymnasium
import numpy as np
from gymnasium.envs.toy_text.frozen_lake import generate_random_map

MAPS = 1000
LEAST_STEPS = 30_000


def streams():
    for seed in [0, 1, 42, 2**31, 2**32 - 1, 2**32, 2**53 - 1] + [977 * k for k in range(1, 200)]:
        rng = np.random.default_rng(seed)
        draws = []
        for k in range(30):
            high = [2, 3, 10, 1000, 2**31 + 1, 2**32 - 1, 2**32][k % 7]
            draws.append([high, int(rng.integers(0, high)), float(rng.random()), float(rng.uniform(0.6, 0.85))])
        yield {"stream": {"seed": seed, "draws": draws}}


def rllm_rows():
    np.random.seed(42)
    seeds = [np.random.randint(0, 100000, n) for n in (10000, 100)]
    sizes = [np.random.randint(2, 10, n) for n in (10000, 100)]
    ps = [np.random.uniform(0.6, 0.85, n) for n in (10000, 100)]
    for at, split in enumerate(("train", "test")):
        rows = [[int(s), int(n), float(p)] for s, n, p in zip(seeds[at], sizes[at], ps[at])]
        yield {"rows": {"split": split, "rows": rows}}


def moves_to_goal(board, start):
    size = len(board)
    queue = deque([(start, 0)])
    seen = {start}
    while queue:
        (row, col), moves = queue.popleft()
        if board[row][col] == "G":
            return moves
        for at in ((row + 1, col), (row - 1, col), (row, col + 1), (row, col - 1)):
            if at in seen or not (0 <= at[0] < size and 0 <= at[1] < size) or board[at[0]][at[1]] == "H":
                continue
            seen.add(at)
            queue.append((at, moves + 1))
    return -1


def hard_map(index):
    parts = json.dumps(["frozen-lake/hard", "test", index], separators=(",", ":"))
    seed = int.from_bytes(hashlib.sha256(parts.encode()).digest()[:7], "big") >> 3
    rng = np.random.default_rng(seed)
    size = int(rng.integers(7, 10))
    p = rng.uniform(0.85, 0.95)
    while True:
        board = rng.choice(["F", "H"], (size, size), p=[p, 1 - p])
        while True:
            start = (int(rng.integers(0, size)), int(rng.integers(0, size)))
            goal = (int(rng.integers(0, size)), int(rng.integers(0, size)))
            if start != goal:
                break
        board[start] = "S"
        board[goal] = "G"
        if 8 <= moves_to_goal(board, start) <= 12:
            return "/".join("".join(row) for row in board)


def lakes():
    choose = np.random.default_rng(20240501)
    steps = 0
    for seed in range(MAPS):
        size = int(choose.integers(2, 11))
        p = float(choose.choice([0.55, 0.65, 0.8, 0.95, 1.0]))
        map_rows = generate_random_map(size=size, p=p, seed=seed)
        starts = float(choose.choice([0, 0, 0.1, 0.5]))
        desc = ["".join("S" if c == "F" and choose.random() < starts else c for c in row) for row in map_rows]
        options = {
            "is_slippery": bool(choose.integers(0, 4)),
            "success_rate": float(choose.choice([1 / 3, 0.0, 0.5, 0.7, 0.9, 1.0])),
            "reward_schedule": [(1, 0, 0), (10, -1, 0), (2.5, -0.5, -0.01)][int(choose.integers(0, 3))],
        }
        limit = int(choose.choice([1, 5, 20, 100]))
        env = gymnasium.make("FrozenLake-v1", desc=desc, max_episode_steps=limit, **options)
        episodes = []
        for _ in range(3 if steps > LEAST_STEPS * (seed + 1) / MAPS else 6):
            episode_seed = int(choose.integers(0, 2**53))
            start, _info = env.reset(seed=episode_seed)
            played = []
            while True:
                action = int(choose.integers(0, 4))
                cell, reward, terminated, truncated, info = env.step(action)
                played.append([action, cell, float(reward), terminated, truncated, float(info["prob"])])
                steps += 1
                if terminated or truncated:
                    break
            episodes.append({"seed": episode_seed, "start": int(start), "steps": played})
        env.close()
        yield {
            "map": map_rows,
            "desc": desc,
            "seed": seed,
            "size": size,
            "p": p,
            "limit": limit,
            "options": options,
            "episodes": episodes,
        }


def main(output):
    with open(output, "w", encoding="utf-8") as file:
        def write(line):
            file.write(json.dumps(line) + "\n")

        write({"versions": {"gymnasium": gymnasium.__version__, "numpy": np.__version__}})
        for line in streams():
            write(line)
        for line in rllm_rows():
            write(line)
        write({"hard": [hard_map(index) for index in range(100)]})
        for line in lakes():
            write(line)


main(sys.argv[1])
