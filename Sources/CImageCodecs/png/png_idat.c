#include <isa-l/crc.h>
#include <isa-l/igzip_lib.h>
#include <stdlib.h>
#include <string.h>

#include "png_idat.h"

// libpng inflates the pixels with zlib, which takes most of its time; ISA-L is more than twice as fast. Therefore the
// IDAT chunks are inflated here. libpng receives their contents as stored blocks, which it only has to copy. All other
// chunks pass through unchanged.

enum { signature_size = 8, head_size = 8, crc_size = 4, max_stored = 32 << 10, max_copy = 258 };
// For damaged data, ISA-L's output depends on where its pieces of input end. So they always end at the same positions:
// at the ends of chunks, and otherwise after as many bytes as were read before, within these limits.
enum { min_window = 256, max_window = 16 << 10 };

struct png_idat {
  enum { in_signature, in_head, in_other, in_end, in_pixels, in_pixels_crc, over } state;
  uint8_t head[head_size];
  /// The number of bytes read of the signature, the chunk header or the CRC.
  uint32_t taken;
  /// The number of bytes left of the chunk's data, and of its CRC if the chunk passes through.
  uint64_t left;
  uint32_t crc;
  uint8_t stated_crc[crc_size];
  bool has_begun, has_ended;
  struct inflate_state inflate;
  /// The number of compressed bytes that were inflated, and the number held back for the next piece.
  uint64_t inflated;
  uint32_t held;
  uint8_t window[max_window];
  /// Room for the headers of a chunk and a block, the data, the checksum and the CRC.
  uint8_t chunk[head_size + 5 + max_stored + 4 + crc_size];
};

png_idat *png_idat_make(void) {
  return calloc(1, sizeof(png_idat));
}

void png_idat_free(png_idat *idat) {
  free(idat);
}

static uint32_t number(const uint8_t *bytes) {
  return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
}

static void put_number(uint8_t *bytes, uint32_t value) {
  for (int index = 0; index < 4; index++) bytes[index] = (uint8_t)(value >> (24 - 8 * index));
}

/// Passes inflated data on: `count` bytes, after the room for the headers.
static void pass_stored(png_idat *idat, uint32_t count, png_idat_sink sink) {
  uint8_t *data = idat->chunk + head_size + 5;
  uint8_t *block = data - 5;
  block[0] = idat->has_ended ? 1 : 0;
  block[1] = (uint8_t)count;
  block[2] = (uint8_t)(count >> 8);
  block[3] = (uint8_t)~block[1];
  block[4] = (uint8_t)~block[2];
  uint8_t *end = data + count;
  if (idat->has_ended) {
    put_number(end, idat->inflate.crc);
    end += 4;
  }
  memset(end, 0, crc_size);
  uint8_t *head = block - head_size;
  put_number(head, (uint32_t)(end - block));
  memcpy(head + 4, "IDAT", 4);
  sink.take(sink.context, head, (size_t)(end - head) + crc_size, true);
}

static const char *inflate_piece(png_idat *idat, const uint8_t *bytes, uint32_t count, png_idat_sink sink) {
  idat->crc = crc32_gzip_refl(idat->crc, bytes, count);
  // Data after the end of the stream does not matter.
  if (idat->has_ended) return NULL;
  struct inflate_state *inflate = &idat->inflate;
  inflate->next_in = (uint8_t *)bytes;
  inflate->avail_in = count;
  do {
    bool had_all_rows = *sink.has_all_rows;
    inflate->next_out = idat->chunk + head_size + 5;
    inflate->avail_out = max_stored;
    int result = isal_inflate(inflate);
    uint32_t made = max_stored - inflate->avail_out;
    // ISA-L counts an invalid copy from before the beginning as output, but its bytes are undefined.
    if (result == ISAL_INVALID_LOOKBACK) made -= made < max_copy ? made : max_copy;
    idat->has_ended = result == ISAL_DECOMP_OK && inflate->block_state == ISAL_BLOCK_FINISH;
    if (made > 0 || idat->has_ended) pass_stored(idat, made, sink);
    if (had_all_rows && made > 0) {
      // This piece has shown libpng that there is too much data. A thousand times the file's size could follow.
      idat->has_ended = true;
      return NULL;
    }
    // libpng ignores damage after the last row, so this code does too. The CRC still protects the chunk.
    if (result != ISAL_DECOMP_OK && *sink.has_all_rows) {
      idat->has_ended = true;
      return NULL;
    }
    if (result == ISAL_INCORRECT_CHECKSUM) {
      // Everything was inflated.
      sink.note_checksum(sink.context, "The checksum of the pixels is wrong");
      idat->has_ended = true;
      return NULL;
    }
    if (result != ISAL_DECOMP_OK) return "The compressed pixels are damaged";
  } while (!idat->has_ended && (inflate->avail_in > 0 || inflate->avail_out == 0));
  return NULL;
}

static uint32_t window_size(const png_idat *idat) {
  if (idat->inflated < min_window) return min_window;
  return idat->inflated < max_window ? (uint32_t)idat->inflated : max_window;
}

