// Kernels written by hand for the loops and array expressions of the twin, matter_codes.cuf.
#include "codes_common.h"

// To the grid of the Fourier transform, for each band.
__global__ void scatterWaves(int npw, int nr, const int *noalias nl, const double2 *noalias psi,
                             double2 *noalias psic) {
  int ig = blockIdx.x * blockDim.x + threadIdx.x, ib = blockIdx.y;
  if (ig < npw)
    psic[ib * nr + nl[ig] - 1] = psi[ib * npw + ig];
}

__global__ void timesPotential(int nr, const double *noalias v, double2 *noalias psic) {
  int ir = blockIdx.x * blockDim.x + threadIdx.x, ib = blockIdx.y;
  if (ir >= nr)
    return;
  double2 value = psic[ib * nr + ir];
  psic[ib * nr + ir] = make_double2(value.x * v[ir], value.y * v[ir]);
}

__global__ void gatherWaves(int npw, int nr, const int *noalias nl, const double *noalias g2kin,
                            const double2 *noalias psi, const double2 *noalias psic, double2 *noalias hpsi) {
  int ig = blockIdx.x * blockDim.x + threadIdx.x, ib = blockIdx.y;
  if (ig >= npw)
    return;
  double2 value = psi[ib * npw + ig], local = psic[ib * nr + nl[ig] - 1];
  hpsi[ib * npw + ig] = make_double2(g2kin[ig] * value.x + local.x, g2kin[ig] * value.y + local.y);
}

// Kinetic energy of all bands with half of the plane waves stored, and the number of electrons.
__global__ void kineticEnergy(int npw, int bands, const double *noalias g2kin, const double *noalias occupation,
                              const double2 *noalias psi, double2 *found) {
  int ib = blockIdx.y;
  double e = 0, n = 0;
  for (int ig = blockIdx.x * blockDim.x + threadIdx.x; ig < npw; ig += gridDim.x * blockDim.x) {
    double2 value = psi[ib * npw + ig];
    double density = 2 * occupation[ib] * (value.x * value.x + value.y * value.y);
    if (ig == 0)
      density *= 0.5;
    e += g2kin[ig] * density;
    n += density;
  }
  e = overBlock(e, Add());
  n = overBlock(n, Add());
  if (firstThread()) {
    atomicAdd(&found->x, e);
    atomicAdd(&found->y, n);
  }
}

constexpr int room = 40;

struct GreaterInt {
  __device__ int operator()(int a, int b) const { return a > b ? a : b; }
};

// Atoms are put into the lists of their cells.
__global__ void fillCells(int n, int cells, float scale, const float *noalias x, int *noalias filled,
                          int *noalias atoms, int *noalias cell, int *noalias most) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int slot = 0;
  if (i < n) {
    int ix = min(int(x[3 * i] * scale), cells - 1), iy = min(int(x[3 * i + 1] * scale), cells - 1);
    int iz = min(int(x[3 * i + 2] * scale), cells - 1);
    int at = ix + cells * (iy + cells * iz);
    slot = atomicAdd(&filled[at], 1) + 1;
    if (slot <= room)
      atoms[at * room + slot - 1] = i + 1;
    cell[i] = at + 1;
  }
  slot = overBlock(slot, GreaterInt());
  if (firstThread())
    atomicMax(most, slot);
}

// A sparse matrix times the direction, and their scalar product.
__global__ void csrDot(int n, const int *noalias rows, const int *noalias columns, const double *noalias a,
                       const double *noalias p, double *noalias ap, double *noalias pap) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  double part = 0;
  if (i < n) {
    double total = 0;
    for (int k = rows[i] - 1; k < rows[i + 1] - 1; ++k)
      total += a[k] * p[columns[k] - 1];
    ap[i] = total;
    part = total * p[i];
  }
  part = overBlock(part, Add());
  if (firstThread())
    atomicAdd(pap, part);
}

__device__ inline void cross(const double *a, const double *b, double *c) {
  c[0] = a[1] * b[2] - a[2] * b[1];
  c[1] = a[2] * b[0] - a[0] * b[2];
  c[2] = a[0] * b[1] - a[1] * b[0];
}

