// Huffman tables made for looking up.
#ifndef JPEG_HUFFMAN_H
#define JPEG_HUFFMAN_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include <jpeglib.h>

enum {
  jpeg_lookup_bits = 10,
  jpeg_most_pair_bits = 11,
  jpeg_step_to_nowhere = 64,
};

/// What a code means. The lowest byte is how many bits are to be read with those of the coefficient, the next
/// how many with the code alone, then 63 less the bits of the coefficient, then the step to its place: shifts
/// take the lowest six bits of a word, so that each of them is one instruction away.
///
/// A special entry ends a block and has nothing but the length of the code, or, when that is 0, stands for
/// codes that `jpeg_huffman_look_further` knows.
static const uint32_t jpeg_entry_is_special = UINT32_C(1) << 31;

typedef struct jpeg_huffman {
  /// For each value of the next bits, the code that they begin with.
  uint32_t entries[1 << jpeg_lookup_bits];
  /// The first 16 bits that are past all codes of a length.
  uint32_t limits[17];
  /// What makes a code of a length the index of its symbol.
  int32_t offsets[17];
  uint8_t symbols[256];
  bool is_dc;
} jpeg_huffman;

/// False when it is not a table that libjpeg takes.
bool jpeg_huffman_make(jpeg_huffman *table, const JHUFF_TBL *source, bool is_dc);

/// The entry of any code that 64 bits begin with, and that of a block's end, of 17 bits, for those that are
/// none.
uint32_t jpeg_huffman_look_further(const jpeg_huffman *table, uint64_t bits, bool *is_bad);

/// A coefficient whose bits follow its code and, where the bits that are looked at go so far, the whole of
/// one in front of it: two of three look-ups find two, in the time it takes one to come from memory.
///
/// From the lowest byte on: how many bits are read in all, how many in front of those of the second
/// coefficient, the steps to the places of the first and of the second, 63 less the bits of the second, how
/// many bits the first takes; and the first itself, of 16 bits. Without a first, its step leads nowhere, and
/// its bits are those of the second.
///
/// A special pair ends the block, after a first coefficient or none, or, when its length is 0, stands for a
/// code that is longer than the bits that are looked at.
typedef uint64_t jpeg_pair;

static const jpeg_pair jpeg_pair_is_special = 1 << 7;

typedef struct jpeg_ac_table {
  jpeg_huffman single;
  /// 64 less the bits that are looked at.
  unsigned pair_shift;
  jpeg_pair pairs[1 << jpeg_most_pair_bits];
} jpeg_ac_table;

/// Looks at `pair_bits`, which take time to prepare for.
bool jpeg_ac_table_make(jpeg_ac_table *table, const JHUFF_TBL *source, unsigned pair_bits);

#endif
