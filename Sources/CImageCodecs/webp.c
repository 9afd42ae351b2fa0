#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <webp/decode.h>
#include <webp/encode.h>

#include "CImageCodecs.h"

struct codec_webp_decoder {
  WebPDecoderConfig config;
  WebPIDecoder *decoder;
  VP8StatusCode status;
};

codec_webp_decoder *codec_webp_decoder_make(bool has_alpha, bool is_reduced) {
  codec_webp_decoder *decoder = calloc(1, sizeof *decoder);
  if (!decoder) return NULL;
  if (WebPInitDecoderConfig(&decoder->config)) {
    decoder->config.output.colorspace = has_alpha ? MODE_RGBA : MODE_RGB;
    decoder->config.options.no_fancy_upsampling = is_reduced;
    decoder->decoder = WebPIDecode(NULL, 0, &decoder->config);
  }
  if (decoder->decoder) return decoder;
  free(decoder);
  return NULL;
}

void codec_webp_decoder_free(codec_webp_decoder *decoder) {
  WebPIDelete(decoder->decoder);
  WebPFreeDecBuffer(&decoder->config.output);
  free(decoder);
}

const char *codec_webp_decoder_message(const codec_webp_decoder *decoder) {
  switch (decoder->status) {
    case VP8_STATUS_OUT_OF_MEMORY:
      return "libwebp could not allocate memory";
    case VP8_STATUS_UNSUPPORTED_FEATURE:
      return "libwebp does not support a feature of the image";
    case VP8_STATUS_NOT_ENOUGH_DATA:
      return "libwebp found that data is missing";
    default:
      return "libwebp found an error in the bitstream";
  }
}

codec_result codec_webp_decoder_update(codec_webp_decoder *decoder, const uint8_t *bytes, size_t count) {
  decoder->status = WebPIUpdate(decoder->decoder, bytes, count);
  switch (decoder->status) {
    case VP8_STATUS_OK:
      return codec_done;
    case VP8_STATUS_SUSPENDED:
      return codec_needs_input;
    case VP8_STATUS_OUT_OF_MEMORY:
      return codec_out_of_memory;
    case VP8_STATUS_UNSUPPORTED_FEATURE:
      return codec_unsupported;
    default:
      return codec_corrupt;
  }
}

const uint8_t *codec_webp_decoder_pixels(
    const codec_webp_decoder *decoder, uint32_t *width, uint32_t *rows, size_t *bytes_per_row) {
  int last = 0;
  int columns = 0;
  int stride = 0;
  const uint8_t *pixels = WebPIDecGetRGB(decoder->decoder, &last, &columns, NULL, &stride);
  if (!pixels || last <= 0 || columns <= 0 || stride <= 0) return NULL;
  *width = (uint32_t)columns;
  *rows = (uint32_t)last;
  *bytes_per_row = (size_t)stride;
  return pixels;
}

typedef struct webp_output {
  codec_buffer buffer;
  size_t capacity;
} webp_output;

static int write_bytes(const uint8_t *bytes, size_t count, const WebPPicture *picture) {
  webp_output *output = picture->custom_ptr;
  size_t needed = output->buffer.count + count;
  if (needed > output->capacity) {
    size_t capacity = needed > output->capacity * 2 ? needed : output->capacity * 2;
    uint8_t *grown = realloc(output->buffer.bytes, capacity);
    if (!grown) return 0;
    output->buffer.bytes = grown;
    output->capacity = capacity;
  }
  memcpy(output->buffer.bytes + output->buffer.count, bytes, count);
  output->buffer.count = needed;
  return 1;
}

static bool encode(WebPPicture *picture, const uint8_t *pixels, const codec_webp_encoding *encoding) {
  WebPConfig config;
  if (!WebPConfigPreset(&config, WEBP_PRESET_DEFAULT, encoding->quality)) return false;
  config.lossless = encoding->is_lossless;
  picture->use_argb = encoding->is_lossless;
  picture->width = (int)encoding->width;
  picture->height = (int)encoding->height;
  int stride = (int)encoding->width * encoding->channels;
  int imported = encoding->channels == 4 ? WebPPictureImportRGBA(picture, pixels, stride)
                                         : WebPPictureImportRGB(picture, pixels, stride);
  return imported && WebPEncode(&config, picture);
}

codec_result codec_webp_encode(
    const uint8_t *pixels, const codec_webp_encoding *encoding, codec_buffer *output, char *message) {
  webp_output collected = {{NULL, 0}, 0};
  WebPPicture picture;
  if (!WebPPictureInit(&picture)) return codec_unsupported;
  picture.writer = write_bytes;
  picture.custom_ptr = &collected;
  bool is_done = encode(&picture, pixels, encoding);
  WebPEncodingError error = picture.error_code;
  WebPPictureFree(&picture);
  if (is_done) {
    *output = collected.buffer;
    return codec_done;
  }
  free(collected.buffer.bytes);
  snprintf(message, CODEC_MESSAGE_SIZE, "libwebp reported error %d", (int)error);
  bool lacks_memory = error == VP8_ENC_ERROR_OUT_OF_MEMORY || error == VP8_ENC_ERROR_BITSTREAM_OUT_OF_MEMORY ||
                      error == VP8_ENC_ERROR_BAD_WRITE;
  return lacks_memory ? codec_out_of_memory : codec_corrupt;
}
