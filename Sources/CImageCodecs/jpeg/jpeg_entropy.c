#include "jpeg_entropy.h"

#include <string.h>

#define INLINE static inline __attribute__((always_inline))

#define PLACE(row, column) ((row) * 8 + ((column) % 2 ? 4 + (column) / 2 : (column) / 4 + ((column) % 4)))

// The position of values that are not coefficients of the block. It is the start of the next block, which is cleared
// before it is read.
#define UNUSED 64, 64, 64, 64, 64, 64, 64, 64

/// The positions of the coefficients, in their order in the file.
static const uint8_t places[jpeg_places] = {
    PLACE(0, 0), PLACE(0, 1), PLACE(1, 0), PLACE(2, 0), PLACE(1, 1), PLACE(0, 2), PLACE(0, 3), PLACE(1, 2),
    PLACE(2, 1), PLACE(3, 0), PLACE(4, 0), PLACE(3, 1), PLACE(2, 2), PLACE(1, 3), PLACE(0, 4), PLACE(0, 5),
    PLACE(1, 4), PLACE(2, 3), PLACE(3, 2), PLACE(4, 1), PLACE(5, 0), PLACE(6, 0), PLACE(5, 1), PLACE(4, 2),
    PLACE(3, 3), PLACE(2, 4), PLACE(1, 5), PLACE(0, 6), PLACE(0, 7), PLACE(1, 6), PLACE(2, 5), PLACE(3, 4),
    PLACE(4, 3), PLACE(5, 2), PLACE(6, 1), PLACE(7, 0), PLACE(7, 1), PLACE(6, 2), PLACE(5, 3), PLACE(4, 4),
    PLACE(3, 5), PLACE(2, 6), PLACE(1, 7), PLACE(2, 7), PLACE(3, 6), PLACE(4, 5), PLACE(5, 4), PLACE(6, 3),
    PLACE(7, 2), PLACE(7, 3), PLACE(6, 4), PLACE(5, 5), PLACE(4, 6), PLACE(3, 7), PLACE(4, 7), PLACE(5, 6),
    PLACE(6, 5), PLACE(7, 4), PLACE(7, 5), PLACE(6, 6), PLACE(5, 7), PLACE(6, 7), PLACE(7, 6), PLACE(7, 7),
    UNUSED, UNUSED, UNUSED, UNUSED, UNUSED, UNUSED, UNUSED, UNUSED,
};

/// The next bits, at the top of a word, and the position of the bytes after them. Only `count` bits are guaranteed;
/// below them there may already be further bits of the same bytes.
typedef struct bit_reader {
  uint64_t bits;
  unsigned count;
  const uint8_t *next;
} bit_reader;

/// Fills the word to at least 56 bits.
INLINE void refill(bit_reader *reader) {
  uint64_t bytes;
  memcpy(&bytes, reader->next, sizeof bytes);
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
  bytes = __builtin_bswap64(bytes);
#endif
  reader->bits |= bytes >> reader->count;
  reader->next += (63 - reader->count) >> 3;
  reader->count |= 56;
}

INLINE void drop(bit_reader *reader, uint32_t entry) {
  reader->bits <<= entry & 63;
  reader->count -= entry & 63;
}

/// Returns the coefficient after a code, as its table entry describes it. If the first bit is 0, the value is
/// negative, and all its bits are inverted.
INLINE int32_t value_of(uint64_t bits, uint32_t code_length, uint32_t shift) {
  int64_t following = (int64_t)(bits << (code_length & 63));
  int64_t sign = ~(following >> 63);
  int64_t magnitude = (int64_t)((uint64_t)(following ^ sign) >> 1 >> (shift & 63));
  return (int32_t)((magnitude ^ sign) - sign);
}

INLINE int32_t read_dc(bit_reader *reader, const jpeg_huffman *table, bool *is_bad) {
  refill(reader);
  uint32_t entry = table->entries[reader->bits >> (64 - jpeg_lookup_bits)];
  if (__builtin_expect(entry & jpeg_entry_is_special, 0)) {
    entry = jpeg_huffman_look_up_long(table, reader->bits, is_bad);
  }
  int32_t value = value_of(reader->bits, entry >> 8, entry >> 16);
  drop(reader, entry);
  return value;
}

