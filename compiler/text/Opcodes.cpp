// SPDX-License-Identifier: Apache-2.0
#include "compiler/text/Opcodes.h"
#include "compiler/hlo/HloDialect.h"

using namespace mlir;

namespace hloc::text {

bool Opcode::hasAttribute(StringRef name) const {
  return operation && llvm::any_of(operation->getAttributeNames(),
                                   [&](StringAttr attribute) { return attribute == name; });
}

static const std::pair<StringRef, StringRef> kRequired[] = {
    {"all-gather", "dimensions"},
    {"all-gather-start", "dimensions"},
    {"all-reduce", "to_apply"},
    {"all-reduce-start", "to_apply"},
    {"async-start", "calls"},
    {"batch-norm-grad", "epsilon,feature_index"},
    {"batch-norm-inference", "epsilon,feature_index"},
    {"batch-norm-training", "epsilon,feature_index"},
    {"call", "to_apply"},
    {"collective-permute", "source_target_pairs"},
    {"collective-permute-start", "source_target_pairs"},
    {"compare", "direction"},
    {"concatenate", "dimensions"},
    {"convolution", "dim_labels"},
    {"custom-call", "custom_call_target"},
    {"domain", "domain"},
    {"dynamic-slice", "dynamic_slice_sizes"},
    {"fft", "fft_type,fft_length"},
    {"fusion", "kind,calls"},
    {"gather", "offset_dims,collapsed_slice_dims,start_index_map,index_vector_dim,slice_sizes"},
    {"get-dimension-size", "dimensions"},
    {"get-tuple-element", "index"},
    {"iota", "iota_dimension"},
    {"map", "to_apply"},
    {"pad", "padding"},
    {"reduce", "dimensions,to_apply"},
    {"reduce-precision", "exponent_bits,mantissa_bits"},
    {"reduce-scatter", "dimensions,to_apply"},
    {"reduce-window", "to_apply"},
    {"reverse", "dimensions"},
    {"rng", "distribution"},
    {"rng-bit-generator", "algorithm"},
    {"rng-get-and-update-state", "delta"},
    {"scan", "dimensions,num_carries,to_apply"},
    {"scatter", "update_window_dims,inserted_window_dims,scatter_dims_to_operand_dims,"
                "index_vector_dim,to_apply"},
    {"select-and-scatter", "select,scatter"},
    {"set-dimension-size", "dimensions"},
    {"slice", "slice"},
    {"sort", "dimensions,to_apply"},
    {"topk", "k"},
    {"transpose", "dimensions"},
    {"triangular-solve", "transpose_a"},
    {"while", "condition,body"},
};

/// Derives the number of operands from the operation's traits.
static void readArity(Opcode &opcode) {
  const RegisteredOperationName &name = *opcode.operation;
  using namespace OpTrait;
  opcode.anyNumber = false;
  if (name.hasTrait<ZeroOperands>())
    opcode.minOperands = 0;
  else if (name.hasTrait<OneOperand>())
    opcode.minOperands = 1;
  else if (name.hasTrait<NOperands<2>::Impl>())
    opcode.minOperands = 2;
  else if (name.hasTrait<NOperands<3>::Impl>())
    opcode.minOperands = 3;
  else if (name.hasTrait<NOperands<4>::Impl>())
    opcode.minOperands = 4;
  else if (name.hasTrait<NOperands<5>::Impl>())
    opcode.minOperands = 5;
  else {
    opcode.anyNumber = true;
    if (name.hasTrait<AtLeastNOperands<1>::Impl>())
      opcode.minOperands = 1;
    else if (name.hasTrait<AtLeastNOperands<2>::Impl>())
      opcode.minOperands = 2;
    else if (name.hasTrait<AtLeastNOperands<3>::Impl>())
      opcode.minOperands = 3;
  }
}

const OpcodeTable &OpcodeTable::get(MLIRContext *context) {
  auto *dialect = context->getOrLoadDialect<hlo::HLODialect>();
  if (auto *table = dialect->getRegisteredInterface<OpcodeTable>())
    return *table;
  return dialect->addInterface<OpcodeTable>();
}

OpcodeTable::OpcodeTable(Dialect *dialect) : Base(dialect) {
  for (RegisteredOperationName name : getContext()->getRegisteredOperationsByDialect("hlo")) {
    StringRef bare = name.stripDialect();
    if (bare == "computation" || bare == "return" || bare.starts_with("kernel"))
      continue;
    Opcode opcode;
    opcode.text = bare.str();
    llvm::replace(opcode.text, '_', '-');
    opcode.operation = name;
    readArity(opcode);
    opcodes[opcode.text] = opcode;
  }
  opcodes["parameter"].text = "parameter";
  for (auto [opcode, names] : kRequired)
    if (auto found = opcodes.find(opcode); found != opcodes.end())
      names.split(found->second.required, ',');
}

StringRef OpcodeTable::nearest(StringRef text) const {
  StringRef best;
  unsigned bestDistance = 2 + text.size() / 4;
  for (const auto &entry : opcodes) {
    unsigned distance = text.edit_distance(entry.first(), true, bestDistance);
    if (distance < bestDistance ||
        (distance == bestDistance && !best.empty() && entry.first() < best)) {
      bestDistance = distance;
      best = entry.first();
    }
  }
  return best;
}

} // namespace hloc::text
