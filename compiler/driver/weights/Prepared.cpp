// SPDX-License-Identifier: Apache-2.0
#include "compiler/driver/weights/Prepared.h"
#include "compiler/driver/weights/EntryLeaves.h"
#include "passes/Computations.h"
#include "passes/frontend/TupleLeaves.h"
#include "passes/prepare/Preparation.h"
#include <set>

using namespace mlir;

namespace hloc {

std::vector<std::string> splitNames(StringRef list) {
  std::vector<std::string> names{""};
  int depth = 0;
  char quote = 0;
  for (char c : list) {
    if (quote)
      quote = c == quote ? 0 : quote;
    else if (c == '\'' || c == '"')
      quote = c;
    else
      depth += c == '[' ? 1 : c == ']' ? -1 : 0;
    if (c == ',' && depth <= 0 && !quote)
      names.emplace_back();
    else
      names.back() += c;
  }
  return names;
}

/// Reports an error at the parameter if it cannot stay the same.
static LogicalResult check(ModuleOp module, const EntryLeaf &leaf) {
  Location loc = leaf.parameter.getLoc();
  if (!leaf.type.hasStaticShape())
    return emitError(loc) << "a parameter whose size is known at run time cannot be prepared";
  for (StringRef list : {"hlo.input_output_alias", "hlo.buffer_donor"}) {
    auto aliases = module->getAttrOfType<ArrayAttr>(list);
    for (Attribute entry : aliases ? aliases.getValue() : ArrayRef<Attribute>()) {
      auto alias = cast<hlo::BufferAliasAttr>(entry);
      if (alias.getOperand() != int64_t(leaf.parameter.getArgNumber()) ||
          getLeafIndex(leaf.parameter.getType(), alias.getOperandIndex()) != leaf.position)
        continue;
      return emitError(loc) << "the parameter's memory is given to the module ("
                            << list.drop_front(StringRef("hlo.").size())
                            << "), so it cannot be prepared: a prepared parameter is read only";
    }
  }
  return success();
}

LogicalResult markPrepared(ModuleOp module, ArrayRef<std::string> names) {
  hlo::ComputationOp entry = getEntry(module);
  if (names.empty() || !entry)
    return success();
  EntryLeaves leaves(entry);
  std::map<unsigned, std::set<int64_t>> marked; // by parameter
  for (StringRef name : names) {
    SmallVector<size_t> found = leaves.findBelow(name);
    if (found.empty()) {
      std::optional<size_t> leaf = leaves.findOne(name, "--prepare", entry.getLoc());
      if (!leaf)
        return failure();
      found.push_back(*leaf);
    }
    for (size_t leaf : found) {
      if (failed(check(module, leaves[leaf])))
        return failure();
      marked[leaves[leaf].parameter.getArgNumber()].insert(int64_t(leaves[leaf].position));
    }
  }
  Builder builder(module.getContext());
  for (auto &[parameter, positions] : marked)
    entry.setArgAttr(
        parameter, kPrepare,
        builder.getDenseI64ArrayAttr(SmallVector<int64_t>(positions.begin(), positions.end())));
  return success();
}

} // namespace hloc
