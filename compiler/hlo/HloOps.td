// SPDX-License-Identifier: Apache-2.0
// All of the dialect, for tools that want one file (documentation, language server).

include "compiler/hlo/CollectiveOps.td"
include "compiler/hlo/ComputeOps.td"
include "compiler/hlo/ControlOps.td"
include "compiler/hlo/ElementwiseOps.td"
include "compiler/hlo/KernelOps.td"
include "compiler/hlo/ShapeOps.td"
