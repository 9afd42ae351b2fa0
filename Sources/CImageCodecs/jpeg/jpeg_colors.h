// From brightness and two colour differences to red, green and blue.
#ifndef JPEG_COLORS_H
#define JPEG_COLORS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// The samples of a row may be read up to a multiple of 16; of `pixels`, nothing is written past the row.
void jpeg_colors_convert(
    const uint8_t *light, const uint8_t *blue, const uint8_t *red, uint8_t *pixels, size_t width);

/// Doubles `count` samples across. Smoothly, each new one is a quarter of the neighbour on its side, as in
/// libjpeg.
void jpeg_colors_widen(const uint8_t *samples, size_t count, bool smoothly, uint8_t *wide);

#endif
