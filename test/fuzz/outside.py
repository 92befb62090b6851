# SPDX-License-Identifier: Apache-2.0
"""Operations for random modules (graph.py) that reach outside of the module: what the host feeds and takes, and
generators of random numbers. The data are small integers; of random numbers only the range is known."""

from builder import COMPLEX, FLOATS, POWERS, braces, shape

LOWEST = {"s1": -1, "s2": -2, "pred": "false"}
HIGHEST = {"s1": 0, "u1": 1, "s2": 1, "u2": 3, "pred": "true"}


class OutsideOperations:
    def layout(self, sizes):
        """At times an order of dimensions."""
        return braces(self.random.sample(range(len(sizes)), len(sizes))) if len(sizes) > 1 and self.random.random() < 0.2 else ""

    def fed(self, x):
        """An element type and a shape of the sizes of x, in which the host feeds small integers."""
        element = x.element if x.is_integer or x.element == "pred" else "s8"
        return element, shape(element, x.sizes) + self.layout(x.sizes)

    def received(self, x, element, given, both, after=()):
        """What a tuple (data, token) brought, like x, once the tokens `after` are there too."""
        data = self.raw(given, f"get-tuple-element({both}), index=0")
        for token in after:
            data = self.raw(given, f"add-dependency({data}, {token})")
        if "{" in given:
            data = self.raw(shape(element, x.sizes), f"copy({data})")
        if element == x.element:
            self.add(element, x.sizes, f"copy({data})")
        else:
            self.tame_numbers(data, x.element, x.sizes)

    def op_infeed(self, x):
        element, given = self.fed(x)
        token = self.raw("token[]", "after-all()")
        self.received(x, element, given, self.raw(f"({given}, token[])", f"infeed({token})"))

    def op_outfeed(self, x):
        s = shape(x.element, x.sizes)
        token = self.raw("token[]", "after-all()")
        done = self.raw("token[]", f"outfeed({x.name}, {token}), outfeed_shape={s}{self.layout(x.sizes)}")
        self.add(x.element, x.sizes, f"add-dependency({x.name}, {done})")

    def op_host_transfer(self, x):
        """To the host and from it, each between the start and the end of the other."""
        s, (element, given) = shape(x.element, x.sizes), self.fed(x)
        token, (out, back) = self.raw("token[]", "after-all()"), (self.new_channel(), self.new_channel())
        out, back = (f"channel_id={channel}, is_host_transfer=true" for channel in (out, back))

        def send():
            return self.raw(f"({s}, u32[], token[])", f"send({x.name}, {token}), {out}")

        def receive():
            return self.raw(f"({given}, u32[], token[])", f"recv({token}), {back}")

        if self.random.random() < 0.5:
            sending, receiving = send(), receive()
        else:
            receiving, sending = receive(), send()
        sent = self.raw("token[]", f"send-done({sending}), {out}")
        self.received(x, element, given, self.raw(f"({given}, token[])", f"recv-done({receiving}), {back}"), [sent])

    def new_channel(self):
        self.channels = getattr(self, "channels", 0) + 1
        return self.channels

    def op_loop_of_effects(self, x):
        """A loop in which the host feeds numbers and takes sums, and a generator's state goes on."""
        if not x.is_integer:
            return
        s, u = shape(x.element, x.sizes), "u64[2]"
        state = f"(s32[], {s}, {u}, token[])"
        at = [f"p = {state} parameter(0)"] + [f"{name} = {kind} get-tuple-element(p), index={i}"
                                               for i, (name, kind) in enumerate((("i", "s32[]"), ("x", s), ("u", u), ("t", "token[]")))]
        lines = at + [f"fed = ({s}, token[]) infeed(t)", f"data = {s} get-tuple-element(fed), index=0",
                      "t1 = token[] get-tuple-element(fed), index=1", f"sum = {s} add(x, data)",
                      f"t2 = token[] outfeed(sum, t1), outfeed_shape={s}",
                      f"drawn = {u} rng-get-and-update-state(), delta={self.random.choice([1, 16, 1 << 40])}", f"both = {u} xor(u, drawn)",
                      "one = s32[] constant(1)", "next = s32[] add(i, one)", f"ROOT r = {state} tuple(next, sum, both, t2)"]
        condition = self.computation(*at, f"n = s32[] constant({self.random.choice([0, 1, 4])})", "ROOT r = pred[] compare(i, n), direction=LT")
        first, token = self.parameter("u64", [2]), self.raw("token[]", "after-all()")
        start = self.raw(state, f"tuple({self.scalar('s32', 0)}, {x.name}, {first.name}, {token})")
        loop = self.raw(state, f"while({start}), condition={condition}, body={self.computation(*lines)}")
        self.add(x.element, x.sizes, f"get-tuple-element({loop}), index=1")
        self.add("u64", [2], f"get-tuple-element({loop}), index=2")

    def op_random_state(self, _):
        """Where a generator begins and how it goes on is known."""
        self.add("u64", [2], f"rng-get-and-update-state(), delta={self.random.choice([1, 3, 1 << 33])}")

    def op_random_numbers(self, x):
        """Whether they are in their range."""
        if x.element in COMPLEX + [POWERS]:
            return
        is_normal = x.element in FLOATS and self.random.random() < 0.4
        ends = (LOWEST.get(x.element, 0 if x.element[0] == "u" else -3), HIGHEST.get(x.element, 4))
        if is_normal:  # mean and deviation for which the narrowest types have no infinity
            ends = (0, 1)
        low, high = (self.scalar(x.element, end) for end in ends)
        s = shape(x.element, x.sizes)
        drawn = self.raw(s, f"rng({low}, {high}), distribution={'rng_normal' if is_normal else 'rng_uniform'}")
        if is_normal:
            self.add("pred", x.sizes, f"is-finite({drawn})")
            return
        ends = [self.raw(s, f"broadcast({end}), dimensions={{}}") for end in (low, high)]
        above = self.raw(shape("pred", x.sizes), f"compare({drawn}, {ends[0]}), direction=GE")
        below = self.raw(shape("pred", x.sizes), f"compare({drawn}, {ends[1]}), direction={'LE' if x.element == 'pred' else 'LT'}")
        self.add("pred", x.sizes, f"and({above}, {below})")
