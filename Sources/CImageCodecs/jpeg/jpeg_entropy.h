// Huffman decoding of the MCUs of a sequential scan.
#ifndef JPEG_ENTROPY_H
#define JPEG_ENTROPY_H

#include "jpeg_huffman.h"
#include "jpeg_segment.h"

enum {
  /// Two by two blocks of luminance and two of chrominance. libjpeg reads images with more.
  jpeg_max_blocks = 6,
  /// The positions of a block, those that damaged data can reach with runs of zeros, and the unused one.
  jpeg_places = DCTSIZE2 + jpeg_unused_position,
};

/// The tables and steps for the blocks of a component.
typedef struct jpeg_block_reading {
  const jpeg_huffman *dc;
  const jpeg_ac_table *ac;
  /// The quantization steps in the order of the file.
  uint16_t steps[jpeg_places];
  /// The index of the component's prediction.
  int component;
  bool wants_ac;
} jpeg_block_reading;

void jpeg_block_reading_make(
    jpeg_block_reading *reading, const jpeg_huffman *dc, const jpeg_ac_table *ac, const JQUANT_TBL *steps);

/// The coefficients, multiplied by their steps. Each row has the order 0, 4, 2, 6, 1, 3, 5, 7: pairs for a transform
/// that multiplies and adds.
typedef struct jpeg_block {
  _Alignas(16) int16_t coefficients[DCTSIZE2];
} jpeg_block;

typedef struct jpeg_entropy {
  /// The bits that were not read yet, the next one at the top.
  uint64_t bits;
  unsigned bit_count;
  /// The position in the segment of the bits after those.
  size_t next;
  uint32_t predictions[3];
  /// True if a code was found that is not in the table.
  bool has_bad_code;
  /// The blocks of an MCU.
  const jpeg_block_reading *blocks[jpeg_max_blocks];
  unsigned blocks_per_mcu;
  jpeg_segment segment;
} jpeg_entropy;

/// Resets the predictions.
void jpeg_entropy_restart(jpeg_entropy *entropy);

/// Drops the bytes that were read, and gets more from the source. Returns false if there are no more.
bool jpeg_entropy_fill(jpeg_entropy *entropy, j_decompress_ptr image);

/// Returns the number of complete bytes of the segment that were not read.
size_t jpeg_entropy_bytes_left(const jpeg_entropy *entropy);

/// Drops the available bytes of the segment.
void jpeg_entropy_drop_bytes(jpeg_entropy *entropy);

/// Reads up to `count` MCUs; returns the number for which the segment has enough bytes. Sets `lasts` to the number of
/// the last coefficient of each block, in the order of the file. There must be room for another block after the
/// blocks.
unsigned jpeg_entropy_read(jpeg_entropy *entropy, unsigned count, jpeg_block *blocks, uint8_t *lasts);

/// Reads one MCU as if zeros followed the segment.
void jpeg_entropy_read_past_end(jpeg_entropy *entropy, jpeg_block *blocks, uint8_t *lasts);

#endif
