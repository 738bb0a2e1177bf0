"""How lit runs the tests of this folder. Start it through the build: `ctest --preset dev -R lit`, or
`llvm-lit build/test/execution/kernels`."""

import ctypes
import os
import shutil

import lit.formats

config.name = "cufort"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".cuf", ".CUF", ".f", ".F", ".f90", ".F90", ".mlir", ".test"]
# unit: GoogleTest programs, run by CTest. gpu, layering: scripts. Inputs: read by other tests.
config.excludes = ["Inputs", "unit", "gpu", "layering"]
config.test_source_root = os.path.join(config.cufort_source_dir, "test")
config.test_exec_root = os.path.join(config.cufort_build_dir, "test")

tools_dir = config.cufort_tools_dir or os.path.join(config.cufort_build_dir, "bin")

# The driver around a compiler that fails on request.
config.substitutions.append(
    ("%fake-cufort", os.path.join(config.cufort_build_dir, "test", "driver", "fake", "bin", "cufort-fake")))

# The longer name first: substitutions are tried in this order.
for tool in ["cufort-opt", "cufort"]:
    config.substitutions.append(("%" + tool, os.path.join(tools_dir, tool)))

# The driver around a compiler that fails on request: test/driver.
config.substitutions.append(
    ("%fake-cufort", os.path.join(config.cufort_build_dir, "test", "driver", "fake", "bin", "cufort-fake")))

# Programs of tests may not read device memory on the host, which only the emulated device would let them do. What a test
# says itself about CUFORT_CHECK stands behind it.
config.substitutions.append(("env CUFORT_DEVICE=emulated", "env CUFORT_DEVICE=emulated CUFORT_CHECK=host"))

# FileCheck, not and split-file are found by their plain names.
config.environment["PATH"] = os.pathsep.join([config.llvm_tools_dir, tools_dir, os.environ["PATH"]])

# What a user may have set to point the compiler at other tools; nothing that changes what a test does.
for name in ["CUDA_HOME", "CUDA_PATH", "HOME", "LD_LIBRARY_PATH", "TMPDIR"]:
    if name in os.environ:
        config.environment[name] = os.environ[name]

# A test that hangs is killed where lit can do that (it needs psutil); otherwise run-tests.sh ends the whole run.
try:
    import psutil  # noqa: F401

    lit_config.maxIndividualTestTime = 300
except ImportError:
    pass


def has_gpu():
    """Whether the CUDA driver is there and finds a device."""
    try:
        driver = ctypes.CDLL("libcuda.so.1")
    except OSError:
        return False
    count = ctypes.c_int(0)
    return driver.cuInit(0) == 0 and driver.cuDeviceGetCount(ctypes.byref(count)) == 0 and count.value > 0


def has_ptxas():
    """Whether a CUDA toolkit's assembler can be found, as the driver looks for it."""
    homes = [os.environ.get("CUDA_HOME"), os.environ.get("CUDA_PATH"), "/usr/local/cuda"]
    return bool(shutil.which("ptxas")) or any(
        home and os.access(os.path.join(home, "bin", "ptxas"), os.X_OK) for home in homes)


# Only tests that compare what a GPU or the toolkit prints need these; all others run on the emulated device.
if has_gpu():
    config.available_features.add("gpu")
if has_ptxas():
    config.available_features.add("ptxas")
if shutil.which("addr2line"):
    config.available_features.add("addr2line")
# Of one process and of several.
if len(os.sched_getaffinity(0)) > 1:
    config.available_features.add("several-processors")
