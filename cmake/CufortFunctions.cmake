# The five ways a target is made in this project. Sources are always listed, never globbed.

# cufort_library(Name srcs... LINKS libs...): a leaf folder's static library. Includes are paths from the root.
function(cufort_library name)
  cmake_parse_arguments(ARG "" "" "LINKS" ${ARGN})
  add_library(${name} STATIC ${ARG_UNPARSED_ARGUMENTS})
  target_include_directories(${name} PUBLIC ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR})
  target_link_libraries(${name} PUBLIC ${ARG_LINKS})
  target_compile_options(${name} PRIVATE ${CUFORT_WARNINGS})
endfunction()

# cufort_compiler_library(Name srcs... LINKS libs...): the same, against LLVM, MLIR and Flang (no exceptions).
function(cufort_compiler_library name)
  cufort_library(${name} ${ARGN})
  target_include_directories(${name} SYSTEM PUBLIC ${LLVM_INCLUDE_DIRS} ${MLIR_INCLUDE_DIRS} ${FLANG_INCLUDE_DIRS})
  target_compile_definitions(${name} PUBLIC ${CUFORT_LLVM_DEFINITIONS})
  # llvm::Expected needs the moves that GCC calls redundant. Clang does not know GCC's standard library for a system
  # header behind a precompiled header.
  target_compile_options(${name} PRIVATE -fno-exceptions -Wno-redundant-move
    $<$<CXX_COMPILER_ID:Clang>:-Wno-deprecated-declarations>)
endfunction()

# cufort_unittest(Name srcs... LINKS libs...): a GoogleTest program, registered with CTest.
function(cufort_unittest name)
  cmake_parse_arguments(ARG "" "" "LINKS" ${ARGN})
  add_executable(${name} ${ARG_UNPARSED_ARGUMENTS})
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR})
  target_link_libraries(${name} PRIVATE ${ARG_LINKS} GTest::gtest GTest::gtest_main)
  add_test(NAME unit-${name} COMMAND ${name})
endfunction()

# cufort_tablegen(target file.td out.inc args...): one mlir-tblgen output, collected under the target's name.
function(cufort_tablegen out td)
  set(LLVM_TARGET_DEFINITIONS ${td})
  mlir_tablegen(${out} ${ARGN})
endfunction()

# cufort_compiler_executable(target): where the program is put, and how it is linked: lld, because the default linker
# takes minutes over Flang's archives; relative to the installed LLVM. jemalloc, where it is installed, saves a tenth of a
# compilation: MLIR and LLVM allocate one small object after the other. It is linked into the program, and takes the
# place of malloc in the shared libraries, too.
find_library(CUFORT_JEMALLOC NAMES libjemalloc_pic.a libjemalloc.a)
mark_as_advanced(CUFORT_JEMALLOC)

function(cufort_compiler_executable target)
  set_target_properties(${target} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin
    INSTALL_RPATH ${LLVM_LIBRARY_DIR} BUILD_RPATH ${LLVM_LIBRARY_DIR})
  target_link_options(${target} PRIVATE -fuse-ld=lld -B${LLVM_TOOLS_BINARY_DIR} -Wl,--gc-sections)
  if(CUFORT_JEMALLOC)
    target_link_libraries(${target} PRIVATE ${CUFORT_JEMALLOC})
  endif()
endfunction()