INLINE void store(
    const jpeg_block_reading *reading, int16_t *coefficients, unsigned place, int32_t value) {
  if (coefficients) coefficients[places[place]] = (int16_t)((uint32_t)value * reading->steps[place]);
}

/// Reads one AC code that is not in the table of pairs. Returns true at the end of the block.
INLINE bool read_long(bit_reader *reader, const jpeg_block_reading *reading, int16_t *coefficients,
    unsigned *last, bool *is_bad) {
  const jpeg_huffman *table = &reading->ac->single;
  refill(reader);
  uint32_t entry = table->entries[reader->bits >> (64 - jpeg_lookup_bits)];
  if (entry == jpeg_entry_is_special) entry = jpeg_huffman_look_up_long(table, reader->bits, is_bad);
  if (!(entry & jpeg_entry_is_special)) {
    *last += entry >> 24;
    store(reading, coefficients, *last, value_of(reader->bits, entry >> 8, entry >> 16));
  }
  drop(reader, entry);
  return entry & jpeg_entry_is_special || *last >= DCTSIZE2 - 1;
}

typedef enum progress { continues, needs_bits, block_end } progress;

/// Handles a pair that does not contain exactly two coefficients.
INLINE progress read_special(bit_reader *reader, const jpeg_block_reading *reading, int16_t *coefficients,
    jpeg_pair pair, unsigned *last, bool *is_bad) {
  if ((pair & 63) == 0) {
    return read_long(reader, reading, coefficients, last, is_bad) ? block_end : needs_bits;
  }
  // No branch here, because it would be unpredictable. Without a coefficient, the step leads to an unused position.
  store(reading, coefficients, *last + (pair >> 16 & 255), (int16_t)(pair >> 48));
  *last += pair >> 24 & 255;
  // Bits after the last position belong to the next block.
  drop(reader, (uint32_t)(*last >= DCTSIZE2 - 1 ? pair >> 40 : pair));
  return block_end;
}

INLINE progress read_pair(bit_reader *reader, const jpeg_block_reading *reading, int16_t *coefficients,
    unsigned *last, bool *is_bad) {
  jpeg_pair pair = reading->ac->pairs[reader->bits >> reading->ac->pair_shift];
  if (__builtin_expect((pair & jpeg_pair_is_special) != 0, 0)) {
    return read_special(reader, reading, coefficients, pair, last, is_bad);
  }
  unsigned first = *last + (pair >> 16 & 255);
  *last += pair >> 24 & 255;
  store(reading, coefficients, first, (int16_t)(pair >> 48));
  store(reading, coefficients, *last, value_of(reader->bits, (uint32_t)pair >> 8, (uint32_t)(pair >> 32)));
  if (__builtin_expect(*last < DCTSIZE2 - 1, 1)) {
    drop(reader, (uint32_t)pair);
    return continues;
  }
  drop(reader, (uint32_t)(first >= DCTSIZE2 - 1 ? pair >> 40 : pair));
  return block_end;
}

/// Reads all AC coefficients; returns the number of the last one.
INLINE unsigned read_all_ac(
    bit_reader *reader, const jpeg_block_reading *reading, int16_t *coefficients, bool *is_bad) {
  unsigned last = 0;
  for (;;) {
    refill(reader);
    progress progress = read_pair(reader, reading, coefficients, &last, is_bad);
    if (progress == continues) progress = read_pair(reader, reading, coefficients, &last, is_bad);
    _Static_assert(2 * (jpeg_max_pair_bits + 15) <= 56, "a refill is enough for two pairs");
    if (progress == block_end) return last < DCTSIZE2 ? last : DCTSIZE2 - 1;
  }
}

INLINE bool is_past(const bit_reader *reader, const uint8_t *end) {
  return (reader->next - end) * 8 > (ptrdiff_t)reader->count;
}

