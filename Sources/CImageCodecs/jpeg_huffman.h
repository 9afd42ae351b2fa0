// Huffman tables made for looking up.
#ifndef JPEG_HUFFMAN_H
#define JPEG_HUFFMAN_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include <jpeglib.h>

enum {
  jpeg_lookup_bits = 10,
  /// Longer coefficients of AC are not found by one look-up. Sound files of 8 bits have none.
  jpeg_most_short_bits = 10,
};

/// What a code means. The lowest byte is how many bits are to be read with those of the coefficient, the next how
/// many with the code alone, then 63 less the bits of the coefficient, then the step to its place: shifts take
/// the lowest six bits of a word, so that each of them is one instruction away.
///
/// A special entry ends a block and has nothing but the length of the code, or, when that is 0, stands for codes
/// that `jpeg_huffman_look_further` knows.
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

/// The entry of any code that 64 bits begin with, and that of a block's end, of 17 bits, for those that are none.
uint32_t jpeg_huffman_look_further(const jpeg_huffman *table, uint64_t bits, bool *is_bad);

#endif
