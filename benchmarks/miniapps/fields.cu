// Kernels of the kinds that small programs stand for large ones with, on fields. Twin: fields.cuf.
#include "benchmark.h"

#include <algorithm>

using namespace benchmark;

// Laplacian in spherical coordinates, with metrics of each direction in arrays of their own.
__global__ void spherical(int nr, int nt, int np, const double *noalias r2, const double *noalias drI,
                          const double *noalias drhI, const double *noalias st, const double *noalias sth,
                          const double *noalias dtI, const double *noalias dthI, const double *noalias dpI,
                          const double *noalias dphI, const double *noalias rhI, const double *noalias sthI,
                          const double *noalias f, double *noalias operated) {
  int i = blockIdx.x * blockDim.x + threadIdx.x + 1;
  int j = blockIdx.y * blockDim.y + threadIdx.y + 1;
  int k = blockIdx.z * blockDim.z + threadIdx.z + 1;
  if (i >= nr - 1 || j >= nt - 1 || k >= np - 1)
    return;
  int plane = nr * nt, at = k * plane + j * nr + i;
  operated[at] = sth[j] * dphI[k] * drhI[i] * dthI[j] *
                     (r2[i] * (f[at + 1] - f[at]) * drI[i] - r2[i - 1] * (f[at] - f[at - 1]) * drI[i - 1]) +
                 drhI[i] * dphI[k] * dthI[j] *
                     (st[j] * (f[at + nr] - f[at]) * dtI[j] - st[j - 1] * (f[at] - f[at - nr]) * dtI[j - 1]) * rhI[i] +
                 drhI[i] * dthI[j] * sthI[j] * rhI[i] *
                     ((f[at + plane] - f[at]) * dpI[k] - (f[at] - f[at - plane]) * dpI[k - 1]) * dphI[k];
}

__device__ inline double laplacian(const double *noalias f, int row, int at) {
  return 4 * f[at] - (f[at + 1] + f[at - 1] + f[at + row] + f[at - row]);
}

__device__ inline double limited(double flux, double gradient) { return flux * gradient > 0 ? 0 : flux; }

// Horizontal diffusion of fourth order with limited fluxes.
__global__ void horizontalDiffusion(int nx, int ny, const double *noalias field, const double *noalias coefficient,
                                    double *noalias diffused) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int j = blockIdx.y * blockDim.y + threadIdx.y;
  int k = blockIdx.z;
  if (i >= nx || j >= ny)
    return;
  int row = nx + 4, c = (k * (ny + 4) + j + 2) * row + i + 2, at = (k * ny + j) * nx + i;
  double here = laplacian(field, row, c);
  double east = laplacian(field, row, c + 1);
  double west = laplacian(field, row, c - 1);
  double north = laplacian(field, row, c + row);
  double south = laplacian(field, row, c - row);
  double fx = limited(east - here, field[c + 1] - field[c]);
  double fxWest = limited(here - west, field[c] - field[c - 1]);
  double fy = limited(north - here, field[c + row] - field[c]);
  double fySouth = limited(here - south, field[c] - field[c - row]);
  diffused[at] = field[c] - coefficient[at] * (fx - fxWest + fy - fySouth);
}

