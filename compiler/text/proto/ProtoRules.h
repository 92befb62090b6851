// SPDX-License-Identifier: Apache-2.0
// The table of attributes in an HloModuleProto: the field of an instruction that each attribute of
// its operation is read from. Test: test/text/proto/ProtoTest.cpp, which compares it with the
// operations.

#ifndef HLOC_COMPILER_TEXT_PROTO_PROTORULES_H
#define HLOC_COMPILER_TEXT_PROTO_PROTORULES_H

#include "compiler/text/proto/ProtoReader.h"

namespace hloc::text {

/// The context of a rule.
struct Reading {
  ProtoReader &reader;
  const proto::HloInstructionProto &proto;
  const Instruction &instruction;
};

struct ProtoRule {
  /// The operation's attribute.
  llvm::StringRef target;
  /// Null if the attribute is to be omitted, or after an error.
  mlir::Attribute (*read)(const Reading &);
  /// Only for opcodes that start with this.
  llvm::StringRef only = "";
};

/// The rule for attribute `target` of an opcode; null if no field contains it.
const ProtoRule *findProtoRule(llvm::StringRef target, llvm::StringRef opcode);

} // namespace hloc::text

#endif
