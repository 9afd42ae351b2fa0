// Huffman decoding of the MCUs of a sequential scan.
#ifndef JPEG_ENTROPY_H
#define JPEG_ENTROPY_H

#include "jpeg_huffman.h"
#include "jpeg_segment.h"

enum {
  /// Two by two of luminance and two of chrominance; more is left to libjpeg.
  jpeg_most_blocks = 6,
  /// With those that runs of zeros lead to in damaged data, and what stands for none.
  jpeg_places = DCTSIZE2 + jpeg_step_to_nowhere,
};

/// How the blocks of a component are read.
typedef struct jpeg_block_reading {
  const jpeg_huffman *dc;
  const jpeg_ac_table *ac;
  /// Steps of quantization in the order of the file.
  uint16_t steps[jpeg_places];
  /// Which of the predictions is the component's.
  int component;
  bool wants_ac;
} jpeg_block_reading;

void jpeg_block_reading_make(
    jpeg_block_reading *reading, const jpeg_huffman *dc, const jpeg_ac_table *ac, const JQUANT_TBL *steps);

/// Coefficients, multiplied by their steps. Of a row first 0, 4, 2, 6 and then 1, 3, 5, 7: pairs that a
/// transform multiplies and adds.
typedef struct jpeg_block {
  _Alignas(16) int16_t coefficients[DCTSIZE2];
} jpeg_block;

typedef struct jpeg_entropy {
  /// Bits that were not read yet, the next one on top.
  uint64_t bits;
  unsigned bit_count;
  /// Where in the segment the bits after those are.
  size_t next;
  uint32_t predictions[3];
  /// A code was found that the table does not have.
  bool has_bad_code;
  /// The blocks of an MCU.
  const jpeg_block_reading *blocks[jpeg_most_blocks];
  unsigned blocks_per_mcu;
  jpeg_segment segment;
} jpeg_entropy;

/// Predicts nothing from before.
void jpeg_entropy_restart(jpeg_entropy *entropy);

/// Drops what has been read and takes more of the source; false when there is nothing more.
bool jpeg_entropy_fill(jpeg_entropy *entropy, j_decompress_ptr image);

/// Whole bytes of the segment that were not read.
size_t jpeg_entropy_bytes_left(const jpeg_entropy *entropy);

/// Drops all of the segment that is there.
void jpeg_entropy_drop_bytes(jpeg_entropy *entropy);

/// Reads at most `count` MCUs and answers how many the bytes of the segment were enough for. `lasts` gets the
/// number of the last coefficient of each block, in the order of the file. After the blocks, there has to be
/// room for another.
unsigned jpeg_entropy_read(jpeg_entropy *entropy, unsigned count, jpeg_block *blocks, uint8_t *lasts);

/// Reads one MCU as if zeros followed the segment.
void jpeg_entropy_read_past_end(jpeg_entropy *entropy, jpeg_block *blocks, uint8_t *lasts);

#endif