// Implicit vertical advection: each thread solves the column of one point.
__global__ void verticalAdvection(int nx, int ny, int nz, double dtr, const double *noalias wcon,
                                  const double *noalias stage, const double *noalias pos, const double *noalias utens,
                                  double *noalias ccol, double *noalias dcol, double *noalias tendency) {
  constexpr double betM = 0.375, betP = 0.625;
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int j = blockIdx.y * blockDim.y + threadIdx.y;
  if (i >= nx || j >= ny)
    return;
  int plane = nx * ny, windPlane = (nx + 1) * ny, at = j * nx + i, w = j * (nx + 1) + i;
  double gcv = 0.25 * (wcon[w + windPlane + 1] + wcon[w + windPlane]);
  double cs = gcv * betM;
  ccol[at] = gcv * betP;
  double bcol = dtr - ccol[at];
  double correction = -cs * (stage[at + plane] - stage[at]);
  dcol[at] = dtr * pos[at] + utens[at] + correction;
  double divided = 1 / bcol;
  ccol[at] = ccol[at] * divided;
  dcol[at] = dcol[at] * divided;
  double gav, as, acol;
  for (int k = 1; k < nz - 1; ++k) {
    at += plane;
    w += windPlane;
    gav = -0.25 * (wcon[w + 1] + wcon[w]);
    gcv = 0.25 * (wcon[w + windPlane + 1] + wcon[w + windPlane]);
    as = gav * betM;
    cs = gcv * betM;
    acol = gav * betP;
    ccol[at] = gcv * betP;
    bcol = dtr - acol - ccol[at];
    correction = -as * (stage[at - plane] - stage[at]) - cs * (stage[at + plane] - stage[at]);
    dcol[at] = dtr * pos[at] + utens[at] + correction;
    divided = 1 / (bcol - ccol[at - plane] * acol);
    ccol[at] = ccol[at] * divided;
    dcol[at] = (dcol[at] - dcol[at - plane] * acol) * divided;
  }
  at += plane;
  w += windPlane;
  gav = -0.25 * (wcon[w + 1] + wcon[w]);
  as = gav * betM;
  acol = gav * betP;
  bcol = dtr - acol;
  correction = -as * (stage[at - plane] - stage[at]);
  dcol[at] = dtr * pos[at] + utens[at] + correction;
  divided = 1 / (bcol - ccol[at - plane] * acol);
  dcol[at] = (dcol[at] - dcol[at - plane] * acol) * divided;
  double datacol = dcol[at];
  tendency[at] = dtr * (datacol - pos[at]);
  for (int k = nz - 2; k >= 0; --k) {
    at -= plane;
    datacol = dcol[at] - ccol[at] * datacol;
    tendency[at] = dtr * (datacol - pos[at]);
  }
}

// Divergence in the cells of a triangular grid in blocks: subscript and block of each edge come from tables.
__global__ void divergenceBlocks(int nproma, int levels, int blocks, const int *noalias lengths,
                                 const int *noalias edge, const int *noalias blockOfEdge, const double *noalias geofac,
                                 const double *noalias vn, double *noalias divergence) {
  int jc = blockIdx.x * blockDim.x + threadIdx.x;
  int jk = blockIdx.y * blockDim.y + threadIdx.y;
  int jb = blockIdx.z;
  if (jc >= lengths[jb] || jk >= levels)
    return;
  int at = jb * nproma + jc, factor = jb * 3 * nproma + jc, next = blocks * nproma;
  divergence[(jb * levels + jk) * nproma + jc] =
      vn[(blockOfEdge[at] * levels + jk) * nproma + edge[at]] * geofac[factor] +
      vn[(blockOfEdge[at + next] * levels + jk) * nproma + edge[at + next]] * geofac[factor + nproma] +
      vn[(blockOfEdge[at + 2 * next] * levels + jk) * nproma + edge[at + 2 * next]] * geofac[factor + 2 * nproma];
}

// Tendencies of the velocities through the edges of polygons, from potential vorticity: levels are the first subscript.
__global__ void coriolisEdges(int levels, int edges, int most, const int *noalias edgesOn, const int *noalias edgeOn,
                              const double *noalias weights, const double *noalias u, const double *noalias h,
                              const double *noalias pv, double *noalias tendency) {
  int k = threadIdx.x, edge = blockIdx.x * blockDim.y + threadIdx.y;
  if (k >= levels || edge >= edges)
    return;
  double q = 0;
  for (int j = 0; j < edgesOn[edge]; ++j) {
    int other = edgeOn[edge * most + j];
    q += weights[edge * most + j] * u[other * levels + k] * 0.5 * (pv[edge * levels + k] + pv[other * levels + k]) *
         h[other * levels + k];
  }
  tendency[edge * levels + k] = q;
}

