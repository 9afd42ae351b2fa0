#include "CCompression.h"

#include <brotli/encode.h>
#include <limits.h>
#include <stdlib.h>
#include <zlib.h>

uint8_t *ccompression_gzip(const uint8_t *bytes, size_t count, int level, size_t *result_count) {
  if (count > INT_MAX) return NULL;
  z_stream stream = {0};
  // 15 + 16: the largest window, "to write a simple gzip header and trailer around the compressed data".
  if (deflateInit2(&stream, level, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) != Z_OK) return NULL;
  uLong bound = deflateBound(&stream, (uLong)count);
  uint8_t *result = malloc(bound);
  int code = Z_MEM_ERROR;
  if (result) {
    stream.next_in = (Bytef *)bytes;
    stream.avail_in = (uInt)count;
    stream.next_out = result;
    stream.avail_out = (uInt)bound;
    code = deflate(&stream, Z_FINISH);
    *result_count = stream.total_out;
  }
  deflateEnd(&stream);
  if (code == Z_STREAM_END) return result;
  free(result);
  return NULL;
}

uint8_t *ccompression_brotli(const uint8_t *bytes, size_t count, int quality, size_t *result_count) {
  // "BrotliEncoderMaxCompressedSize": 0 if the size cannot be represented.
  size_t bound = BrotliEncoderMaxCompressedSize(count);
  uint8_t *result = bound > 0 ? malloc(bound) : NULL;
  if (!result) return NULL;
  *result_count = bound;
  if (BrotliEncoderCompress(quality, BROTLI_DEFAULT_WINDOW, BROTLI_MODE_TEXT, count, bytes, result_count, result)) {
    return result;
  }
  free(result);
  return NULL;
}

uint32_t ccompression_crc32(uint32_t checksum, const uint8_t *bytes, size_t count) {
  // Without bytes, crc32_z would return its initial value.
  return bytes ? (uint32_t)crc32_z(checksum, bytes, count) : checksum;
}
