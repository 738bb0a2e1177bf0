// Kernels of the kinds that suites for GPUs collect. Their arguments are `noalias`. Twin: suites.cuf.
#include "suites_kernels.h"

#include <algorithm>

static std::vector<float> random4(size_t count, int seed, float add = 0, float factor = 1) {
  std::vector<float> x(count);
  fill(x, seed);
  for (float &value : x)
    value = factor * value + add;
  return x;
}

static std::vector<double> random8(size_t count, int seed) {
  std::vector<double> x(count);
  fill(x, seed);
  return x;
}

static std::vector<int> randomInts(size_t count, int below, int seed) {
  std::vector<int> x(count);
  fill(x, below, seed);
  return x;
}

template <class T, size_t N>
static void setConstant(T (&symbol)[N], const T *values) {
  cudaMemcpyToSymbol(symbol, values, sizeof symbol);
}

void runSpeckle() {
  const int rows = sized(4096, 128, 40), columns = sized(4096, 96, 30), n = rows * columns;
  std::vector<int> north(rows), south(rows), west(columns), east(columns);
  for (int i = 0; i < rows; ++i) {
    north[i] = std::max(i - 1, 0);
    south[i] = std::min(i + 1, rows - 1);
  }
  for (int j = 0; j < columns; ++j) {
    west[j] = std::max(j - 1, 0);
    east[j] = std::min(j + 1, columns - 1);
  }
  DeviceArray<int> northD(north), southD(south), westD(west), eastD(east);
  DeviceArray<float> image(random4(n, 1, 1, 1.5f)), c(n), toNorth(n), toSouth(n), toWest(n), toEast(n), smoothed(n);
  const int blocks = (n + 255) / 256;
  if (beginCase("speckle_coefficients", {.bytes = 24.0 * n, .kind = 4})) {
    while (nextSample())
      speckleCoefficients<<<blocks, 256>>>(rows, columns, 0.05f, image, northD, southD, westD, eastD, toNorth, toSouth,
                                           toWest, toEast, c);
    endCase(checksum(c.onHost()) + checksum(toWest.onHost()));
  }
  if (beginCase("speckle_update", {.bytes = 28.0 * n, .kind = 4})) {
    speckleCoefficients<<<blocks, 256>>>(rows, columns, 0.05f, image, northD, southD, westD, eastD, toNorth, toSouth,
                                         toWest, toEast, c);
    while (nextSample())
      speckleUpdate<<<blocks, 256>>>(rows, columns, 0.5f, image, southD, eastD, toNorth, toSouth, toWest, toEast, c,
                                     smoothed);
    endCase(checksum(smoothed.onHost()));
  }
}

void runLu() {
  const int n = sized(512, 64, 48), matrices = sized(192, 6, 3), tiles = n / tile - 1;
  std::vector<float> matrix = random4(size_t(n) * n * matrices, 1);
  for (int b = 0; b < matrices; ++b)
    for (int i = 0; i < n; ++i)
      matrix[(b * n + i) * n + i] += tile;
  DeviceArray<float> a(matrix), f(matrix);
  if (beginCase("lu_perimeter", {.bytes = 16.0 * tile * tile * tiles * matrices, .kind = 4})) {
    while (nextSample())
      luPerimeter<<<dim3(tiles, matrices), 2 * tile>>>(n, 0, a, f);
    endCase(checksum(f.onHost()));
  }
  f = matrix;
  if (beginCase("lu_internal", {.bytes = 8.0 * tile * tiles * tile * tiles * matrices, .kind = 4})) {
    while (nextSample())
      luInternal<<<dim3(tiles, tiles, matrices), dim3(tile, tile)>>>(n, 0, a, f);
    endCase(checksum(f.onHost()));
  }
}