// Fields at the guiding centres of ions: averages over four points of their gyration.
__global__ void gyroAverage(int ions, const int *noalias inner, const int *noalias outer, const double *noalias wz,
                            const double *noalias wp, const double *noalias wtInner, const double *noalias wtOuter,
                            const double *noalias gradients, double *noalias average) {
  int m = blockIdx.x * blockDim.x + threadIdx.x;
  if (m >= ions)
    return;
  double e[3] = {}, wz1 = wz[m], wz0 = 1 - wz1;
  for (int larmor = 0; larmor < 4; ++larmor) {
    double wp1 = wp[4 * m + larmor], wp0 = 1 - wp1;
    double wt10 = wp0 * wtInner[4 * m + larmor], wt00 = wp0 - wt10;
    double wt11 = wp1 * wtOuter[4 * m + larmor], wt01 = wp1 - wt11;
    int ij = inner[4 * m + larmor];
    for (int d = 0; d < 3; ++d)
      e[d] += wt00 * (wz0 * gradients[ij * 6 + d] + wz1 * gradients[ij * 6 + 3 + d]);
    ++ij;
    for (int d = 0; d < 3; ++d)
      e[d] += wt10 * (wz0 * gradients[ij * 6 + d] + wz1 * gradients[ij * 6 + 3 + d]);
    ij = outer[4 * m + larmor];
    for (int d = 0; d < 3; ++d)
      e[d] += wt01 * (wz0 * gradients[ij * 6 + d] + wz1 * gradients[ij * 6 + 3 + d]);
    ++ij;
    for (int d = 0; d < 3; ++d)
      e[d] += wt11 * (wz0 * gradients[ij * 6 + d] + wz1 * gradients[ij * 6 + 3 + d]);
  }
  for (int d = 0; d < 3; ++d)
    average[3 * m + d] = 0.25 * e[d];
}

// Two real bands at once: to the grid, times the potential, and back.
__global__ void scatterBands(int waves, const int *noalias nl, const int *noalias nlm, const double2 *noalias first,
                             const double2 *noalias second, double2 *noalias psic) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= waves)
    return;
  double2 a = first[i], b = second[i];
  psic[nl[i]] = make_double2(a.x - b.y, a.y + b.x);
  psic[nlm[i]] = make_double2(a.x + b.y, -(a.y - b.x));
}

__global__ void multiply(int points, const double *noalias v, double2 *noalias psic) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= points)
    return;
  psic[i] = make_double2(psic[i].x * v[i], psic[i].y * v[i]);
}

__global__ void gatherBands(int waves, const int *noalias nl, const int *noalias nlm, const double2 *noalias psic,
                            double2 *noalias first, double2 *noalias second) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= waves)
    return;
  double2 a = psic[nl[i]], b = psic[nlm[i]];
  double2 fp = make_double2((a.x + b.x) * 0.5, (a.y + b.y) * 0.5);
  double2 fm = make_double2((a.x - b.x) * 0.5, (a.y - b.y) * 0.5);
  first[i] = make_double2(fp.x, fm.y);
  second[i] = make_double2(fp.y, -fm.x);
}

static std::vector<double> random(size_t count, int seed) {
  std::vector<double> x(count);
  fill(x, seed);
  return x;
}

static std::vector<int> randomInts(size_t count, int below, int seed) {
  std::vector<int> x(count);
  fill(x, below, seed);
  return x;
}

/// Places of points, the reciprocals of the distances to the next ones, and those of the widths of cells.
struct Axis {
  std::vector<double> at, slopes, widths;

  Axis(int n, int seed, double first, double length) : at(random(n, seed)), slopes(n), widths(n) {
    for (int i = 0; i < n; ++i)
      at[i] = first + length * (i + 1 + 0.4 * at[i]) / n;
    for (int i = 0; i < n; ++i) {
      slopes[i] = 1 / (next(i) - at[i]);
      widths[i] = 2 / (next(i) - (i > 0 ? at[i - 1] : 0));
    }
  }
  double next(int i) const { return i + 1 < int(at.size()) ? at[i + 1] : 0; }
  double halfway(int i) const { return (at[i] + next(i)) / 2; }
};

