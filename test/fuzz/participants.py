# SPDX-License-Identifier: Apache-2.0
"""Collectives for random modules (graph.py), all exact. Each participant has numbers of its own."""

from builder import MOST_ELEMENTS, braces, shape


class CollectiveOperations:
    def groups(self):
        """replica_groups in one of its forms, and how many are in a group."""
        count = self.participants
        forms = [("{}", count), (braces([braces(self.random.sample(range(count), count))]), count), (f"[1,{count}]<=[{count}]", count)]
        if count == 4:
            forms += [("{{0,2},{3,1}}", 2), ("[2,2]<=[2,2]T(1,0)", 2)]
        text, size = self.random.choice(forms)
        return f"replica_groups={text}", size

    def started(self, x, sizes, opcode, rest):
        """The collective as one instruction, or as its start and done."""
        source, result = shape(x.element, x.sizes), shape(x.element, sizes)
        if self.random.random() < 0.5:
            return f"{opcode}({x.name}), {rest}"
        both = result if opcode == "all-reduce" else f"({source}, {result})"
        return f"{opcode}-done({self.raw(both, f'{opcode}-start({x.name}), {rest}')})"

    def op_number(self, _):
        number = self.raw("u32[]", self.random.choice(["replica-id()", "replica-id()", "partition-id()"]))
        self.add("s32", [], f"convert({number})")

    def op_all_reduce(self, x):
        groups, _ = self.groups()
        fold = self.fold(x.element, self.fold_opcode(x.element))
        self.tamed(x.element, x.sizes, self.started(x, x.sizes, "all-reduce", f"{groups}, to_apply={fold}"))

    def op_all_gather(self, x):
        if x.rank and x.count * self.participants <= MOST_ELEMENTS:
            groups, count = self.groups()
            d = self.random.randrange(x.rank)
            sizes = [size * count if i == d else size for i, size in enumerate(x.sizes)]
            self.add(x.element, sizes, self.started(x, sizes, "all-gather", f"dimensions={{{d}}}, {groups}"))

    def op_reduce_scatter(self, x):
        groups, count = self.groups()
        fitting = [d for d in range(x.rank) if x.sizes[d] % count == 0]
        if fitting:
            d = self.random.choice(fitting)
            sizes = [size // count if i == d else size for i, size in enumerate(x.sizes)]
            fold = self.fold(x.element, self.fold_opcode(x.element))
            self.tamed(x.element, sizes, f"reduce-scatter({x.name}), dimensions={{{d}}}, {groups}, to_apply={fold}")

    def op_all_to_all(self, x):
        groups, count = self.groups()
        fitting = [d for d in range(x.rank) if x.sizes[d] % count == 0]
        if fitting:
            self.add(x.element, x.sizes, f"all-to-all({x.name}), dimensions={{{self.random.choice(fitting)}}}, {groups}")

    def op_all_to_all_tuple(self, x):
        groups, count = self.groups()
        parts, s = [self.pick(x.like).name for _ in range(count)], shape(x.element, x.sizes)
        all_parts = self.raw("(" + ", ".join([s] * count) + ")", f"all-to-all({', '.join(parts)}), {groups}")
        for i in range(count):
            self.add(x.element, x.sizes, f"get-tuple-element({all_parts}), index={i}")

    def pairs(self):
        """Some senders, each with another receiver."""
        everyone = range(self.participants)
        some = self.random.randint(1, self.participants)
        return braces(braces(pair) for pair in zip(self.random.sample(everyone, some), self.random.sample(everyone, some)))

    def op_collective_permute(self, x):
        text = f"source_target_pairs={self.pairs()}"
        if self.random.random() < 0.5:
            self.add(x.element, x.sizes, f"collective-permute({x.name}), {text}")
        else:
            s = shape(x.element, x.sizes)
            start = self.raw(f"({s}, {s}, u32[], u32[])", f"collective-permute-start({x.name}), {text}")
            self.add(x.element, x.sizes, f"collective-permute-done({start})")

    def op_collective_broadcast(self, x):
        order = braces(self.random.sample(range(self.participants), self.participants))
        self.add(x.element, x.sizes, f"collective-broadcast({x.name}), replica_groups={{{order}}}")

    def op_ragged_all_to_all(self, x):
        """The same number of rows to everybody, at the place of the sender's number."""
        count = self.participants
        if not x.rank or x.sizes[0] < count or not x.count:
            return
        rows = x.sizes[0] // count

        def numbers(values):
            return self.raw(f"s32[{count}]", f"constant({braces(values)})")

        own = self.raw("s32[]", f"convert({self.raw('u32[]', 'replica-id()')})")
        place = self.raw("s32[]", f"multiply({own}, {self.scalar('s32', rows)})")
        places = self.raw(f"s32[{count}]", f"broadcast({place}), dimensions={{}}")
        starts, lengths = numbers([i * rows for i in range(count)]), numbers([rows] * count)
        everyone = braces([braces(range(count))])
        self.add(x.element, x.sizes, f"ragged-all-to-all({x.name}, {self.pick(x.like).name}, {starts}, {lengths}, {places}, {lengths}), "
                                     f"replica_groups={everyone}")

    def op_send(self, x):
        """To other participants, or to oneself; each receives as often as it is sent to, and does not wait before it has sent."""
        s, channel = shape(x.element, x.sizes), f"channel_id={self.new_channel()}"
        if self.random.random() < 0.8:
            channel += f", frontend_attributes={{_xla_send_recv_source_target_pairs=\"{self.pairs()}\"}}"
        token, messages = self.raw("token[]", "after-all()"), []
        for y in [x] + [self.pick(x.like)] * self.random.choice([0, 0, 1]):
            ends = [f"send({y.name}, {token}), {channel}", f"recv({token}), {channel}"]
            order = self.random.choice([(0, 1), (1, 0)])
            started = {i: self.raw(f"({s}, u32[], token[])", ends[i]) for i in order}
            messages.append((started[0], started[1]))
        for sending, receiving in messages:
            sent = self.raw("token[]", f"send-done({sending}), {channel}")
            both = self.raw(f"({s}, token[])", f"recv-done({receiving}), {channel}")
            data = self.raw(s, f"get-tuple-element({both}), index=0")
            self.add(x.element, x.sizes, f"add-dependency({data}, {sent})")
