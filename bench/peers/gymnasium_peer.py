"""Runs measured blocks of Gymnasium's FrozenLake, one per request.

Reads one JSON object a line and answers each with one JSON value a line; first of all it says the versions.

  {"do": "prepare", "actions": [...]}          the actions that every block goes through, again and again -> true
  {"do": "play", "steps": n}                   what n steps of gym.make("FrozenLake-v1") give -> [[obs, reward], ...]
  {"do": "step", "env": e, "count": n}         n steps, reset at an end -> ns per step
  {"do": "copy-play", "env": e, "map": m}      what a copy of a running env does next -> [obs, ...]
  {"do": "copy", "env": e, "map": m, "count": n}   n copies of a running env -> ns per copy

`env`: "made" as gym.make gives it, "unwrapped" without the wrappers; for copies also "by-hand", see there.
"""

import copy
import json
import platform
import sys
from itertools import cycle, islice
from time import perf_counter_ns

import gymnasium as gym
import numpy as np

IDS = {"4x4": "FrozenLake-v1", "8x8": "FrozenLake8x8-v1"}
COPY_PLAY_STEPS = 40

actions = [0]
stepped = {}
running = {}


def make(kind, lake):
    env = gym.make(IDS[lake])
    return env if kind == "made" else env.unwrapped


def play(steps):
    env = make("made", "4x4")
    episode = 0
    obs, _ = env.reset(seed=episode)
    seen = []
    for action in islice(cycle(actions), steps):
        obs, reward, terminated, truncated, _ = env.step(action)
        seen.append([int(obs), float(reward)])
        if terminated or truncated:
            episode += 1
            env.reset(seed=episode)
    return seen


def step(kind, count):
    if kind not in stepped:
        env = make(kind, "4x4")
        env.reset(seed=0)
        stepped[kind] = (env, cycle(actions))
    env, sequence = stepped[kind]
    advance, reset = env.step, env.reset
    start = perf_counter_ns()
    for action in islice(sequence, count):
        _, _, terminated, truncated, _ = advance(action)
        if terminated or truncated:
            reset()
    return (perf_counter_ns() - start) / count


def by_hand(env):
    """The least that copies an unwrapped FrozenLake: its table is shared, its place and its generator are copied."""
    twin = copy.copy(env)
    bits = np.random.PCG64(0)
    bits.state = env._np_random.bit_generator.state
    twin._np_random = np.random.Generator(bits)
    return twin


def in_mid_episode(kind, lake):
    if (kind, lake) not in running:
        env = make("made" if kind == "made" else "unwrapped", lake)
        env.reset(seed=0)
        env.step(0)
        env.step(0)
        running[kind, lake] = env
    return running[kind, lake]


def copy_play(kind, lake):
    twin = (by_hand if kind == "by-hand" else copy.deepcopy)(in_mid_episode(kind, lake))
    seen = []
    for action in islice(cycle(actions), COPY_PLAY_STEPS):
        obs, _, terminated, truncated, _ = twin.step(action)
        seen.append(int(obs))
        if terminated or truncated:
            break
    return seen


def copies(kind, lake, count):
    env = in_mid_episode(kind, lake)
    duplicate = by_hand if kind == "by-hand" else copy.deepcopy
    start = perf_counter_ns()
    for _ in range(count):
        duplicate(env)
    return (perf_counter_ns() - start) / count


def answer(request):
    global actions
    what = request["do"]
    if what == "prepare":
        actions = request["actions"]
        return True
    if what == "play":
        return play(request["steps"])
    if what == "step":
        return step(request["env"], request["count"])
    if what == "copy-play":
        return copy_play(request["env"], request["map"])
    if what == "copy":
        return copies(request["env"], request["map"], request["count"])
    raise ValueError(f"unknown request {what}")


def main():
    versions = {"python": platform.python_version(), "gymnasium": gym.__version__, "numpy": np.__version__}
    print(json.dumps(versions), flush=True)
    for line in sys.stdin:
        print(json.dumps(answer(json.loads(line))), flush=True)


main()