void runBoxes() {
  const int side = sized(10, 3, 2), count = side * side * side, particles = count * inBox;
  std::vector<double> r = random8(4 * particles, 1), charges = random8(particles, 2);
  std::vector<Charge> positions(particles);
  for (int i = 0; i < particles; ++i)
    positions[i] = {r[4 * i], r[4 * i + 1], r[4 * i + 2], r[4 * i + 3]};
  std::vector<Box> boxes(count);
  double pairs = 0;
  for (int me = 0; me < count; ++me) {
    int i = me % side, j = me / side % side, k = me / (side * side);
    boxes[me] = {me * inBox, 0, {}};
    for (int n = k - 1; n <= k + 1; ++n)
      for (int m = j - 1; m <= j + 1; ++m)
        for (int l = i - 1; l <= i + 1; ++l) {
          if (std::min({l, m, n}) < 0 || std::max({l, m, n}) >= side || (l == i && m == j && n == k))
            continue;
          boxes[me].number[boxes[me].neighbours++] = (n * side + m) * side + l;
        }
    pairs += boxes[me].neighbours + 1;
  }
  DeviceArray<Box> boxesD(boxes);
  DeviceArray<Charge> positionsD(positions), forcesD(particles);
  DeviceArray<double> chargesD(charges);
  if (beginCase("box_forces", {.flops = 19.0 * inBox * inBox * pairs})) {
    while (nextSample())
      boxForces<<<count, 128>>>(0.5, boxesD, positionsD, chargesD, forcesD);
    std::vector<Charge> forces = forcesD.onHost();
    std::vector<double> v(particles), x(particles), z(particles);
    for (int i = 0; i < particles; ++i) {
      v[i] = forces[i].v;
      x[i] = forces[i].x;
      z[i] = forces[i].z;
    }
    endCase(checksum(v) + checksum(x) - checksum(z));
  }
}

void runLayer() {
  const int inputs = sized(2 << 20, 2 << 12, 2 << 8), blocks = inputs / hidden;
  DeviceArray<float> input(random4(inputs + 1, 1)), weights(random4(size_t(hidden + 1) * (inputs + 1), 2, -0.5f)),
      partial(hidden * blocks);
  if (beginCase("layer_forward", {.bytes = 4.0 * (hidden + 1) * (inputs + 1) + 8.0 * inputs, .kind = 4})) {
    while (nextSample())
      layerForward<<<blocks, dim3(hidden, hidden)>>>(input, weights, partial);
    endCase(checksum(partial.onHost()));
  }
}

void runTree() {
  const int height = sized(4, 3, 2), searches = sized(2 << 17, 2 << 9, 300);
  int count = 1, inner = 0;
  for (int level = 0; level < height; ++level) {
    inner += count;
    count *= order;
  }
  std::vector<int> keys = randomInts(count, 8, 1), records = randomInts(count, 1000000, 2);
  for (int i = 0; i < count; ++i)
    keys[i] += 8 * i;
  keys[0] = 0;
  keys.push_back(INT32_MAX);
  std::vector<TreeNode> nodes(inner);
  for (int level = 1, first = 0, width = 1, span = count; level <= height; ++level) {
    for (int i = 0; i < width; ++i)
      for (int j = 0; j <= order; ++j) {
        nodes[first + i].keys[j] = keys[i * span + j * (span / order)];
        if (j < order)
          nodes[first + i].children[j] = i * order + j + (level < height ? first + width : 0);
      }
    first += width;
    width *= order;
    span /= order;
  }
  std::vector<int> queries = randomInts(searches, 8 * count, 3);
  for (int i = 0; i < searches; i += 2)
    queries[i] = keys[queries[i] / 8];
  DeviceArray<TreeNode> nodesD(nodes);
  DeviceArray<int> recordsD(records), queriesD(queries), answersD(searches);
  if (beginCase("tree_search", {.bytes = 4.0 * (order + 3) * height * searches, .kind = 4})) {
    while (nextSample())
      treeSearch<<<searches, order>>>(height, nodesD, queriesD, recordsD, answersD);
    endCase(checksum(answersD.onHost()));
  }
}

void runClusters() {
  const int n = sized(2 << 18, 2 << 11, 700), dims = sized(48, 24, 10);
  std::vector<int> slot(clusters - 1);
  for (int k = 0; k < clusters - 1; ++k)
    slot[k] = clusters - 2 - k;
  DeviceArray<float> coordinates(random4(size_t(n) * dims, 1)), candidate(random4(dims, 2)),
      weight(random4(n, 3, 0.5f)), cost(random4(n, 4, 0, dims / 3.0f)), saved(n * clusters);
  DeviceArray<int> owner(randomInts(n, clusters - 1, 5)), slotD(slot), switches(n);
  if (beginCase("cluster_gain", {.bytes = 4.0 * n * (dims + 13), .kind = 4})) {
    while (nextSample())
      clusterGain<<<(n + 255) / 256, 256, 4 * dims>>>(n, dims, coordinates, candidate, weight, cost, owner, slotD,
                                                      saved, switches);
    endCase(checksum(saved.onHost()));
  }
}

