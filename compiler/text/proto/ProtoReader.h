// SPDX-License-Identifier: Apache-2.0
// The state of reading one HloModuleProto, shared by the files that read its parts: ReadProto.cpp
// (the module), ReadComputation.cpp (computations and instructions), ReadShape.cpp,
// ReadLiteral.cpp, ReadAttributes.cpp and ProtoRules.cpp (attributes of particular opcodes), and
// KeptText.h (those of every instruction). The module is built by compiler/text/ModuleBuilder.h.

#ifndef HLOC_COMPILER_TEXT_PROTO_PROTOREADER_H
#define HLOC_COMPILER_TEXT_PROTO_PROTOREADER_H

#include "compiler/text/Groups.h"
#include "compiler/text/ModuleBuilder.h"
#include "compiler/text/proto/hlo.pb.h"
#include <unordered_map>

namespace hloc::text {

using ProtoInts = google::protobuf::RepeatedField<int64_t>;

/// A map from ids in the file. Any number may occur, including those that a DenseMap reserves.
template <typename T> class IdMap {
public:
  /// False if the id is taken.
  bool add(int64_t id, T value) { return map.try_emplace(id, value).second; }
  /// Null if the id is unknown.
  T lookup(int64_t id) const {
    auto found = map.find(id);
    return found == map.end() ? T() : found->second;
  }
  /// The same, and removes it.
  T take(int64_t id) {
    auto found = map.find(id);
    return found == map.end() ? T() : std::exchange(found->second, T());
  }
  void clear() { map.clear(); }

private:
  std::unordered_map<int64_t, T> map;
};

class ProtoReader : ModuleBuilder {
public:
  ProtoReader(const proto::HloModuleProto &source, llvm::StringRef fileName,
              mlir::MLIRContext *context, const ParseOptions &options)
      : ModuleBuilder(fileName, context, options), source(source) {}
  mlir::OwningOpRef<mlir::ModuleOp> run();

private:
  friend struct ProtoRules;

  mlir::FileLineColLoc locate(const char *place) override;
  std::string describePlace() const override;
  ParseResult fail(const llvm::Twine &message) { return ModuleBuilder::fail(nullptr, message); }

  //===- The module (ReadProto.cpp) -----------------------------------------===//

  ParseResult readHeader();
  ParseResult readEntryLayout();
  ParseResult readAliases();
  void readStackFrames();
  ParseResult readComputations();

  //===- Computations and instructions (ReadComputation.cpp) ----------------===//

  ParseResult readComputation(const proto::HloComputationProto &computation);
  /// Sorts the instructions in the order of execution.
  ParseResult orderInstructions(const proto::HloComputationProto &computation,
                                llvm::SmallVectorImpl<const proto::HloInstructionProto *> &order);
  ParseResult readBody(const proto::HloComputationProto &computation, Scope &body);
  ParseResult readInstruction(const proto::HloInstructionProto &proto);
  ParseResult readOperands(const proto::HloInstructionProto &proto, Instruction &instruction);
  ParseResult readConstant(const proto::HloInstructionProto &proto, Instruction &instruction);
  ParseResult readShared(const proto::HloInstructionProto &proto, Instruction &instruction);
  ParseResult readPredecessors(const proto::HloInstructionProto &proto, Instruction &instruction);

  //===- Shapes and literals (ReadShape.cpp, ReadLiteral.cpp) ---------------===//

  ParseResult readShape(const proto::ShapeProto &proto, mlir::Type &type);
  ParseResult readTuple(const proto::ShapeProto &proto, mlir::Type &type);
  ParseResult readArray(const proto::ShapeProto &proto, mlir::Type &type);
  ParseResult readLayout(const proto::LayoutProto &proto, ArrayLayout &layout);
  ParseResult readLiteral(const proto::LiteralProto &proto, mlir::Type type,
                          mlir::Attribute &value);
  ParseResult readArrayLiteral(const proto::LiteralProto &proto, mlir::RankedTensorType type,
                               mlir::Attribute &value);

  //===- Attributes (ReadAttributes.cpp) ------------------------------------===//

  ParseResult readAttributes(const proto::HloInstructionProto &proto, Instruction &instruction);
  mlir::Attribute readComputationName(const ProtoInts &ids, int index);
  mlir::Attribute readComputationNames(const ProtoInts &ids);
  mlir::Attribute readWindow(const proto::Window &window);
  mlir::Attribute readDimLabels(const proto::ConvolutionDimensionNumbers &numbers);
  mlir::Attribute readGroups(const proto::HloInstructionProto &proto);
  mlir::Attribute readIotaGroups(const proto::IotaReplicaGroupListProto &proto);
  mlir::Attribute readMeshGroups(const proto::MeshAxesReplicaGroupListProto &proto);
  mlir::Attribute readSliceLists(const proto::HloInstructionProto &proto,
                                 const Instruction &instruction);
  mlir::Attribute readLayouts(const proto::HloInstructionProto &proto,
                              const Instruction &instruction);

  //===- State --------------------------------------------------------------===//

  const proto::HloModuleProto &source;
  IdMap<hlo::ComputationOp> computationsById;
  IdMap<mlir::Value> valuesById; // of the current computation

  // What is being read, for messages: its names, and its position in the output of printHlo.
  llvm::StringRef computationName, instructionName;
  unsigned line = 1, column = 1;
};

} // namespace hloc::text

#endif
