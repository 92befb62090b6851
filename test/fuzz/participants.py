# SPDX-License-Identifier: Apache-2.0
"""Collectives for random modules (graph.py), all exact. Each participant has numbers of its own."""

from builder import braces, shape


class CollectiveOperations:
    """`replicas` times `partitions` participants; participant p is partition p % partitions of replica p // partitions."""

    def draw_participants(self):
        self.replicas, self.partitions = self.random.choice([(1, 1)] * 12 + [(2, 1), (4, 1), (1, 2), (1, 4), (2, 2), (3, 1), (1, 3), (2, 3)])
        self.participants = self.replicas * self.partitions

    def groups(self, reduces=False):
        """replica_groups in one of their forms, with the attributes that say whose numbers they contain, and the size of a group.
        Groups of collectives that reduce or gather (`reduces`) may also be of replicas with all their partitions, or of any participants."""
        kinds = ["replicas"] * (self.replicas > 1) + ["partitions"] * (self.partitions > 1 and not reduces)
        kind = self.random.choice(kinds + (["both", "any"] if reduces else []))
        count = {"replicas": self.replicas, "partitions": self.partitions, "both": self.replicas, "any": self.participants}[kind]
        texts = [(braces([braces(self.random.sample(range(count), count))]), count), (f"[1,{count}]<=[{count}]", count)]
        if kind in ("replicas", "both"):
            texts.append(("{}", count))
        if count == 4:
            texts += [("{{0,2},{3,1}}", 2), ("[2,2]<=[2,2]T(1,0)", 2)]
        if count == 6:
            texts += [("[3,2]<=[2,3]T(1,0)", 2), ("{{5,1,3},{0,4,2}}", 3)]
        text, size = self.random.choice(texts)
        text = f"replica_groups={text}"
        if kind != "replicas":
            text += f", channel_id={self.new_channel()}" + ", use_global_device_ids=true" * (kind == "any")
        return text, size * (self.partitions if kind == "both" else 1)

    def everyone(self):
        """One group of all replicas, or of all partitions: its size, the operation for a member's number, and the channel if needed."""
        if self.replicas > 1 and (self.partitions == 1 or self.random.random() < 0.5):
            return self.replicas, "replica-id()", ""
        return self.partitions, "partition-id()", f", channel_id={self.new_channel()}"

    def started(self, x, sizes, opcode, rest):
        """The collective as one instruction, as its start and done, or as an asynchronous computation."""
        source, result = shape(x.element, x.sizes), shape(x.element, sizes)
        how = self.random.choice(["one", "one", "pair", "async"])
        if how == "pair" and opcode in ("all-reduce", "all-gather"):
            both = result if opcode == "all-reduce" else f"({source}, {result})"
            return f"{opcode}-done({self.raw(both, f'{opcode}-start({x.name}), {rest}')})"
        if how == "async":
            calls = self.computation(f"x = {source} parameter(0)", f"ROOT r = {result} {opcode}(x), {rest}")
            return f"async-done({self.raw(f'(({source}), {result}, u32[])', f'async-start({x.name}), calls={calls}')}), calls={calls}"
        return f"{opcode}({x.name}), {rest}"

    def op_number(self, _):
        number = self.raw("u32[]", self.random.choice(["replica-id()", "partition-id()"]))
        self.add("s32", [], f"convert({number})")

    def op_all_reduce(self, x):
        groups, _ = self.groups(reduces=True)
        fold = self.fold(x.element, self.fold_opcode(x.element))
        self.tamed(x.element, x.sizes, self.started(x, x.sizes, "all-reduce", f"{groups}, to_apply={fold}"))

    def op_all_gather(self, x):
        if x.rank and x.count * self.participants <= self.most_elements:
            groups, count = self.groups(reduces=True)
            d = self.random.randrange(x.rank)
            sizes = [size * count if i == d else size for i, size in enumerate(x.sizes)]
            self.add(x.element, sizes, self.started(x, sizes, "all-gather", f"dimensions={{{d}}}, {groups}"))

    def op_reduce_scatter(self, x):
        groups, count = self.groups(reduces=True)
        fitting = [d for d in range(x.rank) if x.sizes[d] % count == 0]
        if fitting:
            d = self.random.choice(fitting)
            sizes = [size // count if i == d else size for i, size in enumerate(x.sizes)]
            fold = self.fold(x.element, self.fold_opcode(x.element))
            self.tamed(x.element, sizes, self.started(x, sizes, "reduce-scatter", f"dimensions={{{d}}}, {groups}, to_apply={fold}"))

    def op_collectives_of_several(self, x):
        """One collective of several arrays of one element type."""
        opcode, d = self.random.choice(["all-reduce", "all-gather", "reduce-scatter"]), self.random.randrange(x.rank) if x.rank else 0
        groups, count = self.groups(reduces=True)
        parts = [x] + [self.pick(lambda v: v.element == x.element and v.rank == x.rank) for _ in range(self.random.choice([1, 2]))]
        if opcode != "all-reduce" and not x.rank or sum(v.count for v in parts) * count > self.most_elements:
            return
        if opcode == "reduce-scatter" and any(v.sizes[d] % count for v in parts):
            return
        by = {"all-reduce": lambda n: n, "all-gather": lambda n: n * count, "reduce-scatter": lambda n: n // count}[opcode]
        sizes = [[by(size) if i == d else size for i, size in enumerate(v.sizes)] for v in parts]
        rest = groups + (f", dimensions={{{d}}}" if opcode != "all-reduce" else "")
        if opcode != "all-gather":
            rest += f", to_apply={self.fold(x.element, self.fold_opcode(x.element))}"
        types = ", ".join(shape(x.element, s) for s in sizes)
        all_parts = self.raw(f"({types})", f"{opcode}({', '.join(v.name for v in parts)}), {rest}")
        for i, s in enumerate(sizes):
            self.tamed(x.element, s, f"get-tuple-element({all_parts}), index={i}")

    def op_all_to_all(self, x):
        groups, count = self.groups()
        fitting = [d for d in range(x.rank) if x.sizes[d] % count == 0]
        if fitting:
            self.add(x.element, x.sizes, self.started(x, x.sizes, "all-to-all", f"dimensions={{{self.random.choice(fitting)}}}, {groups}"))

    def op_all_to_all_tuple(self, x):
        groups, count = self.groups()
        parts, s = [self.pick(x.like).name for _ in range(count)], shape(x.element, x.sizes)
        all_parts = self.raw("(" + ", ".join([s] * count) + ")", f"all-to-all({', '.join(parts)}), {groups}")
        for i in range(count):
            self.add(x.element, x.sizes, f"get-tuple-element({all_parts}), index={i}")

    def pairs(self, count):
        """Some senders, each with another receiver."""
        some = self.random.randint(1, count)
        return braces(braces(pair) for pair in zip(self.random.sample(range(count), some), self.random.sample(range(count), some)))

    def op_collective_permute(self, x):
        count, _, channel = self.everyone()
        text = f"source_target_pairs={self.pairs(count)}{channel}"
        if self.random.random() < 0.5:
            self.add(x.element, x.sizes, f"collective-permute({x.name}), {text}")
        else:
            s = shape(x.element, x.sizes)
            start = self.raw(f"({s}, {s}, u32[], u32[])", f"collective-permute-start({x.name}), {text}")
            self.add(x.element, x.sizes, f"collective-permute-done({start})")

    def op_collective_permute_slice(self, x):
        """Sends a slice of x into another array, at other indices."""
        count, _, channel = self.everyone()
        y = self.pick(lambda v: v.element == x.element and v.rank == x.rank)
        extents = [self.random.randint(min(1, *pair), min(pair)) for pair in zip(x.sizes, y.sizes)]

        def place(sizes):
            starts = [self.scalar("s32", self.random.randint(0, size - extent)) for size, extent in zip(sizes, extents)]
            return self.raw("(" + ", ".join(["s32[]"] * x.rank) + ")", f"tuple({', '.join(starts)})")

        if x.rank:
            self.add(x.element, y.sizes, f"collective-permute({x.name}, {y.name}, {place(x.sizes)}, {place(y.sizes)}), "
                                         f"source_target_pairs={self.pairs(count)}, slice_sizes={{{braces(extents)}}}{channel}")

    def op_collective_broadcast(self, x):
        count, _, channel = self.everyone()
        order = self.random.sample(range(count), count)
        root, operands = "", x.name
        if self.random.random() < 0.4:
            operands, root = f"{x.name}, {self.scalar('s32', self.random.randrange(count))}", ", has_dynamic_root=true"
        self.add(x.element, x.sizes, f"collective-broadcast({operands}), replica_groups={{{braces(order)}}}{channel}{root}")

    def op_ragged_all_to_all(self, x):
        """The same number of rows to everybody, at the place of the sender's number."""
        count, number, channel = self.everyone()
        if not x.rank or x.sizes[0] < count or not x.count:
            return
        rows = x.sizes[0] // count

        def numbers(values):
            return self.raw(f"s32[{count}]", f"constant({braces(values)})")

        own = self.raw("s32[]", f"convert({self.raw('u32[]', number)})")
        place = self.raw("s32[]", f"multiply({own}, {self.scalar('s32', rows)})")
        places = self.raw(f"s32[{count}]", f"broadcast({place}), dimensions={{}}")
        starts, lengths = numbers([i * rows for i in range(count)]), numbers([rows] * count)
        self.add(x.element, x.sizes, f"ragged-all-to-all({x.name}, {self.pick(x.like).name}, {starts}, {lengths}, {places}, {lengths}), "
                                     f"replica_groups={braces([braces(range(count))])}{channel}")

    def op_send(self, x):
        """To other participants, or to oneself; each receives as often as it is sent to, and does not wait before it has sent."""
        s, channel = shape(x.element, x.sizes), f"channel_id={self.new_channel()}"
        if self.random.random() < 0.8:
            pairs = self.pairs(self.partitions if self.partitions > 1 else self.replicas)
            channel += f", frontend_attributes={{_xla_send_recv_source_target_pairs=\"{pairs}\"}}"
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
