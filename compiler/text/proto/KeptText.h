// SPDX-License-Identifier: Apache-2.0
// Attributes that every instruction may have and that hloc keeps as text
// (test/text/shared-attributes.hlo): prints those of a protocol buffer in the form in which XLA
// writes them. Test: test/text/proto/same-module.test.

#ifndef HLOC_COMPILER_TEXT_PROTO_KEPTTEXT_H
#define HLOC_COMPILER_TEXT_PROTO_KEPTTEXT_H

#include "compiler/text/proto/hlo.pb.h"
#include "llvm/ADT/StringRef.h"

namespace hloc::text {

/// `name` with `_` for characters that are invalid in names of the text.
std::string makeName(llvm::StringRef name);

/// The text between the braces of `metadata={...}`.
std::string writeMetadata(const proto::OpMetadata &metadata);

// The following include their braces, and are empty if there is nothing to print.

/// False if a name is invalid in the text: then `text` is that name.
bool writeFrontendAttributes(const proto::FrontendAttributes &attributes, std::string &text);
std::string writeSharding(const proto::OpSharding &sharding);
/// `{kind="sharding", entry={...}, exit={...}}`.
std::string writeDomain(const proto::HloInstructionProto &domain);
std::string writeOrigin(const proto::OriginalValueProto &origin);
std::string writeStatistics(const proto::StatisticsViz &statistics);
std::string writeReplication(const proto::ParameterReplication &replication);
/// JSON verbatim, everything else in quotes.
std::string writeConfig(llvm::StringRef config);

/// `[2,4]<=[4,2]T(1,0)`.
std::string writeIotaGroups(const proto::IotaReplicaGroupListProto &groups);
/// `mesh['a'=2,'b'=4], device_ids=(...) {'a'}`.
std::string writeMeshGroups(const proto::MeshAxesReplicaGroupListProto &groups);

} // namespace hloc::text

#endif
