// The pixels of the usual JPEG, read without libjpeg's Huffman decoder, which takes most of the time of a
// thumbnail.
#ifndef JPEG_BASELINE_H
#define JPEG_BASELINE_H

#include "jpeg_errors.h"

typedef struct jpeg_baseline jpeg_baseline;

/// After the header was read and the size of the output calculated; from then on, input is for these
/// functions and no longer for libjpeg. NULL leaves it to libjpeg: the image is not of the usual kind, or
/// there is no memory.
///
/// Usual are sequential Huffman coding in one scan, grey or YCbCr, chroma in full or halved, and scales that
/// need no row of chroma but those beside them. What is wrong with the tables, libjpeg can say best.
jpeg_baseline *jpeg_baseline_make(j_decompress_ptr image);
void jpeg_baseline_free(jpeg_baseline *baseline);

/// Reads rows like `codec_jpeg_decoder_read_rows`. Damage is reported as libjpeg's warnings.
codec_result jpeg_baseline_read_rows(
    jpeg_baseline *baseline, uint8_t *rows, size_t bytes_per_row, size_t capacity, size_t *count);

uint32_t jpeg_baseline_rows_left(const jpeg_baseline *baseline);
/// Rows of MCUs that were read to their end.
uint32_t jpeg_baseline_mcu_rows(const jpeg_baseline *baseline);

#endif
