#include "jpeg_huffman.h"

static uint32_t entry_of(const jpeg_huffman *table, unsigned length, uint8_t symbol) {
  unsigned size = symbol & 15, run = symbol >> 4;
  if (table->is_dc) run = 0;
  if (!table->is_dc && size == 0 && run != 15) return jpeg_entry_is_special | length;
  return (run + 1) << 24 | (63 - size) << 16 | length << 8 | (length + size);
}

/// Lets all values of the next bits that begin with a code find it.
static void enter(jpeg_huffman *table, unsigned length, unsigned code, uint8_t symbol) {
  // What is rare in a sound file goes the long way, which leaves the short one with few bits to read.
  if (length > jpeg_lookup_bits || (!table->is_dc && (symbol & 15) > jpeg_most_short_bits)) return;
  unsigned free_bits = jpeg_lookup_bits - length;
  uint32_t entry = entry_of(table, length, symbol);
  uint32_t *entries = table->entries + (code << free_bits);
  for (unsigned index = 0; index < 1U << free_bits; index++) entries[index] = entry;
}

bool jpeg_huffman_make(jpeg_huffman *table, const JHUFF_TBL *source, bool is_dc) {
  table->is_dc = is_dc;
  for (unsigned index = 0; index < 1U << jpeg_lookup_bits; index++) {
    table->entries[index] = jpeg_entry_is_special;
  }
  unsigned code = 0, symbols = 0;
  table->limits[0] = 0;
  for (unsigned length = 1; length <= 16; length++, code <<= 1) {
    unsigned count = source->bits[length];
    // libjpeg wants a code of ones only to stay free.
    if (symbols + count > 256 || (count > 0 && code + count >= 1U << length)) return false;
    table->offsets[length] = (int32_t)symbols - (int32_t)code;
    for (unsigned index = 0; index < count; index++, code++, symbols++) {
      uint8_t symbol = source->huffval[symbols];
      if (is_dc && symbol > 15) return false;
      table->symbols[symbols] = symbol;
      enter(table, length, code, symbol);
    }
    table->limits[length] = code << (16 - length);
  }
  return true;
}

uint32_t jpeg_huffman_look_further(const jpeg_huffman *table, uint64_t bits, bool *is_bad) {
  unsigned next = (unsigned)(bits >> 48);
  for (unsigned length = 1; length <= 16; length++) {
    if (next >= table->limits[length]) continue;
    unsigned index = (unsigned)((int32_t)(next >> (16 - length)) + table->offsets[length]);
    return entry_of(table, length, table->symbols[index & 255]);
  }
  // As libjpeg does: past the longest code, and taken as nothing.
  *is_bad = true;
  return entry_of(table, 17, 0);
}
