// Converts brightness and two color differences to red, green and blue.
#ifndef JPEG_COLORS_H
#define JPEG_COLORS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// The samples of a row are read up to a multiple of 16 bytes. In `pixels`, nothing is written after the row.
void jpeg_colors_convert(
    const uint8_t *light, const uint8_t *blue, const uint8_t *red, uint8_t *pixels, size_t width);

/// Doubles `count` samples horizontally. With `smoothly`, each new sample is a quarter of the neighbor on its side, as
/// in libjpeg.
void jpeg_colors_widen(const uint8_t *samples, size_t count, bool smoothly, uint8_t *wide);

#endif