void runCorrelation() {
  const int n = sized(2 << 12, 2 << 8, 2 << 8);
  std::vector<int> whole = randomInts(3 * n, 2047, 1);
  std::vector<float> r(3 * n), edges(bins + 1);
  for (int i = 0; i < 3 * n; ++i)
    r[i] = (whole[i] - 1023) / 1024.0f;
  for (int i = 0; i <= bins; ++i)
    edges[i] = 3 - 0.1875f * i;
  setConstant(binEdges, edges.data());
  DeviceArray<float> x(r);
  DeviceArray<int> counts(bins);
  float *y = x + n, *z = y + n;
  dim3 grid(n / 256, n / 256);
  if (beginCase("angular_correlation", {.flops = 5.0 * n * n, .kind = 4})) {
    while (nextSample())
      angularCorrelation<<<grid, 256>>>(x, y, z, counts);
    counts.clear();
    angularCorrelation<<<grid, 256>>>(x, y, z, counts);
    endCase(checksum(counts.onHost()));
  }
}

void runDifferences() {
  const int width = sized(1920, 128, 64), height = sized(1088, 96, 48), pixels = width * height;
  std::vector<int> frame = randomInts(pixels, 256, 1);
  DeviceArray<short> current(std::vector<short>(frame.begin(), frame.end()));
  frame = randomInts(pixels, 256, 2);
  DeviceArray<short> reference(std::vector<short>(frame.begin(), frame.end())), sums(16 * pixels);
  if (beginCase("block_differences", {.bytes = 4.0 * pixels + 2.0 * 16 * pixels, .kind = 2})) {
    while (nextSample())
      blockDifferences<<<dim3(width / 16, height / 16), dim3(16, 16)>>>(width, height, current, reference, sums);
    endCase(checksum(sums.onHost()));
  }
}

int twice(int value) { return value < 128 ? 2 * value : (2 * value) ^ 285; }

void runParity() {
  const int length = sized(6 << 20, 1 << 14, 1000);
  std::vector<int> bytes = randomInts(size_t(length) * shards, 256, 1), logarithms(256), powers(512);
  for (int i = 0, value = 1; i < 512; ++i, value = twice(value)) {
    powers[i] = value;
    if (i < 255)
      logarithms[value] = i;
  }
  int codes[shards][parities];
  for (int s = 0; s < shards; ++s)
    for (int p = 0; p < parities; ++p)
      codes[s][p] = p * s;
  cudaMemcpyToSymbol(coding, codes, sizeof codes);
  DeviceArray<int> logarithmsD(logarithms), powersD(powers);
  DeviceArray<unsigned char> shard(std::vector<unsigned char>(bytes.begin(), bytes.end())), parity(length * parities);
  if (beginCase("erasure_code", {.bytes = 1.0 * length * (shards + parities), .kind = 4})) {
    while (nextSample())
      erasureCode<<<(length + 255) / 256, 256>>>(length, logarithmsD, powersD, shard, parity);
    std::vector<unsigned char> found = parity.onHost();
    endCase(checksum(std::vector<signed char>(found.begin(), found.end())));
  }
}

void runDigest() {
  const int n = sized(1 << 20, 1 << 12, 500);
  std::vector<int> random = randomInts(16 * n, INT32_MAX, 1), table(64);
  std::vector<unsigned> words(random.begin(), random.end());
  for (unsigned &word : words)
    word ^= word << 7;
  for (int i = 0; i < 64; ++i)
    table[i] = int(unsigned(fabs(sin(i + 1.0)) * 4294967296.0));
  setConstant(sines, table.data());
  DeviceArray<unsigned> wordsD(words), digests(4 * n);
  if (beginCase("digest", {.bytes = 80.0 * n, .kind = 4})) {
    while (nextSample())
      digest<<<(n + 127) / 128, 128>>>(n, wordsD, digests);
    std::vector<unsigned> found = digests.onHost();
    endCase(checksum(std::vector<int>(found.begin(), found.end())));
  }
}