// Gradients of the four functions of a tetrahedron; the result is its volume.
__device__ inline double gradients(const double (&x)[4][3], double (&g)[4][3]) {
  double a[3], b[3], c[3];
  for (int m = 0; m < 3; ++m) {
    a[m] = x[1][m] - x[0][m];
    b[m] = x[2][m] - x[0][m];
    c[m] = x[3][m] - x[0][m];
  }
  cross(b, c, g[1]);
  cross(c, a, g[2]);
  cross(a, b, g[3]);
  double det = a[0] * g[1][0] + a[1] * g[1][1] + a[2] * g[1][2];
  for (int m = 0; m < 3; ++m) {
    for (int l = 1; l < 4; ++l)
      g[l][m] /= det;
    g[0][m] = -(g[1][m] + g[2][m] + g[3][m]);
  }
  return fabs(det) / 6;
}

// The residual of diffusion with a coefficient of the solution, on tetrahedra.
__global__ void assembleTets(int ne, const int *noalias connect, const double *noalias x, const double *noalias u,
                             double *noalias r) {
  int e = blockIdx.x * blockDim.x + threadIdx.x;
  if (e >= ne)
    return;
  double xe[4][3], ue[4], g[4][3], flux[3] = {};
  int node[4];
  for (int m = 0; m < 4; ++m) {
    node[m] = connect[4 * e + m] - 1;
    for (int l = 0; l < 3; ++l)
      xe[m][l] = x[3 * node[m] + l];
    ue[m] = u[node[m]];
  }
  double volume = gradients(xe, g);
  double k = 1 + 0.25 * (ue[0] + ue[1] + ue[2] + ue[3]);
  for (int m = 0; m < 4; ++m)
    for (int l = 0; l < 3; ++l)
      flux[l] += g[m][l] * ue[m];
  for (int m = 0; m < 4; ++m)
    atomicAdd(&r[node[m]], k * volume * (g[m][0] * flux[0] + g[m][1] * flux[1] + g[m][2] * flux[2]));
}

// What drives incompressible modes: without gradients, without what two thirds of the waves alias to, less viscosity.
__global__ void projectDealias(int nx, int ny, int nz, const double *noalias kx, const double *noalias ky,
                               const double *noalias kz, double cut, double nu, const double2 *noalias u,
                               const double2 *noalias term, double2 *noalias rate) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y, k = blockIdx.z;
  if (i >= nx || j >= ny)
    return;
  int at = (k * ny + j) * nx + i, all = nx * ny * nz;
  double wave[3] = {kx[i], ky[j], kz[k]};
  if (fmax(fabs(wave[0]), fmax(fabs(wave[1]), fabs(wave[2]))) > cut) {
    for (int m = 0; m < 3; ++m)
      rate[m * all + at] = make_double2(0, 0);
    return;
  }
  double k2 = wave[0] * wave[0] + wave[1] * wave[1] + wave[2] * wave[2];
  double2 t[3], along = make_double2(0, 0);
  for (int m = 0; m < 3; ++m) {
    t[m] = term[m * all + at];
    along.x += wave[m] * t[m].x;
    along.y += wave[m] * t[m].y;
  }
  if (k2 > 0) {
    along.x /= k2;
    along.y /= k2;
  }
  for (int m = 0; m < 3; ++m) {
    double2 value = u[m * all + at];
    rate[m * all + at] = make_double2(t[m].x - wave[m] * along.x - nu * k2 * value.x,
                                      t[m].y - wave[m] * along.y - nu * k2 * value.y);
  }
}

constexpr int ns = 12, nr = 30;

// Rates of all species from a list of reactions.
__global__ void chemistry(int n, const int *noalias reactant, const int *noalias product, const double *noalias logA,
                          const double *noalias power, const double *noalias energy, const double *noalias conc,
                          const double *noalias temp, double *noalias wdot) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  double c[ns], w[ns];
  for (int m = 0; m < ns; ++m) {
    c[m] = fmax(conc[m * n + i], 0.0);
    w[m] = 0;
  }
  double t = temp[i];
  if (t > 600) {
    double logt = log(t), ti = 1 / t;
    for (int m = 0; m < nr; ++m) {
      int a = reactant[2 * m] - 1, b = reactant[2 * m + 1] - 1, p = product[2 * m] - 1, q = product[2 * m + 1] - 1;
      double rate = exp(logA[m] + power[m] * logt - energy[m] * ti) * c[a] * c[b];
      w[a] -= rate;
      w[b] -= rate;
      w[p] += rate;
      w[q] += rate;
    }
  }
  for (int m = 0; m < ns; ++m)
    wdot[m * n + i] = w[m];
}