/// Inflates the bytes that were held back.
static const char *inflate_held(png_idat *idat, png_idat_sink sink) {
  uint32_t count = idat->held;
  if (count == 0) return NULL;
  idat->held = 0;
  idat->inflated += count;
  return inflate_piece(idat, idat->window, count, sink);
}

/// Inflates the next bytes of a chunk, and holds back those at the end that do not fill a window.
static const char *inflate_pixels(
    png_idat *idat, const uint8_t *bytes, uint32_t count, bool ends_chunk, png_idat_sink sink) {
  while (count > 0) {
    uint32_t wanted = window_size(idat);
    const char *problem = NULL;
    if (idat->held == 0 && count >= wanted) {
      problem = inflate_piece(idat, bytes, wanted, sink);
      idat->inflated += wanted;
      bytes += wanted;
      count -= wanted;
    } else {
      uint32_t piece = wanted - idat->held < count ? wanted - idat->held : count;
      memcpy(idat->window + idat->held, bytes, piece);
      idat->held += piece;
      bytes += piece;
      count -= piece;
      if (idat->held == wanted) problem = inflate_held(idat, sink);
    }
    if (problem) return problem;
  }
  return ends_chunk ? inflate_held(idat, sink) : NULL;
}

/// Starts the pixels. libpng immediately receives zlib's header, and may reject the size of the image.
static void begin_pixels(png_idat *idat, png_idat_sink sink) {
  static const uint8_t beginning[] = {0, 0, 0, 2, 'I', 'D', 'A', 'T', 0x78, 0x01, 0, 0, 0, 0};
  isal_inflate_init(&idat->inflate);
  idat->inflate.crc_flag = ISAL_ZLIB;
  idat->has_begun = true;
  sink.take(sink.context, beginning, sizeof beginning, true);
}

/// Handles a complete chunk header.
static void begin_chunk(png_idat *idat, png_idat_sink sink) {
  uint32_t length = number(idat->head);
  idat->taken = 0;
  // libpng rejects invalid lengths.
  if (memcmp(idat->head + 4, "IDAT", 4) == 0 && length <= 0x7FFFFFFF) {
    idat->crc = crc32_gzip_refl(0, idat->head + 4, 4);
    idat->left = length;
    idat->state = length > 0 ? in_pixels : in_pixels_crc;
    if (!idat->has_begun) begin_pixels(idat, sink);
    return;
  }
  idat->left = (uint64_t)length + crc_size;
  idat->state = memcmp(idat->head + 4, "IEND", 4) == 0 ? in_end : in_other;
  sink.take(sink.context, idat->head, head_size, false);
}

/// Collects a few bytes; returns true if all are there.
static bool collect(png_idat *idat, uint8_t *into, uint32_t wanted, const uint8_t **bytes, size_t *count) {
  size_t piece = wanted - idat->taken;
  if (piece > *count) piece = *count;
  memcpy(into + idat->taken, *bytes, piece);
  idat->taken += (uint32_t)piece;
  *bytes += piece;
  *count -= piece;
  return idat->taken == wanted;
}

const char *png_idat_feed(png_idat *idat, const uint8_t *bytes, size_t count, png_idat_sink sink) {
  while (count > 0) {
    size_t piece = count;
    switch (idat->state) {
    case in_signature:
      if (piece > signature_size - idat->taken) piece = signature_size - idat->taken;
      idat->taken += (uint32_t)piece;
      if (idat->taken == signature_size) {
        idat->taken = 0;
        idat->state = in_head;
      }
      sink.take(sink.context, bytes, piece, false);
      break;
    case in_head:
      if (collect(idat, idat->head, head_size, &bytes, &count)) begin_chunk(idat, sink);
      continue;
    case in_other:
    case in_end:
      if (piece > idat->left) piece = (size_t)idat->left;
      idat->left -= piece;
      if (idat->left == 0) idat->state = idat->state == in_end ? over : in_head;
      sink.take(sink.context, bytes, piece, false);
      break;
    case in_pixels: {
      if (piece > idat->left) piece = (size_t)idat->left;
      idat->left -= piece;
      if (idat->left == 0) idat->state = in_pixels_crc;
      const char *problem = inflate_pixels(idat, bytes, (uint32_t)piece, idat->left == 0, sink);
      if (problem) return problem;
      break;
    }
    case over:
      // Data after the end of the image is ignored.
      return NULL;
    case in_pixels_crc:
      if (collect(idat, idat->stated_crc, crc_size, &bytes, &count)) {
        idat->taken = 0;
        idat->state = in_head;
        if (number(idat->stated_crc) != idat->crc) sink.note_checksum(sink.context, "IDAT: CRC error");
      }
      continue;
    }
    bytes += piece;
    count -= piece;
  }
  return NULL;
}

const char *png_idat_finish(png_idat *idat, png_idat_sink sink) {
  return inflate_held(idat, sink);
}
