#!/usr/bin/env python3
"""A liveness solver: backedge sweep --subject 'python3 examples/subjects/liveness.py'"""
import json, sys


def liveness(function):
    code, phis = {}, {}  # by block: instructions; phis
    for x in function["instrs"]:
        if "label" in x:
            block = x["label"]
            code[block], phis[block] = [], []
        else:
            (phis if x["op"] == "phi" else code)[block].append(x)
    live_in = {block: set() for block in code}

    def edge(source, target):  # a phi reads its operands on the edges, and is defined behind them
        live = live_in[target] - {x["dest"] for x in phis[target]}
        pairs = (zip(x["args"], x["labels"]) for x in phis[target])
        return live | {arg for pair in pairs for arg, label in pair if label == source}

    def walk(block):  # what is live before each instruction, and at the end
        live = set().union(*(edge(block, to) for to in code[block][-1].get("labels", [])))
        points = [live]
        for x in reversed(code[block]):
            points.append(points[-1] - set(x["defs"]) | set(x["uses"]))
        return points[::-1]

    old = None
    while old != live_in:
        old = dict(live_in)
        for block in reversed(list(code)):
            live_in[block] = walk(block)[0]
    facts = {b: {"live_in": list(walk(b)[0]), "live_out": list(walk(b)[-1])} for b in code}
    return {"blocks": facts, "after": {b: [list(live) for live in walk(b)[1:]] for b in code}}


for line in sys.stdin:
    question = json.loads(line)
    reply = {"answer": liveness(question["function"])} if question["ask"] == "liveness" else {"skip": "no"}
    print(json.dumps({"id": question["id"], **reply}), flush=True)
