"""Reads the fat binary in an image object or executable (layout: docs/fat-binary.md) and prints one line per member:

    PTX sm_80 flags=0 zstd=1 size=1234

The size is that after decompression, which has to agree with what the zstd frame says. A line for each record of
versions follows that of their member: "alternative KERNEL SYMBOL", "pairs KERNEL SYMBOL AXIS PARAMETERS" for one whose blocks do two of
the grid, or "version KERNEL SYMBOL". Everything that is not
as it has to be ends the script with a message."""

import struct
import sys

MAGIC = b"CFAT"
HEADER = struct.Struct("<IIIIQ")
MEMBER = struct.Struct("<IIIIQQQ")
VERSION = struct.Struct("<IHHHHHH")
TEST = struct.Struct("<HHIII")
STEP_BYTES, VALUE_BYTES, ALTERNATIVE = 16, 4, 8
KINDS = {1: "PTX", 2: "cubin", 3: "versions"}


def content_size(frame):
    """The uncompressed size in the header of a zstd frame (RFC 8878, 3.1.1.1)."""
    if frame[:4] != bytes([0x28, 0xB5, 0x2F, 0xFD]):
        sys.exit("no zstd frame")
    descriptor = frame[4]
    size_bytes = [1 if descriptor & 0x20 else 0, 2, 4, 8][descriptor >> 6]
    at = 5 + (0 if descriptor & 0x20 else 1) + [0, 1, 2, 4][descriptor & 3]
    size = int.from_bytes(frame[at:at + size_bytes], "little")
    return size + 256 if size_bytes == 2 else size


def find_header(data):
    """The place of the only fat binary with members. The magic may occur by chance: its version and size do not."""
    found, at = [], data.find(MAGIC)
    while at >= 0:
        if at + HEADER.size <= len(data):
            _, version, count, _, size = HEADER.unpack_from(data, at)
            if version == 2 and 0 < count < 100 and HEADER.size <= size <= len(data) - at:
                found.append((at, count, size))
        at = data.find(MAGIC, at + 1)
    if len(found) != 1:
        sys.exit(f"{len(found)} fat binaries")
    return found[0]


def check_bytes(kind, zstd, stored, size):
    if zstd:
        if content_size(stored) != size:
            sys.exit("the zstd frame is of another size")
    elif len(stored) != size:
        sys.exit("stored bytes are of another size")
    elif kind == 1 and (not stored.endswith(b"\0") or b".version" not in stored):
        sys.exit("no PTX with a NUL")
    if kind == 2 and stored[:4] != b"\x7fELF":
        sys.exit("no ELF file")


def print_versions(records):
    while records:
        length, tests, _, steps, values, _, _ = VERSION.unpack_from(records)
        first_test = VERSION.size + STEP_BYTES * steps
        symbols = records[first_test + TEST.size * tests + VALUE_BYTES * values:length].split(b"\0")
        kind, axis, blocks, parameters, _ = TEST.unpack_from(records, first_test) if tests == 1 else (0,) * 5
        names = [symbol.decode() for symbol in symbols[:2]]
        if kind != ALTERNATIVE:
            print("version", *names)
        elif blocks == 1:
            print("alternative", *names)
        else:
            print("pairs", *names, axis, parameters)
        records = records[length:]


def main():
    with open(sys.argv[1], "rb") as file:
        data = file.read()
    start, count, total = find_header(data)
    end = HEADER.size + count * MEMBER.size
    for i in range(count):
        kind, arch, flags, zstd, offset, stored_size, size = MEMBER.unpack_from(
            data, start + HEADER.size + i * MEMBER.size)
        if offset % 8 or offset < end:
            sys.exit(f"member {i} starts at {offset}")
        end = offset + stored_size
        check_bytes(kind, zstd, data[start + offset:start + end], size)
        print(f"{KINDS[kind]} sm_{arch} flags={flags} zstd={zstd} size={size}")
        if KINDS[kind] == "versions":
            print_versions(data[start + offset:start + end])
    if end != total:
        sys.exit(f"members end at {end} of {total} bytes")


main()
