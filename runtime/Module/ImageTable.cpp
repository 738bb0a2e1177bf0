#include "runtime/Module/ImageTable.h"
#include "runtime/Context/AtExit.h"
#include "runtime/Context/StayLoaded.h"
#include "runtime/FlangEntries/Allocators.h"

namespace cufort::rt {

namespace {

/// Open addressing with linear probing, at most half full. Never changed once published, except that records of an
/// image that is unregistered become tombstones.
struct Table {
  size_t mask = 0;
  std::atomic<EntryRecord *> *slots = nullptr;
  Table *older = nullptr; ///< replaced tables are kept: another thread may be reading one
};

std::mutex mutex;
ImageRecord *images = nullptr;
ImageRecord *retired = nullptr; ///< unregistered: another thread may still be reading its records
std::atomic<bool> unindexed{false};
std::atomic<Table *> current{nullptr};
std::atomic<uint32_t> foreignVersion{0};

EntryRecord tombstone;

size_t slotOf(const void *host, size_t mask) {
  // Host stubs are 16-byte aligned functions, shadows are variables: mix the bits above the alignment.
  return (reinterpret_cast<uintptr_t>(host) * 0x9E3779B97F4A7C15u >> 20) & mask;
}

void insert(Table &table, EntryRecord *record) {
  size_t slot = slotOf(record->entry->hostAddress, table.mask);
  while (table.slots[slot].load(std::memory_order_relaxed))
    slot = (slot + 1) & table.mask;
  table.slots[slot].store(record, std::memory_order_relaxed);
}

Table *makeTable(size_t records) {
  size_t size = 16;
  while (size < 2 * records)
    size *= 2;
  auto *table = new Table;
  table->mask = size - 1;
  table->slots = new std::atomic<EntryRecord *>[size]();
  return table;
}

void makeRecords(ImageRecord &image) {
  if (image.image->abiVersion != CUFORT_ABI_VERSION) {
    foreignVersion.store(image.image->abiVersion, std::memory_order_relaxed);
    return;
  }
  image.recordCount = image.image->entriesEnd - image.image->entriesBegin;
  image.records = new EntryRecord[image.recordCount];
  for (size_t i = 0; i < image.recordCount; ++i) {
    image.records[i].entry = image.image->entriesBegin + i;
    image.records[i].image = &image;
  }
}

/// Publishes a table of the entries of all images. The caller holds the mutex.
void indexImages() {
  size_t count = 0;
  for (ImageRecord *image = images; image; image = image->next) {
    if (!image->records)
      makeRecords(*image);
    count += image->recordCount;
  }
  Table *table = makeTable(count);
  for (ImageRecord *image = images; image; image = image->next)
    for (size_t i = 0; i < image->recordCount; ++i)
      insert(*table, image->records + i);
  table->older = current.load(std::memory_order_relaxed);
  current.store(table, std::memory_order_release);
  unindexed.store(false, std::memory_order_release);
}

/// Takes the records of `image` out of the current table. The caller holds the mutex.
void removeRecords(ImageRecord *image) {
  Table *table = current.load(std::memory_order_relaxed);
  for (size_t i = 0; table && i <= table->mask; ++i) {
    EntryRecord *record = table->slots[i].load(std::memory_order_relaxed);
    if (record && record != &tombstone && record->image == image)
      table->slots[i].store(&tombstone, std::memory_order_release);
  }
}

void unloadModules(ImageRecord &image) {
  const DriverTable *table = nullptr;
  if (programIsEnding())
    return;
  for (CUmodule module : image.modules)
    if (module && driver(table).ok())
      table->moduleUnload(module);
}

} // namespace

std::mutex &moduleMutex() { return mutex; }

EntryRecord *findIndexedRecord(const void *host) {
  Table *table = current.load(std::memory_order_acquire);
  if (!table)
    return nullptr;
  for (size_t slot = slotOf(host, table->mask);; slot = (slot + 1) & table->mask) {
    EntryRecord *record = table->slots[slot].load(std::memory_order_acquire);
    if (!record)
      return nullptr;
    if (record != &tombstone && record->entry->hostAddress == host)
      return record;
  }
}

EntryRecord *findRecord(const void *host) {
  if (EntryRecord *record = findIndexedRecord(host))
    return record;
  if (!unindexed.load(std::memory_order_acquire))
    return nullptr;
  std::lock_guard<std::mutex> lock(mutex);
  if (unindexed.load(std::memory_order_relaxed))
    indexImages();
  return findIndexedRecord(host);
}

void forEachRecord(bool (*visit)(EntryRecord &record, void *data), void *data) {
  std::lock_guard<std::mutex> lock(mutex);
  if (unindexed.load(std::memory_order_relaxed))
    indexImages();
  for (ImageRecord *image = images; image; image = image->next)
    for (size_t i = 0; i < image->recordCount; ++i)
      if (visit(image->records[i], data))
        return;
}

uint32_t foreignAbiVersion() { return foreignVersion.load(std::memory_order_relaxed); }

} // namespace cufort::rt

using namespace cufort::rt;

extern "C" void cufortRegisterImage(const CufortImage *image) {
  // Here because every program with device code comes here: nothing else is sure to be linked from the archive.
  registerFlangAllocators();
  keepLoaded(image);
  auto *record = new ImageRecord;
  record->image = image;
  std::lock_guard<std::mutex> lock(mutex);
  record->next = images;
  images = record;
  unindexed.store(true, std::memory_order_release);
}

extern "C" void cufortUnregisterImage(const CufortImage *image) {
  std::lock_guard<std::mutex> lock(mutex);
  for (ImageRecord **link = &images; *link; link = &(*link)->next) {
    ImageRecord *record = *link;
    if (record->image != image)
      continue;
    *link = record->next;
    removeRecords(record);
    unloadModules(*record);
    record->next = retired;
    retired = record;
    return;
  }
}
