// SPDX-License-Identifier: Apache-2.0
// Attributes that every instruction may carry and that hloc keeps as text
// (test/text/shared-attributes.hlo): the text of those of a protocol buffer, as XLA writes it.
// Test: test/text/proto/shared.test.

#ifndef HLOC_COMPILER_TEXT_PROTO_KEPTTEXT_H
#define HLOC_COMPILER_TEXT_PROTO_KEPTTEXT_H

#include "compiler/text/proto/hlo.pb.h"
#include "llvm/ADT/StringRef.h"

namespace hloc::text {

/// `name` with `_` for what names of the text do not have.
std::string makeName(llvm::StringRef name);

/// What stands in the braces of `metadata={...}`.
std::string writeMetadata(const proto::OpMetadata &metadata);

// Those that follow: with their braces; nothing if there is nothing to say.

/// False if a name is none that the text may have: `text` is that name.
bool writeFrontendAttributes(const proto::FrontendAttributes &attributes, std::string &text);
std::string writeSharding(const proto::OpSharding &sharding);
/// `{kind="sharding", entry={...}, exit={...}}`.
std::string writeDomain(const proto::HloInstructionProto &domain);
std::string writeOrigin(const proto::OriginalValueProto &origin);
std::string writeStatistics(const proto::StatisticsViz &statistics);
std::string writeReplication(const proto::ParameterReplication &replication);
/// JSON as it stands, anything else in quotes.
std::string writeConfig(llvm::StringRef config);

/// `[2,4]<=[4,2]T(1,0)`.
std::string writeIotaGroups(const proto::IotaReplicaGroupListProto &groups);
/// `mesh['a'=2,'b'=4], device_ids=(...) {'a'}`.
std::string writeMeshGroups(const proto::MeshAxesReplicaGroupListProto &groups);

} // namespace hloc::text

#endif
