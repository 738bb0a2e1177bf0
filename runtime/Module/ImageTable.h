// Which images the process has, and the hash table from host addresses to their entries. Looking up takes no lock;
// images are added under one.
#pragma once

#include "runtime/ABI/RuntimeABI.h"
#include "runtime/Context/Context.h"
#include "runtime/Module/FollowedDescriptors.h"
#include <atomic>
#include <mutex>

namespace cufort::rt {

struct ImageRecord;

/// An entry and its device side: a LoadedKernel or LoadedVariable per device, null until first used there.
struct EntryRecord {
  const CufortEntry *entry = nullptr;
  ImageRecord *image = nullptr;
  std::atomic<void *> loaded[maxDevices] = {};
  std::atomic<int32_t> strides[maxDevices] = {}; ///< LoadedVariable::strides
};

/// The versions of its kernels that the code of a device has: a member of a fat binary of the kind CufortFatVersions.
struct VersionTable {
  const void *bytes = nullptr;
  size_t size = 0;
};

/// An image and what has been loaded from it, per device. Guarded by moduleMutex(), except the atomics of its records.
struct ImageRecord {
  const CufortImage *image = nullptr;
  CUmodule modules[maxDevices] = {};
  FollowedDescriptors *followed[maxDevices] = {}; ///< null if there are none
  VersionTable versions[maxDevices] = {};
  bool asksDevice = false;        ///< it has variables of runtime/ABI/DeviceFacts.h
  EntryRecord *records = nullptr; ///< one per entry; null before it is indexed
  size_t recordCount = 0;
  ImageRecord *next = nullptr;
};

/// Returns the record of the entry whose host address is `host`, or null. Finds images registered since the last
/// call. Lock-free if there are none and the address is known.
EntryRecord *findRecord(const void *host);

/// The same, but null if the address is not in the table yet. Never locks.
EntryRecord *findIndexedRecord(const void *host);

/// Serialises loading of modules and changes of the list of images.
std::mutex &moduleMutex();

/// Calls `visit(record)` for every entry of every image until it returns true. Takes moduleMutex().
void forEachRecord(bool (*visit)(EntryRecord &record, void *data), void *data);

/// Returns the ABI version of an image that was made for another version of this library and is therefore not used, or
/// 0 if there is none.
uint32_t foreignAbiVersion();

} // namespace cufort::rt
