"""Classifies drops, as `backedge sweep --check drops --subject` asks for it: a worklist over two sets of resources."""
import json
import sys


def leaves(ty):
    """The parts that lead to each resource of a type: `own` has one, `own{..}` those of its parts."""
    if ty == "own":
        return [()]
    return [(i, *rest) for i, part in enumerate(ty["own"]) for rest in leaves(part)] if isinstance(ty, dict) else []


class Function:
    def __init__(self, function):
        self.blocks, self.phis = {}, {}
        for inst in function["instrs"]:
            if "label" in inst:
                name = inst["label"]
                self.blocks[name], self.phis[name] = [], []
            elif inst["op"] == "phi":
                self.phis[name].append(inst)
            else:
                self.blocks[name].append(inst)
        owned = {v["name"]: v["type"] for v in function.get("locals", []) + function.get("args", [])}
        self.all = {(name, *path) for name, ty in owned.items() for path in leaves(ty)}
        self.entry = next(iter(self.blocks))
        self.params = self.within_all([[arg["name"]] for arg in function.get("args", [])])

    def within(self, place):
        return {leaf for leaf in self.all if list(leaf[: len(place)]) == list(place)}

    def within_all(self, places):
        return set().union(*map(self.within, places))

    def step(self, inst, state):
        """The state after an instruction; of a terminator, before an edge is taken."""
        made = self.within_all([[name] for name in inst["defs"]])
        if inst["op"] in ("move", "drop", "destroy"):
            gone = self.within(inst["place"])
        else:
            gone = self.within_all([[name] for name in inst["uses"]])
        if "into" in inst and inst["op"] != "try_call":
            made |= self.within(inst["into"])
        init, uninit = state
        state = (init - gone | made, (uninit | gone) - made)
        # Another program may assign a part, or not.
        return (state[0] | self.within_all([[name] for name in inst.get("partial", [])]), state[1])

    def edges(self, name, state, always):
        """The targets of a block, each with the state there."""
        term = self.blocks[name][-1]
        for slot, target in enumerate(term.get("labels", [])):
            init, uninit = state
            if term["op"] == "try_drop":
                place = self.within(term["place"])
                if slot == 1 and not always and not init & place:
                    continue
                init, uninit = init - place, uninit | place
            if term["op"] == "try_call" and slot == 0 and "into" in term:
                made = self.within(term["into"])
                init, uninit = init | made, uninit - made
            for phi in self.phis[target]:
                read = [[a] for a, label in zip(phi.get("args", []), phi.get("labels", [])) if label == name]
                gone = self.within_all(read)
                init, uninit = init - gone, uninit | gone
            made = self.within_all([[phi["dest"]] for phi in self.phis[target]])
            yield target, (init | made, uninit - made)

    def solve(self, always):
        states = {self.entry: (self.params, self.all - self.params)}
        work = [self.entry]
        while work:
            name = work.pop()
            state = states[name]
            for inst in self.blocks[name][:-1]:
                state = self.step(inst, state)
            if self.blocks[name][-1]["op"] != "try_drop":
                state = self.step(self.blocks[name][-1], state)
            for target, (init, uninit) in self.edges(name, state, always):
                old = states.get(target)
                new = (init, uninit) if old is None else (old[0] | init, old[1] | uninit)
                if new != old:
                    states[target] = new
                    work.append(target)
        return states

    def moved_apart(self, place):
        """Whether code names a part of the place, so that it can be there in part."""
        named = [i[key] for insts in self.blocks.values() for i in insts for key in ("place", "into") if key in i]
        return any(len(part) > len(place) and part[: len(place)] == place for part in named)

    def classify(self, inst, state):
        place = self.within(inst["place"])
        init, uninit = state[0] & place, state[1] & place
        if not init:
            return "dead"
        if not uninit:
            return "static"
        return "open" if self.moved_apart(inst["place"]) else "conditional"

    def classes(self, states):
        for name, insts in self.blocks.items():
            state = states.get(name)
            for at, inst in enumerate(insts):
                if inst["op"] in ("drop", "try_drop"):
                    yield [name, at, self.classify(inst, state) if state else "unclassified"]
                if state:
                    state = self.step(inst, state)


def answer(question):
    function = Function(question["function"])
    states = function.solve(question["unwinding"] == "always")
    name = lambda leaf: ".".join(map(str, leaf))
    shown = lambda s: {"maybe_init": sorted(map(name, s[0])), "maybe_uninit": sorted(map(name, s[1]))}
    return {"classes": list(function.classes(states)), "entry": {b: shown(s) for b, s in states.items()}}


for line in sys.stdin:
    question = json.loads(line)
    ops = {inst.get("op") for inst in question["function"]["instrs"]}
    if question["ask"] != "drops":
        reply = {"skip": "it classifies drops only"}
    elif ops & {"bind", "enter"}:
        reply = {"skip": "a block that a thunk holds may be entered in any state"}
    else:
        reply = {"answer": answer(question)}
    print(json.dumps({"id": question["id"], **reply}), flush=True)
