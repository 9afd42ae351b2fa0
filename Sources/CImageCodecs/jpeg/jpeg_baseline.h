// Reads the pixels of the most common kind of JPEG without libjpeg's Huffman decoder, which takes most of the time of
// a thumbnail.
#ifndef JPEG_BASELINE_H
#define JPEG_BASELINE_H

#include "jpeg_errors.h"

typedef struct jpeg_baseline jpeg_baseline;

/// Creates a reader after the header was read and the output size computed. From then on, these functions read the
/// input, and libjpeg does not. Returns NULL if libjpeg must read the image: it is of another kind, or memory cannot
/// be allocated.
///
/// The supported kind is sequential Huffman coding in one scan, in gray or YCbCr, with full or halved chroma, and at
/// scales that do not blend rows of chroma. Images with invalid tables are left to libjpeg too, because it reports the
/// error best.
///
/// With `keeps_light`, the samples of luminance at 1/4 are as bright as the mean light of those they stand for. Without,
/// all samples are those of libjpeg.
jpeg_baseline *jpeg_baseline_make(j_decompress_ptr image, bool keeps_light);
void jpeg_baseline_free(jpeg_baseline *baseline);

/// Reads rows like `codec_jpeg_decoder_read_rows`. Damage is reported as libjpeg's warnings.
codec_result jpeg_baseline_read_rows(
    jpeg_baseline *baseline, uint8_t *rows, size_t bytes_per_row, size_t capacity, size_t *count);

uint32_t jpeg_baseline_rows_left(const jpeg_baseline *baseline);
/// Returns the number of complete rows of MCUs.
uint32_t jpeg_baseline_mcu_rows(const jpeg_baseline *baseline);

#endif
