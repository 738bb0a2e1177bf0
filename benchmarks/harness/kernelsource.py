"""Writes files of many kernels, the same in CUDA Fortran, in CUDA C++ and as Fortran without kernels, to time compilers."""
import random

TEMPORARIES = [f"r{i}" for i in range(6)]
LINES = 50  # of a kernel, in Fortran
FIXED_LINES = 21  # of those, what every kernel has


def statement(choose):
    """One statement in Fortran and in C++."""
    to, first, second = (choose.choice(TEMPORARIES) for _ in range(3))
    factor = f"{choose.uniform(0.1, 2):.3f}"
    kind = choose.randrange(6)
    if kind == 0:
        return f"{to} = {first} * {factor}d0 + {second}", f"{to} = {first} * {factor} + {second};"
    if kind == 1:
        return f"{to} = sqrt(abs({first})) - {factor}d0 * {second}", f"{to} = sqrt(fabs({first})) - {factor} * {second};"
    if kind == 2:
        return f"{to} = {first} / (1 + {second} * {second})", f"{to} = {first} / (1 + {second} * {second});"
    if kind == 3:
        return f"if ({first} > {factor}d0) {to} = {second} - {first}", f"if ({first} > {factor}) {to} = {second} - {first};"
    if kind == 4:
        other = choose.randrange(1, 255)
        return (f"{to} = tile(1 + mod(t + {other}, 256)) * {first}", f"{to} = tile[(t + {other}) % 256] * {first};")
    return f"{to} = max({first}, {second}) * {factor}d0", f"{to} = fmax({first}, {second}) * {factor};"


def kernel(number):
    """The lines of one kernel in both languages."""
    choose = random.Random(number)
    statements = [statement(choose) for _ in range(LINES - FIXED_LINES)]
    rounds = choose.randrange(3, 40)
    fortran = [f"attributes(global) subroutine kernel_{number}(n, a, b, c)", "  integer, value :: n",
               "  real(8) :: a(n), b(n), c(n)", "  real(8), shared :: tile(256)",
               f"  real(8) :: {', '.join(TEMPORARIES)}", "  integer :: i, k, t", "  t = threadIdx%x",
               "  i = (blockIdx%x - 1) * blockDim%x + t", "  if (t <= 256) tile(t) = a(min(i, n))",
               "  call syncthreads()", "  if (i > n) return"]
    fortran += [f"  {name} = b(i) + {index}" for index, name in enumerate(TEMPORARIES)]
    fortran += [f"  do k = 1, {rounds}"] + ["    " + ours for ours, _ in statements] + ["  end do"]
    fortran += [f"  c(i) = {' + '.join(TEMPORARIES)}", "end subroutine"]
    cxx = [f"__global__ void kernel_{number}(int n, double *a, double *b, double *c) {{",
           "  __shared__ double tile[256];", "  int t = threadIdx.x;", "  int i = blockIdx.x * blockDim.x + t;",
           "  if (t < 256) tile[t] = a[min(i, n - 1)];", "  __syncthreads();", "  if (i >= n) return;"]
    cxx += [f"  double {name} = b[i] + {index};" for index, name in enumerate(TEMPORARIES)]
    cxx += [f"  for (int k = 0; k < {rounds}; ++k) {{"] + ["    " + theirs for _, theirs in statements] + ["  }"]
    cxx += [f"  c[i] = {' + '.join(TEMPORARIES)};", "}"]
    return fortran, cxx



def sources(name, count):
    """The three files: module `name` with `count` kernels and a procedure that launches all, in CUDA Fortran; the same in
    CUDA C++; and the procedure in Fortran that calls external procedures instead."""
    fortran, cxx = [f"module {name}", "  implicit none", "contains"], []
    for number in range(count):
        ours, theirs = kernel(number)
        fortran += ours
        cxx += theirs
    heads = [f"subroutine run_{name}(n, a, b, c)", "  integer, value :: n"]
    calls = range(count)
    fortran += heads + ["  real(8), device :: a(n), b(n), c(n)"]
    fortran += [f"  call kernel_{k}<<<(n + 255) / 256, 256>>>(n, a, b, c)" for k in calls]
    fortran += ["end subroutine", "end module"]
    cxx += [f"void run_{name}(int n, double *a, double *b, double *c) {{"]
    cxx += [f"  kernel_{k}<<<(n + 255) / 256, 256>>>(n, a, b, c);" for k in calls] + ["}"]
    host = [f"module {name}", "  implicit none", "contains"] + heads + ["  real(8) :: a(n), b(n), c(n)"]
    host += [f"  call kernel_{k}(n, a, b, c)" for k in calls] + ["end subroutine", "end module"]
    return tuple("\n".join(lines) + "\n" for lines in (fortran, cxx, host))