// A lower triangle, stored by columns without gaps, times a vector.
__global__ void packedTriangle(int n, const double *noalias a, const double *noalias x, double *noalias y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  double total = 0;
  for (int j = 0; j <= i; ++j)
    total += a[i + j * (2 * n - j - 1) / 2] * x[j];
  y[i] = total;
}

struct Moments {
  double charge, x, y, z;
};

// Moments of the density of electrons, of several bands.
__global__ void dipole(int n, int bands, float h, const float2 *noalias psi, Moments *found) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y;
  double charge = 0, x = 0, y = 0, z = 0;
  if (i < n && j < n)
    for (int k = blockIdx.z; k < n; k += gridDim.z) {
      double rho = 0;
      for (int b = 0; b < bands; ++b) {
        float2 value = psi[((b * n + k) * n + j) * n + i];
        rho += value.x * value.x + value.y * value.y;
      }
      charge += rho;
      x += rho * (i + 1 - 0.5 * n) * h;
      y += rho * (j + 1 - 0.5 * n) * h;
      z += rho * (k + 1 - 0.5 * n) * h;
    }
  charge = overBlock(charge, Add());
  x = overBlock(x, Add());
  y = overBlock(y, Add());
  z = overBlock(z, Add());
  if (firstThread()) {
    atomicAdd(&found->charge, charge);
    atomicAdd(&found->x, x);
    atomicAdd(&found->y, y);
    atomicAdd(&found->z, z);
  }
}

// Waves turn in a potential, and add to a density.
__global__ void turnPhase(int n, double dt, double weight, const double2 *noalias psi, const double *noalias v,
                          const double *noalias rho, double2 *noalias chi, double *noalias sum) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  double s, c;
  sincos(-dt * v[i], &s, &c);
  double2 value = psi[i];
  double2 turned = make_double2(value.x * c - value.y * s, value.x * s + value.y * c);
  chi[i] = turned;
  sum[i] = rho[i] + weight * (turned.x * turned.x + turned.y * turned.y);
}

static double2 *waves(DeviceArray<double> &values) { return reinterpret_cast<double2 *>((double *)values); }

void runLocal() {
  const int n = sized(96, 24, 10), bands = sized(8, 4, 3), points = n * n * n;
  auto wave = [=](int i) { return i <= n / 2 ? i : i - n; };
  std::vector<int> nl;
  std::vector<double> kinetic;
  for (int k = 0; k < n; ++k)
    for (int j = 0; j < n; ++j)
      for (int i = 0; i < n; ++i) {
        int square = wave(i) * wave(i) + wave(j) * wave(j) + wave(k) * wave(k);
        if (square > (n / 4) * (n / 4))
          continue;
        nl.push_back(1 + i + n * (j + n * k));
        kinetic.push_back(0.5 * square);
      }
  const int npw = int(nl.size());
  DeviceArray<double> psi(random<double>(2 * size_t(npw) * bands, 1)), v(random<double>(points, 2, 1, -0.5)),
      g2kin(kinetic), psic(2 * size_t(points) * bands), hpsi(2 * size_t(npw) * bands);
  DeviceArray<int> nlD(nl);
  if (beginCase("apply_local_cuf", {.bytes = bands * (56.0 * points + 84.0 * npw)})) {
    const dim3 grid(blocksFor(npw, 256), bands), all(blocksFor(points, 256), bands);
    while (nextSample()) {
      psic.clear();
      scatterWaves<<<grid, 256>>>(npw, points, nlD, waves(psi), waves(psic));
      timesPotential<<<all, 256>>>(points, v, waves(psic));
      gatherWaves<<<grid, 256>>>(npw, points, nlD, g2kin, waves(psi), waves(psic), waves(hpsi));
    }
    endCase(checksum(hpsi.onHost()));
  }
}

