// The closed sets of names that cufx operations choose from.
#ifndef CUFORT_CUFX_ENUMS_TD
#define CUFORT_CUFX_ENUMS_TD

include "mlir/IR/EnumAttr.td"

class Cufx_Enum<string name, string summary, list<I32EnumAttrCase> cases> : I32EnumAttr<name, summary, cases> {
  let cppNamespace = "::cufort::cufx";
}

def Cufx_Extent : Cufx_Enum<"Extent", "which predefined variable", [
  I32EnumAttrCase<"ThreadIdx", 0, "thread_idx">, I32EnumAttrCase<"BlockIdx", 1, "block_idx">,
  I32EnumAttrCase<"BlockDim", 2, "block_dim">, I32EnumAttrCase<"GridDim", 3, "grid_dim">,
  I32EnumAttrCase<"ClusterBlockIdx", 4, "cluster_block_idx">, I32EnumAttrCase<"ClusterDim", 5, "cluster_dim">]>;

def Cufx_Axis : Cufx_Enum<"Axis", "component of a dim3", [
  I32EnumAttrCase<"X", 0, "x">, I32EnumAttrCase<"Y", 1, "y">, I32EnumAttrCase<"Z", 2, "z">]>;

def Cufx_BarrierReduction : Cufx_Enum<"BarrierReduction", "what a barrier computes from its predicates", [
  I32EnumAttrCase<"Count", 0, "count">, I32EnumAttrCase<"And", 1, "and">, I32EnumAttrCase<"Or", 2, "or">]>;

def Cufx_Scope : Cufx_Enum<"Scope", "who must see the memory accesses", [
  I32EnumAttrCase<"Block", 0, "block">, I32EnumAttrCase<"Device", 1, "device">,
  I32EnumAttrCase<"System", 2, "system">]>;

def Cufx_VoteKind : Cufx_Enum<"VoteKind", "warp vote", [
  I32EnumAttrCase<"All", 0, "all">, I32EnumAttrCase<"Any", 1, "any">, I32EnumAttrCase<"Ballot", 2, "ballot">]>;

def Cufx_MatchKind : Cufx_Enum<"MatchKind", "warp match", [
  I32EnumAttrCase<"Any", 0, "any">, I32EnumAttrCase<"All", 1, "all">]>;

def Cufx_ShuffleKind : Cufx_Enum<"ShuffleKind", "how a shuffle names its source lane", [
  I32EnumAttrCase<"Idx", 0, "idx">, I32EnumAttrCase<"Up", 1, "up">,
  I32EnumAttrCase<"Down", 2, "down">, I32EnumAttrCase<"Xor", 3, "xor">]>;

def Cufx_AtomicKind : Cufx_Enum<"AtomicKind", "atomic read-modify-write", [
  I32EnumAttrCase<"Add", 0, "add">, I32EnumAttrCase<"Sub", 1, "sub">, I32EnumAttrCase<"Max", 2, "max">,
  I32EnumAttrCase<"Min", 3, "min">, I32EnumAttrCase<"And", 4, "and">, I32EnumAttrCase<"Or", 5, "or">,
  I32EnumAttrCase<"Xor", 6, "xor">, I32EnumAttrCase<"Exch", 7, "exch">, I32EnumAttrCase<"Inc", 8, "inc">,
  I32EnumAttrCase<"Dec", 9, "dec">]>;

def Cufx_LoadHint : Cufx_Enum<"LoadHint", "cache operator of a load", [
  I32EnumAttrCase<"CA", 0, "ca">, I32EnumAttrCase<"CG", 1, "cg">, I32EnumAttrCase<"CS", 2, "cs">,
  I32EnumAttrCase<"LU", 3, "lu">, I32EnumAttrCase<"CV", 4, "cv">]>;

def Cufx_StoreHint : Cufx_Enum<"StoreHint", "cache operator of a store", [
  I32EnumAttrCase<"WB", 0, "wb">, I32EnumAttrCase<"CG", 1, "cg">, I32EnumAttrCase<"CS", 2, "cs">,
  I32EnumAttrCase<"WT", 3, "wt">]>;

def Cufx_MatrixRole : Cufx_Enum<"MatrixRole", "operand of d = a * b + c that a fragment holds", [
  I32EnumAttrCase<"A", 0, "a">, I32EnumAttrCase<"B", 1, "b">, I32EnumAttrCase<"C", 2, "c">]>;

def Cufx_MatrixShape : Cufx_Enum<"MatrixShape", "extents of a matrix product that a warp computes at once", [
  I32EnumAttrCase<"M16N16K16", 0, "m16n16k16">, I32EnumAttrCase<"M32N8K16", 1, "m32n8k16">,
  I32EnumAttrCase<"M8N32K16", 2, "m8n32k16">, I32EnumAttrCase<"M8N8K4", 3, "m8n8k4">]>;

def Cufx_MatrixOrder : Cufx_Enum<"MatrixOrder", "which elements of a matrix are next to each other in memory", [
  I32EnumAttrCase<"Col", 0, "col">, I32EnumAttrCase<"Row", 1, "row">]>;

def Cufx_ReductionKind : Cufx_Enum<"ReductionKind", "how partial results of a CUF kernel combine", [
  I32EnumAttrCase<"Add", 0, "add">, I32EnumAttrCase<"Mul", 1, "mul">, I32EnumAttrCase<"Max", 2, "max">,
  I32EnumAttrCase<"Min", 3, "min">, I32EnumAttrCase<"IAnd", 4, "iand">, I32EnumAttrCase<"IOr", 5, "ior">,
  I32EnumAttrCase<"IEor", 6, "ieor">, I32EnumAttrCase<"LAnd", 7, "land">, I32EnumAttrCase<"LOr", 8, "lor">,
  I32EnumAttrCase<"LEqv", 9, "leqv">, I32EnumAttrCase<"LNeqv", 10, "lneqv">]>;

#endif