void runSpherical() {
  const int nr = sized(256, 32, 16), nt = sized(192, 24, 12), np = sized(256, 24, 10), n = nr * nt * np;
  Axis radii(nr, 2, 1, 1), polar(nt, 3, 0.5, 2), around(np, 4, 0, 6);
  std::vector<double> r2(nr), rhI(nr), st(nt), sth(nt), sthI(nt);
  for (int i = 0; i < nr; ++i) {
    r2[i] = radii.halfway(i) * radii.halfway(i);
    rhI[i] = 1 / (radii.at[i] * radii.at[i]);
  }
  for (int j = 0; j < nt; ++j) {
    st[j] = sin(polar.halfway(j));
    sth[j] = sin(polar.at[j]);
    sthI[j] = 1 / (sth[j] * sth[j]);
  }
  DeviceArray<double> f(random(n, 1)), operated(n), r2D(r2), rhID(rhI), stD(st), sthD(sth), sthID(sthI),
      drI(radii.slopes), drhI(radii.widths), dtI(polar.slopes), dthI(polar.widths), dpI(around.slopes),
      dphI(around.widths);
  operated.clear();
  if (beginCase("spherical_cuf", {.bytes = 16.0 * n})) {
    while (nextSample())
      spherical<<<dim3((nr + 29) / 32, (nt + 1) / 4, np / 2 - 1), dim3(32, 4, 2)>>>(
          nr, nt, np, r2D, drI, drhI, stD, sthD, dtI, dthI, dpI, dphI, rhID, sthID, f, operated);
    endCase(checksum(operated.onHost()));
  }
}

void runDiffusion() {
  const int nx = sized(256, 32, 20), ny = sized(256, 24, 12), nz = sized(80, 10, 6), n = nx * ny * nz;
  DeviceArray<double> f(random(size_t(nx + 4) * (ny + 4) * nz, 1)), c(random(n, 2)), got(n);
  if (beginCase("horizontal_diffusion", {.bytes = 24.0 * n})) {
    while (nextSample())
      horizontalDiffusion<<<dim3((nx + 31) / 32, (ny + 3) / 4, nz), dim3(32, 4)>>>(nx, ny, f, c, got);
    endCase(checksum(got.onHost()));
  }
}

void runColumns() {
  const int nx = sized(256, 32, 20), ny = sized(256, 24, 12), nz = sized(80, 16, 8), n = nx * ny * nz;
  DeviceArray<double> wind(random((nx + 1) * ny * nz, 1)), stage(random(n, 2)), now(random(n, 3)), slow(random(n, 4)),
      ccol(n), dcol(n), got(n);
  if (beginCase("vertical_advection", {.bytes = 72.0 * n})) {
    while (nextSample())
      verticalAdvection<<<dim3((nx + 31) / 32, (ny + 3) / 4), dim3(32, 4)>>>(nx, ny, nz, 3, wind, stage, now, slow,
                                                                             ccol, dcol, got);
    endCase(checksum(got.onHost()));
  }
}

void runTriangles() {
  const int nproma = sized(256, 64, 16), levels = sized(64, 16, 8), blocks = sized(320, 16, 6),
            edgeBlocks = 3 * blocks / 2, edges = nproma * edgeBlocks, cells = nproma * blocks;
  std::vector<int> edge = randomInts(3 * cells, 400, 3), blockOf(3 * cells), lengths(blocks, nproma);
  lengths[blocks - 1] = nproma / 2;
  for (int i = 0; i < 3; ++i)
    for (int cell = 0; cell < cells; ++cell) {
      int at = ((3 * (cell + 1) / 2 + edge[i * cells + cell] - 200) % edges + edges) % edges;
      edge[i * cells + cell] = at % nproma;
      blockOf[i * cells + cell] = at / nproma;
    }
  const int all = cells * levels, onEdges = edges * levels;
  DeviceArray<double> factors(random(3 * cells, 1)), vn(random(onEdges, 2)), got(all);
  DeviceArray<int> edgeD(edge), blockOfD(blockOf), lengthsD(lengths);
  got.clear();
  if (beginCase("divergence_blocks", {.bytes = 8.0 * (onEdges + all) + 48.0 * cells})) {
    while (nextSample())
      divergenceBlocks<<<dim3((nproma + 63) / 64, (levels + 3) / 4, blocks), dim3(64, 4)>>>(
          nproma, levels, blocks, lengthsD, edgeD, blockOfD, factors, vn, got);
    endCase(checksum(got.onHost()));
  }
}