void runKinetic() {
  const int npw = sized(200000, 2000, 300), bands = sized(40, 6, 3);
  DeviceArray<double> psi(random<double>(2 * size_t(npw) * bands, 1, 1, -0.5)), g(random<double>(npw, 2)),
      f(random<double>(bands, 3)), foundD(2);
  if (beginCase("kinetic_energy_cuf", {.bytes = 16.0 * npw * bands})) {
    double2 found;
    while (nextSample()) {
      foundD.clear();
      kineticEnergy<<<dim3(32, bands), 256>>>(npw, bands, g, f, waves(psi), waves(foundD));
      cudaMemcpy(&found, waves(foundD), sizeof found, cudaMemcpyDeviceToHost);
    }
    endCase(found.x + 2 * found.y);
  }
}

void runCells() {
  const int cells = sized(80, 16, 6), n = sized(4000000, 30000, 1500), all = cells * cells * cells;
  DeviceArray<float> x(random<float>(3 * size_t(n), 1));
  DeviceArray<int> filled(all), atoms(room * all), cell(n), mostD(1);
  if (beginCase("cell_list_cuf", {.bytes = 20.0 * n + 4.0 * all, .kind = 4})) {
    int most = 0;
    while (nextSample()) {
      filled.clear();
      mostD.clear();
      fillCells<<<blocksFor(n, 256), 256>>>(n, cells, float(cells), x, filled, atoms, cell, mostD);
      cudaMemcpy(&most, mostD, sizeof most, cudaMemcpyDeviceToHost);
    }
    std::vector<int> counts = filled.onHost(), lists = atoms.onHost();
    double total = 0;
    for (int k = 0; k < all; ++k) {
      double members = 0;
      for (int m = 0; m < counts[k]; ++m)
        members += lists[k * room + m];
      total += members * (1 + (k + 1) % 1009);
    }
    endCase(total + most);
  }
}

void runCsr() {
  const int n = sized(500000, 3000, 200);
  std::vector<int> lengths(n), rows(n + 1);
  fill(lengths, 30, 1);
  rows[0] = 1;
  for (int i = 0; i < n; ++i)
    rows[i + 1] = rows[i] + 5 + lengths[i];
  const int all = rows[n] - 1;
  std::vector<int> columns(all);
  fill(columns, 4001, 2);
  for (int i = 0; i < n; ++i)
    for (int k = rows[i] - 1; k < rows[i + 1] - 1; ++k)
      columns[k] = 1 + ((i - 2000 + columns[k]) % n + n) % n;
  DeviceArray<int> rowsD(rows), columnsD(columns);
  DeviceArray<double> a(random<double>(all, 3)), p(random<double>(n, 4)), ap(n), papD(1);
  if (beginCase("csr_dot_cuf", {.bytes = 12.0 * all + 20.0 * n})) {
    double pap = 0;
    while (nextSample()) {
      papD.clear();
      csrDot<<<blocksFor(n, 256), 256>>>(n, rowsD, columnsD, a, p, ap, papD);
      cudaMemcpy(&pap, papD, sizeof pap, cudaMemcpyDeviceToHost);
    }
    endCase(checksum(ap.onHost()) + pap);
  }
}

void runTets() {
  const int n = sized(88, 12, 5), ne = 6 * n * n * n, row = n + 1, nodes = row * row * row;
  const int corners[6][4] = {{0, 1, 3, 7}, {0, 3, 2, 7}, {0, 2, 6, 7}, {0, 6, 4, 7}, {0, 4, 5, 7}, {0, 5, 1, 7}};
  std::vector<double> x = random<double>(3 * nodes, 1);
  std::vector<int> connect;
  for (int l = 0; l <= n; ++l)
    for (int j = 0; j <= n; ++j)
      for (int i = 0; i <= n; ++i) {
        int at = i + row * (j + row * l), place[3] = {i, j, l};
        for (int m = 0; m < 3; ++m)
          x[3 * at + m] = place[m] + 0.2 * x[3 * at + m];
        if (i == n || j == n || l == n)
          continue;
        for (auto &tet : corners)
          for (int m : tet)
            connect.push_back(1 + at + m % 2 + row * (m / 2 % 2 + row * (m / 4)));
      }
  DeviceArray<int> connectD(connect);
  DeviceArray<double> xD(x), u(random<double>(nodes, 2)), r(nodes);
  if (beginCase("fem_tets_cuf", {.bytes = 16.0 * ne + 48.0 * nodes, .flops = 150.0 * ne})) {
    while (nextSample()) {
      r.clear();
      assembleTets<<<blocksFor(ne, 128), 128>>>(ne, connectD, xD, u, r);
    }
    std::vector<double> got = r.onHost();
    for (double &value : got)
      value = std::fabs(value);
    endCase(checksum(got));
  }
}

