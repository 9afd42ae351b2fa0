#include "jpeg_huffman.h"

static uint32_t entry_of(const jpeg_huffman *table, unsigned length, uint8_t symbol) {
  unsigned size = symbol & 15, run = symbol >> 4;
  if (table->is_dc) run = 0;
  if (!table->is_dc && size == 0 && run != 15) return jpeg_entry_is_special | length;
  return (run + 1) << 24 | (63 - size) << 16 | length << 8 | (length + size);
}

/// Sets the entries for all values that begin with a code.
static void enter(jpeg_huffman *table, unsigned length, unsigned code, uint8_t symbol) {
  if (length > jpeg_lookup_bits) return;
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
    // libjpeg requires that a code that consists only of ones is unused.
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

uint32_t jpeg_huffman_look_up_long(const jpeg_huffman *table, uint64_t bits, bool *is_bad) {
  unsigned next = (unsigned)(bits >> 48);
  for (unsigned length = 1; length <= 16; length++) {
    if (next >= table->limits[length]) continue;
    unsigned index = (unsigned)((int32_t)(next >> (16 - length)) + table->offsets[length]);
    return entry_of(table, length, table->symbols[index & 255]);
  }
  // As in libjpeg: the bits are longer than the longest code, and count as zero.
  *is_bad = true;
  return entry_of(table, 17, 0);
}

/// Returns the coefficient after a code, in the terms of `jpeg_entry_is_special`.
static int16_t value_of(uint32_t entry, uint32_t bits) {
  unsigned size = 63 - (entry >> 16 & 63);
  if (size == 0) return 0;
  int32_t value = (int32_t)(bits << (entry >> 8 & 63) >> (32 - size));
  return (int16_t)(value >> (size - 1) ? value : value - (1 << size) + 1);
}

static bool ends_block(uint32_t entry) {
  return entry & jpeg_entry_is_special;
}

static uint32_t first_entry(const jpeg_huffman *table, uint32_t bits) {
  uint32_t entry = table->entries[bits >> (32 - jpeg_lookup_bits)];
  if (entry != jpeg_entry_is_special) return entry;
  bool is_bad = false;
  return jpeg_huffman_look_up_long(table, (uint64_t)bits << 32, &is_bad);
}

static unsigned code_length(uint32_t entry) {
  return ends_block(entry) ? entry & 63 : entry >> 8 & 63;
}

/// Returns the pair for `count` known bits, at the top of 32 bits.
static jpeg_pair pair_of(const jpeg_huffman *table, uint32_t bits, unsigned count) {
  uint32_t first = first_entry(table, bits);
  if (code_length(first) > count) return jpeg_pair_is_special;
  jpeg_pair length = first & 63;
  if (ends_block(first)) return jpeg_pair_is_special | jpeg_unused_position << 16 | length;
  jpeg_pair step = first >> 24;
  if (length < count) {
    uint32_t second = first_entry(table, bits << length);
    jpeg_pair code = length + code_length(second);
    jpeg_pair pair = (jpeg_pair)(uint16_t)value_of(first, bits) << 48 | length << 40 | step << 16;
    if (code <= count && ends_block(second)) return pair | jpeg_pair_is_special | step << 24 | code;
    if (code <= count) {
      jpeg_pair second_shift = second >> 16 & 63, second_step = second >> 24;
      return pair | second_shift << 32 | (step + second_step) << 24 | code << 8 | (length + (second & 63));
    }
  }
  jpeg_pair code = code_length(first), shift = first >> 16 & 63;
  return length << 40 | shift << 32 | step << 24 | jpeg_unused_position << 16 | code << 8 | length;
}

bool jpeg_ac_table_make(jpeg_ac_table *table, const JHUFF_TBL *source, unsigned pair_bits) {
  if (!jpeg_huffman_make(&table->single, source, false)) return false;
  table->pair_shift = 64 - pair_bits;
  for (uint32_t index = 0; index < 1U << pair_bits; index++) {
    table->pairs[index] = pair_of(&table->single, index << (32 - pair_bits), pair_bits);
  }
  return true;
}
