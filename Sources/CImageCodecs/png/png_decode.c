#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <png.h>

#include "CImageCodecs.h"
#include "png_idat.h"

// The maximum number of warnings that are kept.
enum { max_warnings = 8 };

typedef struct kept_warning {
  bool is_harmless;
  char text[64];
} kept_warning;

struct codec_png_decoder {
  png_structp png;
  png_infop info;
  png_idat *idat;
  jmp_buf jump;
  codec_result failure;
  char message[CODEC_MESSAGE_SIZE];
  codec_png_callbacks callbacks;
  codec_png_header header;
  size_t bytes_per_row;
  /// The pixels of an interlaced image.
  uint8_t *pixels;
  uint32_t shown_rows;
  bool has_all_rows;
  bool has_ended;
  unsigned warning_count;
  kept_warning warnings[max_warnings];
};

static void keep_warning(codec_png_decoder *decoder, const char *text, bool is_harmless) {
  if (decoder->warning_count == max_warnings) return;
  for (unsigned index = 0; index < decoder->warning_count; index++) {
    if (strcmp(decoder->warnings[index].text, text) == 0) return;
  }
  kept_warning *warning = &decoder->warnings[decoder->warning_count++];
  snprintf(warning->text, sizeof warning->text, "%s", text);
  warning->is_harmless = is_harmless;
}

static _Noreturn void stop(codec_png_decoder *decoder, codec_result failure) {
  decoder->failure = failure;
  longjmp(decoder->jump, 1);
}

static _Noreturn void take_error(png_structp png, png_const_charp message) {
  codec_png_decoder *decoder = png_get_error_ptr(png);
  snprintf(decoder->message, sizeof decoder->message, "%s", message);
  stop(decoder, strstr(message, "memory") ? codec_out_of_memory : codec_corrupt);
}

/// Keeps warnings about checksums, which begin with the name of the chunk. libpng also warns about much that is common
/// and does no harm.
static void take_warning(png_structp png, png_const_charp message) {
  codec_png_decoder *decoder = png_get_error_ptr(png);
  if (!strstr(message, "CRC error")) return;
  bool affects_pixels = strncmp(message, "IHDR", 4) == 0 || strncmp(message, "PLTE", 4) == 0;
  keep_warning(decoder, message, !affects_pixels);
}

/// Converts all kinds of pixels to gray, RGB or RGBA with 8 or 16 bits per sample.
static void unify(codec_png_decoder *decoder) {
  png_structp png = decoder->png;
  codec_png_header *header = &decoder->header;
  int color = png_get_color_type(png, decoder->info);
  bool is_deep = png_get_bit_depth(png, decoder->info) == 16;
  bool has_alpha = (color & PNG_COLOR_MASK_ALPHA) || png_get_valid(png, decoder->info, PNG_INFO_tRNS);
  bool is_grey = !(color & PNG_COLOR_MASK_COLOR);
  png_set_expand(png);
  if (is_grey && has_alpha) png_set_gray_to_rgb(png);
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
  if (is_deep) png_set_swap(png);
#endif
  header->colors = has_alpha ? codec_rgba : is_grey ? codec_grey : codec_rgb;
  header->is_grey = is_grey;
  header->bytes_per_sample = is_deep ? 2 : 1;
  header->is_interlaced = png_set_interlace_handling(png) > 1;
}

static void describe_colors(codec_png_decoder *decoder) {
  codec_png_header *header = &decoder->header;
  png_charp name;
  int compression;
  png_bytep profile;
  png_uint_32 count;
  if (png_get_iCCP(decoder->png, decoder->info, &name, &compression, &profile, &count)) {
    header->profile = profile;
    header->profile_count = count;
    return;
  }
  if (png_get_valid(decoder->png, decoder->info, PNG_INFO_sRGB)) return;
  png_get_gAMA(decoder->png, decoder->info, &header->gamma);
  double *xy = header->chromaticities;
  header->has_chromaticities = png_get_cHRM(
      decoder->png, decoder->info, &xy[0], &xy[1], &xy[2], &xy[3], &xy[4], &xy[5], &xy[6], &xy[7]);
}

static void take_info(png_structp png, png_infop info) {
  codec_png_decoder *decoder = png_get_progressive_ptr(png);
  codec_png_header *header = &decoder->header;
  header->width = png_get_image_width(png, info);
  header->height = png_get_image_height(png, info);
  unify(decoder);
  describe_colors(decoder);
  if (!decoder->callbacks.begin(decoder->callbacks.context, header)) stop(decoder, codec_stopped);

  png_read_update_info(png, info);
  decoder->bytes_per_row = png_get_rowbytes(png, info);
  size_t channels = header->colors == codec_grey ? 1 : header->colors == codec_rgb ? 3 : 4;
  if (decoder->bytes_per_row != channels * (size_t)header->bytes_per_sample * header->width) {
    png_error(png, "Rows have an unexpected length");
  }
  if (!header->is_interlaced) return;
  decoder->pixels = calloc(header->height, decoder->bytes_per_row);
  if (!decoder->pixels) stop(decoder, codec_out_of_memory);
}

/// The last pixels are those of the odd rows. If there is only one row, they are its odd pixels.
static bool is_last(const codec_png_header *header, uint32_t y, int pass) {
  if (header->height == 1) return pass == (header->width == 1 ? 0 : 5);
  return pass == 6 && y == (header->height - 1 - header->height % 2);
}

