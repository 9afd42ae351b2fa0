#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Compression of bytes in memory, and a checksum. Each compressing function returns memory that the caller frees with `free`, or null if there is not
// enough memory.

/// Compresses bytes with gzip, without a name and a date, so that equal bytes give equal results.
///
/// \param level from 1, fast, to 9, small.
uint8_t *_Nullable ccompression_gzip(const uint8_t *_Nullable bytes, size_t count, int level,
                                     size_t *_Nonnull result_count);

/// Compresses bytes with Brotli.
///
/// \param quality from 0, fast, to 11, small.
uint8_t *_Nullable ccompression_brotli(const uint8_t *_Nullable bytes, size_t count, int quality,
                                       size_t *_Nonnull result_count);

/// Returns the CRC-32 of bytes that follow others.
///
/// \param checksum the CRC-32 of the bytes before them, or 0.
uint32_t ccompression_crc32(uint32_t checksum, const uint8_t *_Nullable bytes, size_t count);