INLINE unsigned read_mcus(jpeg_entropy *entropy, unsigned count, jpeg_block *blocks, uint8_t *lasts) {
  const uint8_t *end = entropy->segment.bytes + entropy->segment.count;
  bit_reader reader = {entropy->bits, entropy->bit_count, entropy->segment.bytes + entropy->next};
  unsigned mcus = 0;
  for (; mcus < count; mcus++) {
    uint32_t predictions[3] = {entropy->predictions[0], entropy->predictions[1], entropy->predictions[2]};
    bool is_bad = false;
    for (unsigned index = 0; index < entropy->blocks_per_mcu; index++, blocks++, lasts++) {
      const jpeg_block_reading *reading = entropy->blocks[index];
      memset(blocks, 0, sizeof *blocks);
      uint32_t dc = predictions[reading->component] + (uint32_t)read_dc(&reader, reading->dc, &is_bad);
      predictions[reading->component] = dc;
      blocks->coefficients[0] = (int16_t)(dc * reading->steps[0]);
      *lasts = (uint8_t)(reading->wants_ac ? read_all_ac(&reader, reading, blocks->coefficients, &is_bad)
                                           : read_all_ac(&reader, reading, NULL, &is_bad));
    }
    if (is_past(&reader, end)) break;
    memcpy(entropy->predictions, predictions, sizeof predictions);
    entropy->has_bad_code |= is_bad;
    entropy->bits = reader.bits;
    entropy->bit_count = reader.count;
    entropy->next = (size_t)(reader.next - entropy->segment.bytes);
  }
  return mcus;
}

static unsigned read_anywhere(jpeg_entropy *entropy, unsigned count, jpeg_block *blocks, uint8_t *lasts) {
  return read_mcus(entropy, count, blocks, lasts);
}

#ifdef __x86_64__
// With BMI2, a shift by any register is one instruction.
__attribute__((target("bmi,bmi2"))) static unsigned read_by_bmi2(
    jpeg_entropy *entropy, unsigned count, jpeg_block *blocks, uint8_t *lasts) {
  return read_mcus(entropy, count, blocks, lasts);
}
#endif

unsigned jpeg_entropy_read(jpeg_entropy *entropy, unsigned count, jpeg_block *blocks, uint8_t *lasts) {
#ifdef __x86_64__
  if (__builtin_cpu_supports("bmi2") && __builtin_cpu_supports("bmi")) {
    return read_by_bmi2(entropy, count, blocks, lasts);
  }
#endif
  return read_anywhere(entropy, count, blocks, lasts);
}

void jpeg_block_reading_make(
    jpeg_block_reading *reading, const jpeg_huffman *dc, const jpeg_ac_table *ac, const JQUANT_TBL *steps) {
  // libjpeg stores the steps row by row.
  for (int index = 0; index < DCTSIZE2; index++) {
    int row = places[index] / 8, place = places[index] % 8;
    int column = place < 4 ? (place % 2) * 4 + place / 2 * 2 : (place - 4) * 2 + 1;
    reading->steps[index] = steps->quantval[row * 8 + column];
  }
  reading->dc = dc;
  reading->ac = ac;
}

/// Returns unused bytes to the segment. Keeps less than a byte of bits, and none of bytes that are not there yet.
static void give_bytes_back(jpeg_entropy *entropy) {
  entropy->next -= entropy->bit_count >> 3;
  entropy->bit_count &= 7;
  entropy->bits &= ~(UINT64_MAX >> entropy->bit_count);
}

void jpeg_entropy_restart(jpeg_entropy *entropy) {
  memset(entropy->predictions, 0, sizeof entropy->predictions);
}

bool jpeg_entropy_fill(jpeg_entropy *entropy, j_decompress_ptr image) {
  give_bytes_back(entropy);
  size_t dropped = entropy->next;
  entropy->next = 0;
  return jpeg_segment_fill(&entropy->segment, dropped, image);
}

size_t jpeg_entropy_bytes_left(const jpeg_entropy *entropy) {
  return entropy->segment.count - entropy->next + entropy->bit_count / 8;
}

void jpeg_entropy_drop_bytes(jpeg_entropy *entropy) {
  entropy->segment.count = 0;
  entropy->next = 0;
  entropy->bits = 0;
  entropy->bit_count = 0;
}

void jpeg_entropy_read_past_end(jpeg_entropy *entropy, jpeg_block *blocks, uint8_t *lasts) {
  jpeg_segment *segment = &entropy->segment;
  give_bytes_back(entropy);
  size_t available = segment->count - entropy->next;
  memmove(segment->bytes, segment->bytes + entropy->next, available);
  memset(segment->bytes + available, 0, sizeof segment->bytes - available);
  entropy->next = 0;
  segment->count = sizeof segment->bytes;
  jpeg_entropy_read(entropy, 1, blocks, lasts);
  jpeg_entropy_drop_bytes(entropy);
}
