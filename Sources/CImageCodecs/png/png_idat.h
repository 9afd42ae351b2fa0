// Inflates the pixels of a PNG instead of libpng, which would use zlib.
#ifndef PNG_IDAT_H
#define PNG_IDAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct png_idat png_idat;

/// The receiver of the file's data. Chunks of pixels come without a valid CRC, because it was already checked.
typedef struct {
  void *context;
  void (*take)(void *context, const uint8_t *bytes, size_t count, bool is_checked);
  /// Receives a message about a wrong checksum of pixels. They are used nevertheless.
  void (*note_checksum)(void *context, const char *problem);
  /// Becomes true after the last pixel was read.
  const bool *has_all_rows;
} png_idat_sink;

/// Returns NULL if memory cannot be allocated.
png_idat *png_idat_make(void);
void png_idat_free(png_idat *idat);

/// Passes a piece of the file on, with its pixels inflated. Returns NULL or an error message. The sink may use
/// longjmp.
const char *png_idat_feed(png_idat *idat, const uint8_t *bytes, size_t count, png_idat_sink sink);

/// Ends the input: inflates the bytes that were held back. Returns NULL or an error message.
const char *png_idat_finish(png_idat *idat, png_idat_sink sink);

#endif
