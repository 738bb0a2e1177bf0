# Finds the packaged LLVM, MLIR and Flang 22 and says how the compiler's libraries are built against them.
list(APPEND CMAKE_PREFIX_PATH /usr/lib/llvm-22)
find_package(LLVM 22.1 REQUIRED CONFIG)
find_package(MLIR REQUIRED CONFIG)
# FlangTargets.cmake names clang-cpp, which the Flang package does not need and does not install.
if(NOT TARGET clang-cpp)
  add_library(clang-cpp INTERFACE IMPORTED)
endif()
find_package(Flang REQUIRED CONFIG)

list(APPEND CMAKE_MODULE_PATH ${LLVM_CMAKE_DIR} ${MLIR_CMAKE_DIR})
include(TableGen)
include(AddLLVM)
include(AddMLIR)

separate_arguments(CUFORT_LLVM_DEFINITIONS UNIX_COMMAND "${LLVM_DEFINITIONS}")
list(TRANSFORM CUFORT_LLVM_DEFINITIONS REPLACE "^-D" "")

# What the compiler is linked from: Flang is static archives, MLIR and LLVM are the shared libraries that flang-22
# itself uses (static copies would register everything twice).
set(CUFORT_FLANG_LIBS
  FortranLower FortranSemantics FortranEvaluate FortranParser FortranSupport flangFrontend flangPasses FIRTransforms
  FIRCodeGen FIRBuilder HLFIRTransforms FIROpenACCSupport FIROpenMPSupport FlangOpenMPTransforms FIRSupport
  CUFDialect CUFAttrs MIFDialect)
set(CUFORT_MLIR_LIBS MLIR LLVM)

# Table generation takes its include paths from the folder.
include_directories(SYSTEM ${LLVM_INCLUDE_DIRS} ${MLIR_INCLUDE_DIRS} ${FLANG_INCLUDE_DIRS})
