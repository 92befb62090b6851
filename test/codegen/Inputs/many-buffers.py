"""Prints a module that makes a step for each of 80 integer arrays."""
COUNT = 80
ARRAY, STATE = "s32[300]{0}", "(s32[], s32[300]{0}, s32[300]{0})"
parameters = ", ".join(["s32[]"] + [ARRAY] * (2 * COUNT))
results = ", ".join([ARRAY] * (COUNT + 1) + ["s32[150,2]{1,0}"])
aliases = ", ".join(f"{{{i}}}: ({i + 1}, {{}}, may-alias)" for i in range(COUNT))
print(f"""HloModule step, input_output_alias={{ {aliases} }}, entry_computation_layout={{({parameters})->({results})}}

body {{
  state = {STATE} parameter(0)
  i = s32[] get-tuple-element(state), index=0
  x = {ARRAY} get-tuple-element(state), index=1
  y = {ARRAY} get-tuple-element(state), index=2
  one = s32[] constant(1)
  next = s32[] add(i, one)
  sum = {ARRAY} add(x, y)
  ROOT result = {STATE} tuple(next, sum, y)
}}

condition {{
  state = {STATE} parameter(0)
  i = s32[] get-tuple-element(state), index=0
  limit = s32[] constant(100)
  ROOT less = pred[] compare(i, limit), direction=LT
}}

ENTRY main {{
  rate = s32[] parameter(0)
  rates = {ARRAY} broadcast(rate), dimensions={{}}""")
for i in range(COUNT):
    print(f"""  value.{i} = {ARRAY} parameter({i + 1})
  slope.{i} = {ARRAY} parameter({COUNT + i + 1})
  change.{i} = {ARRAY} multiply(slope.{i}, rates)
  updated.{i} = {ARRAY} subtract(value.{i}, change.{i})""")
print(f"""  zero = s32[] constant(0)
  begin = {STATE} tuple(zero, updated.3, slope.5)
  loop = {STATE} while(begin), condition=condition, body=body
  total = {ARRAY} get-tuple-element(loop), index=1
  rows = s32[150,2]{{1,0}} reshape(slope.7)""")
outputs = ", ".join([f"updated.{i}" for i in range(COUNT)] + ["total", "rows"])
print(f"  ROOT result = ({results}) tuple({outputs})\n}}")
