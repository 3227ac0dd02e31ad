"""A page that changes at random, the same way for the same seed on every toolkit.

A plain model decides what to do; the toolkit does it with real widgets. The model is kept between runs, so
`mutate 10 1` followed by `mutate 10 2` is reproducible as a whole.
"""

import random

from .screens import widget

ROOT = "playground"
MOST = 30
DEEPEST = 3
CONTAINERS = ("box", "group")
LEAVES = ("label", "button", "check", "entry", "slider")
WORDS = ("amber", "birch", "cedar", "delta", "ember", "fjord", "grove", "heath", "inlet", "knoll")


class Playground:
    def __init__(self, toolkit):
        self.ui = toolkit
        self.children = {ROOT: []}
        self.parent = {}
        self.kinds = {ROOT: "box"}
        self.made = 0
        self.wishes = (
            (self.add, 8), (self.remove, 3), (self.move, 3), (self.rename, 4), (self.enable, 3),
            (self.show, 3), (self.check, 3), (self.set_value, 3), (self.set_text, 3),
        )

    def mutate(self, count, seed, interval, done):
        """Applies `count` mutations, one per turn of the main loop, then calls `done` when it is idle."""
        dice = random.Random(seed)

        def turn(left):
            if left == 0:
                self.ui.when_idle(done)
                return
            self.once(dice)
            self.ui.later(interval, lambda: turn(left - 1))

        turn(count)

    def once(self, dice):
        actions, weights = zip(*self.wishes)
        # A wish that cannot be fulfilled now (nothing to check, say) becomes an addition, or a removal.
        if not dice.choices(actions, weights)[0](dice) and not self.add(dice):
            self.remove(dice)

    # Wishes: each returns whether it changed anything

    def add(self, dice):
        if len(self.parent) >= MOST:
            return False
        parent = dice.choice([name for name in self.containers() if self.depth(name) < DEEPEST])
        nests = self.depth(parent) + 1 < DEEPEST
        kind = dice.choice(LEAVES + CONTAINERS if nests else LEAVES)
        self.made += 1
        name = f"pg-{self.made}"
        index = dice.randint(0, len(self.children[parent]))
        self.ui.create(widget(kind, name, f"{dice.choice(WORDS)} {self.made}"), parent, index)
        self.adopt(name, parent, index)
        self.kinds[name] = kind
        if kind in CONTAINERS:
            self.children[name] = []
        return True

    def remove(self, dice):
        if not self.parent:
            return False
        name = dice.choice(sorted(self.parent))
        self.ui.remove(name)
        self.children[self.parent[name]].remove(name)
        self.drop(name)
        return True

    def move(self, dice):
        if not self.parent:
            return False
        name = dice.choice(sorted(self.parent))
        height = self.height(name)
        homes = [home for home in self.containers()
                 if not self.is_below(home, name) and self.depth(home) + height < DEEPEST + 1]
        home = dice.choice(homes)
        self.children[self.parent[name]].remove(name)
        index = dice.randint(0, len(self.children[home]))
        self.ui.move(name, home, index)
        self.adopt(name, home, index)
        return True

    def rename(self, dice):
        return self.on(dice, LEAVES + ("group",), lambda name: self.ui.set_name(
            name, f"{dice.choice(WORDS)} {dice.choice(WORDS)} {dice.randint(1, 999)}"))

    def enable(self, dice):
        return self.on(dice, LEAVES, lambda name: self.ui.set_enabled(
            name, not self.ui.state(name)["enabled"]))

    def show(self, dice):
        return self.on(dice, LEAVES, lambda name: self.ui.set_visible(
            name, not self.ui.state(name)["visible"]))

    def check(self, dice):
        return self.on(dice, ("check",), lambda name: self.ui.set_checked(
            name, not self.ui.state(name)["checked"]))

    def set_value(self, dice):
        return self.on(dice, ("slider",), lambda name: self.ui.set_value(name, dice.randint(0, 100)))

    def set_text(self, dice):
        return self.on(dice, ("entry",), lambda name: self.ui.set_text(
            name, " ".join(dice.choices(WORDS, k=dice.randint(0, 3)))))

    def on(self, dice, kinds, action):
        fitting = sorted(name for name in self.parent if self.kinds[name] in kinds)
        if fitting:
            action(dice.choice(fitting))
        return bool(fitting)

    # The model

    def containers(self):
        return sorted(self.children)

    def depth(self, name):
        return 0 if name == ROOT else 1 + self.depth(self.parent[name])

    def height(self, name):
        return 1 + max((self.height(child) for child in self.children.get(name, ())), default=0)

    def is_below(self, name, ancestor):
        return name == ancestor or (name != ROOT and self.is_below(self.parent[name], ancestor))

    def adopt(self, name, parent, index):
        self.parent[name] = parent
        self.children[parent].insert(index, name)

    def drop(self, name):
        for child in self.children.pop(name, []):
            self.drop(child)
        del self.parent[name], self.kinds[name]

    def report(self, name=ROOT):
        """The tree as the model has it, with what each real widget says of itself."""
        return {
            "id": name, "kind": self.kinds[name], **self.ui.state(name),
            "children": [self.report(child) for child in self.children.get(name, ())],
        }