void runPolygons() {
  constexpr int most = 10;
  const int levels = sized(64, 16, 8), edges = sized(2 << 15, 2 << 9, 200), n = levels * edges;
  std::vector<int> counts = randomInts(edges, 3, 5), edgeOn = randomInts(most * edges, 200, 6);
  for (int &count : counts)
    count = most - count;
  for (int i = 0; i < most * edges; ++i)
    edgeOn[i] = (i / most + 1 + edgeOn[i] - 100 + edges) % edges;
  DeviceArray<double> weights(random(most * edges, 1)), u(random(n, 2)), h(random(n, 3)), pv(random(n, 4)), got(n);
  DeviceArray<int> countsD(counts), edgeOnD(edgeOn);
  if (beginCase("coriolis_edges", {.bytes = 32.0 * n + 12.0 * most * edges})) {
    while (nextSample())
      coriolisEdges<<<(edges + 3) / 4, dim3(levels, 4)>>>(levels, edges, most, countsD, edgeOnD, weights, u, h, pv,
                                                          got);
    endCase(checksum(got.onHost()));
  }
}

void runIons() {
  const int ions = sized(2 << 19, 2 << 11, 500), grid = sized(2 << 15, 2 << 9, 200), points = 4 * ions;
  DeviceArray<double> wz(random(ions, 1)), gradients(random(6 * grid, 2)), w(random(3 * size_t(points), 3)),
      got(3 * ions);
  DeviceArray<int> at(randomInts(2 * size_t(points), grid - 1, 4));
  double *wp = w;
  int *inner = at;
  if (beginCase("gyro_average", {.bytes = 160.0 * ions})) {
    while (nextSample())
      gyroAverage<<<(ions + 127) / 128, 128>>>(ions, inner, inner + points, wz, wp, wp + points, wp + 2 * points,
                                               gradients, got);
    endCase(checksum(got.onHost()));
  }
}

void runWaves() {
  const int n = sized(160, 32, 16), cut = n / 4, points = n * n * n;
  std::vector<int> plus, minus;
  // Half of a ball: the other half has the opposite waves.
  for (int z = -cut; z <= cut; ++z)
    for (int y = -cut; y <= cut; ++y)
      for (int x = 0; x <= cut; ++x) {
        if (x * x + y * y + z * z > cut * cut || (x == 0 && (y < 0 || (y == 0 && z <= 0))))
          continue;
        plus.push_back(x + n * ((y + n) % n + n * ((z + n) % n)));
        minus.push_back((n - x) % n + n * ((n - y) % n + n * ((n - z) % n)));
      }
  const int waves = int(plus.size());
  std::vector<double> parts = random(4 * size_t(waves), 2);
  std::vector<double2> bands(2 * waves);
  for (int i = 0; i < 2 * waves; ++i)
    bands[i] = {parts[2 * i], parts[2 * i + 1]};
  DeviceArray<int> nl(plus), nlm(minus);
  DeviceArray<double> vloc(random(points, 1));
  DeviceArray<double2> evc(bands), hpsi(bands), psic(points);
  psic.clear();
  const int some = (waves + 127) / 128;
  if (beginCase("local_potential_cuf", {.bytes = 40.0 * points + 136.0 * waves})) {
    while (nextSample()) {
      scatterBands<<<some, 128>>>(waves, nl, nlm, evc, evc + waves, psic);
      multiply<<<(points + 127) / 128, 128>>>(points, vloc, psic);
      gatherBands<<<some, 128>>>(waves, nl, nlm, psic, hpsi, hpsi + waves);
    }
    std::vector<double> x(2 * waves), y(2 * waves);
    std::vector<double2> got = hpsi.onHost();
    for (int i = 0; i < 2 * waves; ++i) {
      x[i] = got[i].x;
      y[i] = got[i].y;
    }
    endCase(checksum(x) - 2 * checksum(y));
  }
}

int main(int argc, char **argv) {
  start(argc, argv);
  runSpherical();
  runDiffusion();
  runColumns();
  runTriangles();
  runPolygons();
  runIons();
  runWaves();
  return finish();
}
