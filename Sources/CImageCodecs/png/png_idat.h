// Takes the part of inflating a PNG's pixels from libpng, which leaves it to zlib.
#ifndef PNG_IDAT_H
#define PNG_IDAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct png_idat png_idat;

/// Where the file goes on to. Pixels come in chunks without a valid CRC: theirs has been checked.
typedef struct {
  void *context;
  void (*take)(void *context, const uint8_t *bytes, size_t count, bool is_checked);
  /// Becomes true when the last pixel was taken.
  const bool *has_all_rows;
} png_idat_sink;

/// NULL when there is no memory.
png_idat *png_idat_make(void);
void png_idat_free(png_idat *idat);

/// Passes on a piece of the file, its pixels inflated; NULL, or what was wrong with it. The sink may jump away.
const char *png_idat_feed(png_idat *idat, const uint8_t *bytes, size_t count, png_idat_sink sink);

#endif
