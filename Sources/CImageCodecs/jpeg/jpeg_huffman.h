// Huffman tables for fast lookup.
#ifndef JPEG_HUFFMAN_H
#define JPEG_HUFFMAN_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include <jpeglib.h>

enum {
  jpeg_lookup_bits = 10,
  jpeg_max_pair_bits = 11,
  jpeg_unused_position = 64,
};

/// The meaning of a code. From the lowest byte on: the number of bits of the code with its coefficient, the number of
/// bits of the code alone, 63 minus the bits of the coefficient, and the step to its position. Shifts use only the
/// lowest six bits of a word, so that each value takes one instruction.
///
/// A special entry ends a block, and contains only the length of the code. A length of 0 stands for longer codes, for
/// which `jpeg_huffman_look_up_long` is needed.
static const uint32_t jpeg_entry_is_special = UINT32_C(1) << 31;

typedef struct jpeg_huffman {
  /// The code at the start of each value of the next bits.
  uint32_t entries[1 << jpeg_lookup_bits];
  /// For each length, the first 16 bits that come after all codes of that length.
  uint32_t limits[17];
  /// For each length, the offset from a code to the index of its symbol.
  int32_t offsets[17];
  uint8_t symbols[256];
  bool is_dc;
} jpeg_huffman;

/// Returns false if libjpeg would not accept the table.
bool jpeg_huffman_make(jpeg_huffman *table, const JHUFF_TBL *source, bool is_dc);

/// Returns the entry of the code at the start of 64 bits. For an invalid code, returns an end of block with 17 bits.
uint32_t jpeg_huffman_look_up_long(const jpeg_huffman *table, uint64_t bits, bool *is_bad);

/// A coefficient whose bits follow its code. A complete coefficient comes before it if that and the code fit into the
/// lookup bits. Two of three lookups find two coefficients, in the time that one memory access takes.
///
/// From the lowest byte on:
/// - the total number of bits,
/// - the number of bits before those of the second coefficient,
/// - the steps to the positions of the first and the second coefficient,
/// - 63 minus the bits of the second coefficient,
/// - the number of bits of the first coefficient,
/// - the first coefficient itself, in 16 bits.
///
/// Without a first coefficient, its step leads to an unused position, and its bits are those of the second.
///
/// A special pair ends the block, with or without a first coefficient. If its length is 0, it stands for a code that
/// is longer than the lookup bits.
typedef uint64_t jpeg_pair;

static const jpeg_pair jpeg_pair_is_special = 1 << 7;

typedef struct jpeg_ac_table {
  jpeg_huffman single;
  /// 64 minus the number of lookup bits.
  unsigned pair_shift;
  jpeg_pair pairs[1 << jpeg_max_pair_bits];
} jpeg_ac_table;

/// Creates a table for `pair_bits` lookup bits. The time for that grows with their number.
bool jpeg_ac_table_make(jpeg_ac_table *table, const JHUFF_TBL *source, unsigned pair_bits);

#endif