void runSections() {
  const int lookups = sized(1 << 17, 1 << 11, 200), points = sized(8000, 300, 40), all = points * isotopes;
  std::vector<double> r = random8(6 * size_t(all), 1), energy = random8(lookups, 2), unionEnergy(all);
  std::vector<int> material = randomInts(lookups, materials, 4), unionIndex(size_t(all) * isotopes);
  const int counts[materials] = {34, 5, 4, 4, 27, 21, 21, 21, 21, 21, 9, 9};
  std::vector<GridPoint> grids(all);
  double moved = 0;
  for (int i = 0; i < lookups; ++i) {
    energy[i] = (1 + (points - 2) * energy[i]) / points;
    moved += counts[material[i]];
  }
  int seen[isotopes] = {}, from[isotopes];
  for (int p = 0; p < points; ++p) {
    for (int j = 0; j < isotopes; ++j) {
      const double *at = &r[(j * points + p) * 6];
      grids[j * points + p] = {(p + at[0]) / points, at[1], at[2], at[3], at[4], at[5]};
      // Each isotope has one point in this range.
      int l = j;
      for (; l > 0 && grids[from[l - 1] * points + p].energy > grids[j * points + p].energy; --l)
        from[l] = from[l - 1];
      from[l] = j;
    }
    for (int l = 0; l < isotopes; ++l) {
      int k = p * isotopes + l;
      unionEnergy[k] = grids[from[l] * points + p].energy;
      ++seen[from[l]];
      for (int j = 0; j < isotopes; ++j)
        unionIndex[k * isotopes + j] = std::max(0, std::min(seen[j] - 1, points - 2));
    }
  }
  setConstant(isotopeCounts, counts);
  DeviceArray<double> energyD(energy), unionEnergyD(unionEnergy), concentration(random8(mostIsotopes * materials, 3)),
      found(5 * lookups);
  DeviceArray<int> materialD(material), unionIndexD(unionIndex),
      isotope(randomInts(mostIsotopes * materials, isotopes, 5));
  DeviceArray<GridPoint> gridsD(grids);
  if (beginCase("cross_sections", {.bytes = 100 * moved + 52.0 * lookups})) {
    while (nextSample())
      crossSections<<<(lookups + 255) / 256, 256>>>(lookups, points, energyD, materialD, unionEnergyD, unionIndexD,
                                                    isotope, concentration, gridsD, found);
    endCase(checksum(found.onHost()));
  }
}

void runCells() {
  const int cells = sized(2 << 20, 2 << 12, 1000);
  std::vector<float> state(5 * size_t(cells));
  fill(state, 2);
  for (int i = 0; i < cells; ++i) {
    state[i] += 1;
    for (int d = 1; d < 4; ++d)
      state[d * cells + i] -= 0.5f;
    state[4 * cells + i] += 3;
  }
  std::vector<int> neighbours = randomInts(4 * size_t(cells), 2048, 3);
  for (int j = 0; j < 4; ++j)
    for (int i = 0; i < cells; ++i) {
      int &nb = neighbours[j * cells + i];
      nb = nb == 0 ? noNeighbour : nb <= 2 ? farField : ((i + 1 + nb - 1024) % cells + cells) % cells;
    }
  const float far[5] = {1.4f, 1.2f, 0, 0, 3.5f};
  setConstant(farState, far);
  DeviceArray<float> normals(random4(12 * size_t(cells), 1, -0.5f)), stateD(state), fluxes(5 * cells);
  DeviceArray<int> neighboursD(neighbours);
  if (beginCase("cell_fluxes", {.bytes = 104.0 * cells, .kind = 4})) {
    while (nextSample())
      cellFluxes<<<(cells + 191) / 192, 192>>>(cells, neighboursD, normals, stateD, fluxes);
    endCase(checksum(fluxes.onHost()));
  }
}

void runDendrite() {
  const int n = sized(192, 48, 20), points = n * n * n;
  DeviceArray<double> phase(random8(points, 1)), fx(points), fy(points), fz(points);
  if (beginCase("dendrite_fluxes", {.bytes = 32.0 * points})) {
    while (nextSample())
      dendriteFluxes<<<dim3((n + 31) / 32, (n + 3) / 4, (n + 1) / 2), dim3(32, 4, 2)>>>(n, 0.4, phase, fx, fy, fz);
    endCase(checksum(fx.onHost()) + 2 * checksum(fy.onHost()) - checksum(fz.onHost()));
  }
}

int main(int argc, char **argv) {
  start(argc, argv);
  runSpeckle();
  runLu();
  runBoxes();
  runLayer();
  runTree();
  runClusters();
  runCorrelation();
  runDifferences();
  runParity();
  runDigest();
  runSections();
  runCells();
  runDendrite();
  return finish();
}
