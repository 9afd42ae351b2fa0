// Transforms coefficients to samples, at full or reduced size.
#ifndef JPEG_TRANSFORM_H
#define JPEG_TRANSFORM_H

#include <stddef.h>

#include "jpeg_entropy.h"

/// Writes `size` by `size` samples (1, 2, 4 or 8), with the results of libjpeg's accurate transforms of those sizes.
/// `last` is the number of the block's last coefficient in the order of the file.
void jpeg_transform(const jpeg_block *block, unsigned last, unsigned size, uint8_t *samples,
    size_t bytes_per_row);

/// Writes two by two samples like `jpeg_transform`, but as bright as the mean light of the samples that each of them
/// stands for. That is more than the light of their mean, the more they differ.
void jpeg_transform_to_mean_light(
    const jpeg_block *block, unsigned last, uint8_t *samples, size_t bytes_per_row);

#endif