static void take_row(png_structp png, png_bytep row, png_uint_32 y, int pass) {
  codec_png_decoder *decoder = png_get_progressive_ptr(png);
  uint32_t height = decoder->header.height;
  if (y >= height) return;
  if (!decoder->header.is_interlaced) {
    if (y == height - 1) decoder->has_all_rows = true;
    if (row && !decoder->callbacks.take(decoder->callbacks.context, row, decoder->bytes_per_row)) {
      stop(decoder, codec_stopped);
    }
    return;
  }
  if (row) png_progressive_combine_row(png, decoder->pixels + y * decoder->bytes_per_row, row);
  if (pass > 0) {
    decoder->shown_rows = height;
  } else if (y >= decoder->shown_rows) {
    decoder->shown_rows = y + 1;
  }
  if (row && is_last(&decoder->header, y, pass)) decoder->has_all_rows = true;
}

static void take_end(png_structp png, png_infop info) {
  (void)info;
  codec_png_decoder *decoder = png_get_progressive_ptr(png);
  decoder->has_ended = true;
}

static void pass_on(void *context, const uint8_t *bytes, size_t count, bool is_checked) {
  codec_png_decoder *decoder = context;
  // Chunks whose checksum is wrong are used if the pixels cannot be read without them, and ignored otherwise.
  png_set_crc_action(
      decoder->png, is_checked ? PNG_CRC_QUIET_USE : PNG_CRC_WARN_USE, PNG_CRC_NO_CHANGE);
  png_process_data(decoder->png, decoder->info, (png_bytep)bytes, count);
}

static bool set_up(codec_png_decoder *decoder) {
  // Chunks that are not used, or that others read; some of them are compressed.
  static const png_byte ignored[] =
      "bKGD\0eXIf\0hIST\0iTXt\0oFFs\0pCAL\0pHYs\0sCAL\0sPLT\0sTER\0tEXt\0tIME\0zTXt\0acTL\0fcTL\0fdAT";
  decoder->png =
      png_create_read_struct(PNG_LIBPNG_VER_STRING, decoder, take_error, take_warning);
  decoder->idat = png_idat_make();
  if (!decoder->png || !decoder->idat) return false;
  if (setjmp(decoder->jump)) return false;
  decoder->info = png_create_info_struct(decoder->png);
  if (!decoder->info) return false;
  png_set_keep_unknown_chunks(
      decoder->png, PNG_HANDLE_CHUNK_NEVER, ignored, (int)(sizeof ignored / 5));
  // The receiver of the header limits the size. libpng's own limit is lower than what libpng supports.
  png_set_user_limits(decoder->png, PNG_UINT_31_MAX, PNG_UINT_31_MAX);
  png_set_chunk_cache_max(decoder->png, 8);
  png_set_chunk_malloc_max(decoder->png, 8 << 20);
  png_set_progressive_read_fn(decoder->png, decoder, take_info, take_row, take_end);
  return true;
}

codec_png_decoder *codec_png_decoder_make(void) {
  codec_png_decoder *decoder = calloc(1, sizeof *decoder);
  if (!decoder) return NULL;
  if (set_up(decoder)) return decoder;
  codec_png_decoder_free(decoder);
  return NULL;
}

void codec_png_decoder_free(codec_png_decoder *decoder) {
  png_destroy_read_struct(&decoder->png, &decoder->info, NULL);
  png_idat_free(decoder->idat);
  free(decoder->pixels);
  free(decoder);
}

const char *codec_png_decoder_message(const codec_png_decoder *decoder) {
  return decoder->message;
}

static void note_checksum(void *context, const char *problem) {
  keep_warning(context, problem, false);
}

static codec_result result_of(codec_png_decoder *decoder, const char *problem) {
  if (!problem) return decoder->has_ended ? codec_done : codec_needs_input;
  snprintf(decoder->message, sizeof decoder->message, "%s", problem);
  return codec_corrupt;
}

codec_result codec_png_decoder_feed(
    codec_png_decoder *decoder, const uint8_t *bytes, size_t count, codec_png_callbacks callbacks) {
  decoder->callbacks = callbacks;
  if (setjmp(decoder->jump)) return decoder->failure;
  if (decoder->has_ended) return codec_done;
  png_idat_sink sink = {decoder, pass_on, note_checksum, &decoder->has_all_rows};
  return result_of(decoder, png_idat_feed(decoder->idat, bytes, count, sink));
}

codec_result codec_png_decoder_finish(codec_png_decoder *decoder, codec_png_callbacks callbacks) {
  decoder->callbacks = callbacks;
  if (setjmp(decoder->jump)) return decoder->failure;
  png_idat_sink sink = {decoder, pass_on, note_checksum, &decoder->has_all_rows};
  return result_of(decoder, png_idat_finish(decoder->idat, sink));
}

codec_warning codec_png_decoder_warning(const codec_png_decoder *decoder, size_t index) {
  if (index >= decoder->warning_count) return (codec_warning){NULL, false};
  return (codec_warning){decoder->warnings[index].text, decoder->warnings[index].is_harmless};
}

bool codec_png_decoder_has_all_rows(const codec_png_decoder *decoder) {
  return decoder->has_all_rows;
}

const uint8_t *codec_png_decoder_pixels(const codec_png_decoder *decoder, uint32_t *rows) {
  *rows = decoder->shown_rows;
  return decoder->pixels;
}
