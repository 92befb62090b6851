# SPDX-License-Identifier: Apache-2.0
"""Operations for random modules of bounded sizes (bounded.py) that reach outside of one participant: transfers with the
host, collectives and messages.

A value of the module has the same sizes on all participants. Before a collective that admits it, a dimension gets another
size on each; results whose sizes still differ are given by the module, and nothing else is made of them."""

import math


def braces(items):
    return "{" + ",".join(map(str, items)) + "}"


class Exchanges:
    def layout(self, a):
        return braces(self.random.sample(range(a.rank), a.rank)) if a.rank > 1 and self.random.random() < 0.3 else ""

    def token(self):
        return self.raw("token[]", "after-all()")

    def channel(self):
        self.channels = getattr(self, "channels", 0) + 1
        return f"channel_id={self.channels}"

    def like(self, a, rest, bounds=None, dynamic=None, sizes=None):
        return self.add(a.element, bounds or a.bounds, dynamic or a.dynamic, sizes or a.sizes, rest)

    # The host.

    def make_infeed(self):
        a = self.fresh()
        given = a.type() + self.layout(a)
        both = self.feed(self.raw(f"({given}, token[])", f"infeed({self.token()})"), a)
        return self.like(a, f"copy({self.raw(given, f'get-tuple-element({both}), index=0')})")

    def make_outfeed(self):
        a = self.pick()
        done = self.raw("token[]", f"outfeed({a.name}, {self.token()}), outfeed_shape={a.type()}{self.layout(a)}")
        return self.like(a, f"add-dependency({a.name}, {done})")

    def make_host_messages(self):
        """To the host, and from it."""
        a, b = self.pick(), self.fresh()
        out, back = (f"{self.channel()}, is_host_transfer=true" for _ in range(2))
        sending = self.raw(f"({a.type()}, u32[], token[])", f"send({a.name}, {self.token()}), {out}")
        given = b.type() + self.layout(b)
        receiving = self.raw(f"({given}, u32[], token[])", f"recv({self.token()}), {back}")
        sent = self.raw("token[]", f"send-done({sending}), {out}")
        both = self.feed(self.raw(f"({given}, token[])", f"recv-done({receiving}), {back}"), b)
        data = self.raw(given, f"get-tuple-element({both}), index=0")
        return self.like(b, f"add-dependency({self.raw(b.type(), f'copy({data})')}, {sent})")

    # Other participants.

    def number(self, numbers):
        """A scalar that is one of the numbers on each participant."""
        count = len(numbers)
        me = self.raw("s32[]", f"convert({self.raw('u32[]', f'{self.kind}-id()')})")
        table = self.raw(f"s32[{count}]", f"constant({braces(numbers)})")
        one = self.raw("s32[1]", f"dynamic-slice({table}, {me}), dynamic_slice_sizes={{1}}")
        return self.raw("s32[]", f"reshape({one})")

    def resized(self, a, d, sizes):
        """The name and type of an array that is of another size in dimension d on each participant."""
        dynamic = [x or i == d for i, x in enumerate(a.dynamic)]
        kind = self.type_of(a.element, a.bounds, dynamic)
        return self.raw(kind, f"set-dimension-size({a.name}, {self.number(sizes)}), dimensions={{{d}}}"), kind, dynamic

    def own(self, a, d, step=1):
        """The same of random sizes that are multiples of `step`, with those sizes."""
        sizes = [self.size(a.bounds[d]) // step * step for _ in range(self.participants)]
        return (*self.resized(a, d, sizes), sizes)

    def array(self, step=1):
        """An array for several participants, and a dimension of it that has `step` parts at its bound; nothing if there is none."""
        a = self.pick(lambda v: v.rank and any(b % step == 0 for b in v.bounds)) if self.participants > 1 else None
        return (a, self.random.choice([d for d in range(a.rank) if a.bounds[d] % step == 0])) if a else (None, None)

    def groups(self, reduces=False):
        """One group of all, in one of the forms that it has: of replicas without a channel, of partitions with one; of
        what `reduces`, also of all participants."""
        everyone = f"replica_groups={{{braces(range(self.participants))}}}"
        if self.kind == "replica":
            return self.random.choice(["replica_groups={}", everyone])
        if not reduces:
            return f"{self.channel()}, {everyone}"
        return f"{self.channel()}, {self.random.choice(['replica_groups={}', 'replica_groups={{0}}', everyone + ', use_global_device_ids=true'])}"

    def started(self, name, kind, result, opcode, rest):
        """The collective as one instruction, or as its start and done."""
        if self.random.random() < 0.5:
            return f"{opcode}({name}), {rest}"
        state = {"all-reduce": result, "all-gather": f"({kind}, {result})"}.get(opcode, f"({kind}, {result}, u32[], u32[])")
        return f"{opcode}-done({self.raw(state, f'{opcode}-start({name}), {rest}')})"

    def differs(self, a, dynamic, rest):
        """A result whose sizes differ."""
        self.finals.append(self.value(self.raw(self.type_of(a.element, a.bounds, dynamic), rest), a.element, a.bounds, dynamic))
        return True

    def make_all_reduce(self):
        a, _ = self.array()
        fold = self.random.choice(["sum", "most", "least"])
        return a and self.like(a, self.started(a.name, a.type(), a.type(), "all-reduce", f"{self.groups(True)}, to_apply={fold}.{a.element}"))

    def make_all_gather(self):
        a, d = self.array()
        count = self.participants
        if not a or math.prod(a.bounds) * count > 3000:
            return None
        name, kind, dynamic, given = a.name, a.type(), list(a.dynamic), [a.sizes[d]] * count
        if self.random.random() < 0.7:
            name, kind, dynamic, given = self.own(a, d)
        bounds, sizes = ([*v[:d], n, *v[d + 1:]] for v, n in ((a.bounds, a.bounds[d] * count), (a.sizes, sum(given))))
        result = self.type_of(a.element, bounds, dynamic)
        return self.like(a, self.started(name, kind, result, "all-gather", f"dimensions={{{d}}}, {self.groups(True)}"), bounds, dynamic, sizes)

    def make_reduce_scatter(self):
        count = self.participants
        a, d = self.array(count)
        if not a or a.sizes[d] % count:
            return None
        bounds, sizes = ([*v[:d], v[d] // count, *v[d + 1:]] for v in (a.bounds, a.sizes))
        fold = self.random.choice(["sum", "most", "least"])
        return self.like(a, f"reduce-scatter({a.name}), dimensions={{{d}}}, {self.groups(True)}, to_apply={fold}.{a.element}", bounds, a.dynamic, sizes)

    def make_all_to_all(self):
        count = self.participants
        a, d = self.array(count)
        if not a:
            return None
        name, kind, dynamic, given = self.own(a, d, count)
        sizes = [*a.sizes[:d], sum(size // count for size in given), *a.sizes[d + 1:]]
        return self.like(a, f"all-to-all({name}), dimensions={{{d}}}, {self.groups()}", a.bounds, dynamic, sizes)

    def make_all_to_all_of_several(self):
        a, d = self.array()
        if not a:
            return None
        name, kind, dynamic, given = self.own(a, d)
        count = self.participants
        parts = self.raw("(" + ", ".join([kind] * count) + ")", f"all-to-all({', '.join([name] * count)}), {self.groups()}")
        i = self.random.randrange(count)
        return self.like(a, f"get-tuple-element({parts}), index={i}", a.bounds, dynamic, [*a.sizes[:d], given[i], *a.sizes[d + 1:]])

    def make_broadcast_from_one(self):
        a, d = self.array()
        if not a:
            return None
        name, kind, dynamic, given = self.own(a, d)
        order = self.random.sample(range(self.participants), self.participants)
        rest, root = self.on_channel(f"replica_groups={{{braces(order)}}}"), 0
        if self.random.random() < 0.5:
            root = self.random.randrange(self.participants)
            name, rest = f"{name}, {self.scalar('s32', root)}", rest + ", has_dynamic_root=true"
        return self.like(a, f"collective-broadcast({name}), {rest}", a.bounds, dynamic, [*a.sizes[:d], given[order[root]], *a.sizes[d + 1:]])

    def on_channel(self, text):
        return text if self.kind == "replica" else f"{self.channel()}, {text}"

    def pairs(self):
        """Some senders, each with another receiver."""
        everyone = range(self.participants)
        some = self.random.randint(1, self.participants)
        return braces(braces(pair) for pair in zip(self.random.sample(everyone, some), self.random.sample(everyone, some)))

    def make_permute(self):
        a, d = self.array()
        if not a:
            return None
        name, kind, dynamic, _ = self.own(a, d)
        return self.differs(a, dynamic, self.started(name, kind, kind, "collective-permute", self.on_channel(f"source_target_pairs={self.pairs()}")))

    def make_message(self):
        a, d = self.array()
        if not a:
            return None
        name, kind, dynamic, _ = self.own(a, d)
        rest = f'{self.channel()}, frontend_attributes={{_xla_send_recv_source_target_pairs="{self.pairs()}"}}'
        token = self.token()
        sending, receiving = (self.raw(f"({kind}, u32[], token[])", f"{start}, {rest}") for start in (f"send({name}, {token})", f"recv({token})"))
        sent = self.raw("token[]", f"send-done({sending}), {rest}")
        both = self.raw(f"({kind}, token[])", f"recv-done({receiving}), {rest}")
        data = self.raw(kind, f"get-tuple-element({both}), index=0")
        return self.differs(a, dynamic, f"add-dependency({data}, {sent})")

    def make_permute_of_slices(self):
        """One slice, within the least of the sizes, into an output that is as large on each."""
        a, d = self.array()
        b = a and self.pick(lambda v: v.element == a.element and v.rank == a.rank)
        if not b:
            return None
        name, kind, dynamic, given = self.own(b, d)
        into = [min(given) if i == d else size for i, size in enumerate(b.sizes)]
        extents = [self.random.randint(0, min(pair)) for pair in zip(a.sizes, into)]
        starts, ends = ([self.raw("s32[]", f"constant({self.random.randint(0, size - extent)})") for size, extent in zip(sizes, extents)]
                        for sizes in (a.sizes, into))
        where = "(" + ", ".join(["s32[]"] * a.rank) + ")"
        starts, ends = (self.raw(where, f"tuple({', '.join(numbers)})") for numbers in (starts, ends))
        return self.differs(b, dynamic, f"collective-permute({a.name}, {name}, {starts}, {ends}), {self.on_channel(f'source_target_pairs={self.pairs()}')}, "
                                        f"slice_sizes={{{braces(extents)}}}")

    def make_ragged(self):
        """The same number of rows to everybody, at the place of the sender's number."""
        a, _ = self.array()
        count = self.participants
        b = a and self.pick(lambda v: v.element == a.element and v.bounds[1:] == a.bounds[1:] and v.sizes[1:] == a.sizes[1:])
        if not b or not b.rank:
            return None
        rows = min(a.sizes[0], b.sizes[0]) // count
        own = self.number([i * rows for i in range(count)])
        places = self.raw(f"s32[{count}]", f"broadcast({own}), dimensions={{}}")
        starts, lengths = (self.raw(f"s32[{count}]", f"constant({braces(v)})") for v in ([i * rows for i in range(count)], [rows] * count))
        return self.like(b, f"ragged-all-to-all({a.name}, {b.name}, {starts}, {lengths}, {places}, {lengths}), {self.groups()}")