void runProjection() {
  const int ny = sized(160, 24, 10), nz = ny, nx = ny / 2 + 1, all = nx * ny * nz;
  std::vector<double> kx(nx), ky(ny), kz(nz);
  for (int i = 0; i < nx; ++i)
    kx[i] = i;
  for (int i = 0; i < ny; ++i) {
    ky[i] = i <= ny / 2 ? i : i - ny;
    kz[i] = 1.25 * ky[i];
  }
  DeviceArray<double> kxD(kx), kyD(ky), kzD(kz), u(random<double>(6 * size_t(all), 1)),
      term(random<double>(6 * size_t(all), 2)), rate(6 * size_t(all));
  if (beginCase("project_dealias_cuf", {.bytes = 80.0 * all})) {
    while (nextSample())
      projectDealias<<<tiles(nx, ny, nz), tile>>>(nx, ny, nz, kxD, kyD, kzD, ny / 3.0, 0.01, waves(u), waves(term),
                                                  waves(rate));
    endCase(checksum(rate.onHost()));
  }
}

void runChemistry() {
  const int n = sized(1 << 20, 2000, 200);
  std::vector<int> from(2 * nr), into(2 * nr);
  fill(from, ns, 6);
  fill(into, ns, 7);
  for (int &species : from)
    ++species;
  for (int &species : into)
    ++species;
  DeviceArray<int> reactant(from), product(into);
  DeviceArray<double> conc(random<double>(ns * size_t(n), 1)), temp(random<double>(n, 2, 1500, 500)),
      logA(random<double>(nr, 3)), power(random<double>(nr, 4, 1, -0.5)), energy(random<double>(nr, 5, 5000)),
      wdot(ns * size_t(n));
  if (beginCase("chemistry_cuf", {.bytes = 8.0 * n * (2 * ns + 1)})) {
    while (nextSample())
      chemistry<<<blocksFor(n, 256), 256>>>(n, reactant, product, logA, power, energy, conc, temp, wdot);
    endCase(checksum(wdot.onHost()));
  }
}

void runTriangle() {
  const int n = sized(4096, 300, 80);
  DeviceArray<double> a(random<double>(size_t(n) * (n + 1) / 2, 1)), x(random<double>(n, 2)), y(n);
  if (beginCase("packed_triangle_cuf", {.bytes = 4.0 * n * (n + 1)})) {
    while (nextSample())
      packedTriangle<<<blocksFor(n, 64), 64>>>(n, a, x, y);
    endCase(checksum(y.onHost()));
  }
}

void runDipole() {
  const int n = sized(128, 20, 8), bands = sized(6, 3, 2);
  DeviceArray<float> psi(random<float>(2 * size_t(n) * n * n * bands, 1));
  DeviceArray<Moments> foundD(1);
  if (beginCase("dipole_cuf", {.bytes = 8.0 * n * n * n * bands, .kind = 4})) {
    Moments found;
    while (nextSample()) {
      foundD.clear();
      dipole<<<tiles(n, n, 16), tile>>>(n, bands, 0.25f, reinterpret_cast<float2 *>((float *)psi), foundD);
      cudaMemcpy(&found, foundD, sizeof found, cudaMemcpyDeviceToHost);
    }
    endCase(found.charge + found.x + found.y + found.z);
  }
}

void runPhase() {
  const int n = sized(1 << 22, 1 << 12, 1000);
  DeviceArray<double> psi(random<double>(2 * size_t(n), 1)), v(random<double>(n, 2)), rho(random<double>(n, 3)),
      chi(2 * size_t(n)), sum(n);
  if (beginCase("phase_array", {.bytes = 56.0 * n})) {
    while (nextSample())
      turnPhase<<<blocksFor(n, 256), 256>>>(n, 0.5, 0.75, waves(psi), v, rho, waves(chi), sum);
    endCase(checksum(chi.onHost()) + checksum(sum.onHost()));
  }
}

int main(int argc, char **argv) {
  start(argc, argv);
  runLocal();
  runKinetic();
  runCells();
  runCsr();
  runTets();
  runProjection();
  runChemistry();
  runTriangle();
  runDipole();
  runPhase();
  return finish();
}
