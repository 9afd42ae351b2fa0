#include "jpeg_errors.h"

#include <stdlib.h>
#include <string.h>

typedef struct jpeg_encoder {
  struct jpeg_compress_struct image;
  jpeg_failure failure;
  struct jpeg_destination_mgr destination;
  codec_buffer output;
  size_t capacity;
  uint8_t *row;
} jpeg_encoder;

static void drop_message(j_common_ptr image) {
  (void)image;
}

static void start_output(j_compress_ptr image) {
  jpeg_encoder *encoder = image->client_data;
  encoder->destination.next_output_byte = encoder->output.bytes;
  encoder->destination.free_in_buffer = encoder->capacity;
}

static boolean grow_output(j_compress_ptr image) {
  jpeg_encoder *encoder = image->client_data;
  // libjpeg calls this function when the buffer is full, so all of its capacity is used.
  size_t used = encoder->capacity;
  uint8_t *grown = realloc(encoder->output.bytes, used * 2);
  if (!grown) ERREXIT1(image, JERR_OUT_OF_MEMORY, 0);
  encoder->output.bytes = grown;
  encoder->capacity = used * 2;
  encoder->destination.next_output_byte = grown + used;
  encoder->destination.free_in_buffer = encoder->capacity - used;
  return TRUE;
}

static void end_output(j_compress_ptr image) {
  jpeg_encoder *encoder = image->client_data;
  encoder->output.count = encoder->capacity - encoder->destination.free_in_buffer;
}

/// Draws straight alpha over white.
static void flatten(uint8_t *to, const uint8_t *from, uint32_t width) {
  for (uint32_t x = 0; x < width; x++, to += 3, from += 4) {
    unsigned alpha = from[3];
    for (int channel = 0; channel < 3; channel++) {
      unsigned sum = from[channel] * alpha + 255 * (255 - alpha) + 128;
      to[channel] = (uint8_t)((sum + (sum >> 8)) >> 8);
    }
  }
}

static void invert(uint8_t *to, const uint8_t *from, uint32_t width) {
  for (size_t index = 0; index < (size_t)width * 4; index++) to[index] = 255 - from[index];
}

// Quantization tables for a quality of 50, like those of the JPEG standard, but flatter. With r = √(u² + v²), where u and
// v are the frequencies from 0 to 7, they are 8.6 (1 + 6 (r / 7)^1.2) for luminance, and 17.2 (1 + r / 7) for chroma.
// How they were chosen: docs/resampling.md.
static const unsigned flat_luminance[DCTSIZE2] = {
  9, 14, 20, 27, 35, 43, 51, 60,
  14, 16, 22, 28, 36, 44, 52, 61,
  20, 22, 26, 32, 39, 46, 54, 63,
  27, 28, 32, 37, 43, 50, 58, 66,
  35, 36, 39, 43, 49, 55, 62, 70,
  43, 44, 46, 50, 55, 61, 67, 75,
  51, 52, 54, 58, 62, 67, 74, 80,
  60, 61, 63, 66, 70, 75, 80, 87,
};
static const unsigned flat_chroma[DCTSIZE2] = {
  17, 20, 22, 25, 27, 29, 32, 34,
  20, 21, 23, 25, 27, 30, 32, 35,
  22, 23, 24, 26, 28, 30, 33, 35,
  25, 25, 26, 28, 29, 32, 34, 36,
  27, 27, 28, 29, 31, 33, 35, 37,
  29, 30, 30, 32, 33, 35, 36, 38,
  32, 32, 33, 34, 35, 36, 38, 40,
  34, 35, 35, 36, 37, 38, 40, 42,
};

static void set_up(jpeg_encoder *encoder, const codec_jpeg_encoding *encoding) {
  struct jpeg_compress_struct *image = &encoder->image;
  bool is_grey = encoding->channels == 1;
  bool is_cmyk = encoding->channels == 4 && encoding->is_cmyk;
  image->image_width = encoding->width;
  image->image_height = encoding->height;
  image->input_components = is_grey ? 1 : is_cmyk ? 4 : 3;
  image->in_color_space = is_grey ? JCS_GRAYSCALE : is_cmyk ? JCS_CMYK : JCS_RGB;
  jpeg_set_defaults(image);
  jpeg_set_quality(image, encoding->quality, TRUE);
  if (encoding->uses_flat_tables && !is_cmyk) {
    int percent = jpeg_quality_scaling(encoding->quality);
    jpeg_add_quant_table(image, 0, flat_luminance, percent, TRUE);
    jpeg_add_quant_table(image, 1, flat_chroma, percent, TRUE);
  }
  if (!is_grey && !is_cmyk) {
    image->comp_info[0].h_samp_factor = encoding->halves_chroma ? 2 : 1;
    bool halves_vertically = encoding->halves_chroma && !encoding->halves_chroma_horizontally_only;
    image->comp_info[0].v_samp_factor = halves_vertically ? 2 : 1;
  }
  image->optimize_coding = encoding->optimizes_tables;
  image->restart_interval = (unsigned)encoding->restart_interval;
  if (encoding->is_progressive) jpeg_simple_progression(image);
}

static void write_rows(jpeg_encoder *encoder, const uint8_t *pixels, const codec_jpeg_encoding *encoding) {
  size_t bytes_per_row = (size_t)encoding->width * (size_t)encoding->channels;
  for (uint32_t y = 0; y < encoding->height; y++) {
    JSAMPROW row = (JSAMPROW)(pixels + y * bytes_per_row);
    if (encoder->row) {
      (encoding->is_cmyk ? invert : flatten)(encoder->row, row, encoding->width);
      row = encoder->row;
    }
    jpeg_write_scanlines(&encoder->image, &row, 1);
  }
}

static codec_result encode(
    jpeg_encoder *encoder, const uint8_t *pixels, const codec_jpeg_encoding *encoding) {
  if (setjmp(encoder->failure.jump)) return jpeg_failure_result(&encoder->failure);
  jpeg_create_compress(&encoder->image);
  encoder->image.dest = &encoder->destination;
  // The approximate size of a thumbnail at a common quality.
  encoder->capacity = 16384 + (size_t)encoding->width * encoding->height / 4;
  encoder->output.bytes = malloc(encoder->capacity);
  if (encoding->channels == 4) encoder->row = malloc((size_t)encoding->width * 4);
  if (!encoder->output.bytes || (encoding->channels == 4 && !encoder->row)) {
    ERREXIT1(&encoder->image, JERR_OUT_OF_MEMORY, 0);
  }
  set_up(encoder, encoding);
  jpeg_start_compress(&encoder->image, TRUE);
  write_rows(encoder, pixels, encoding);
  jpeg_finish_compress(&encoder->image);
  return codec_done;
}

codec_result codec_jpeg_encode(
    const uint8_t *pixels, const codec_jpeg_encoding *encoding, codec_buffer *output, char *message) {
  // On the heap: a local variable that changes between setjmp and longjmp is undefined afterward.
  jpeg_encoder *encoder = calloc(1, sizeof *encoder);
  if (!encoder) return codec_out_of_memory;
  encoder->image.err = jpeg_std_error(&encoder->failure.manager);
  encoder->failure.manager.error_exit = jpeg_failure_exit;
  encoder->failure.manager.output_message = drop_message;
  encoder->image.client_data = encoder;
  encoder->destination.init_destination = start_output;
  encoder->destination.empty_output_buffer = grow_output;
  encoder->destination.term_destination = end_output;
  codec_result result = encode(encoder, pixels, encoding);
  if (result == codec_done) {
    *output = encoder->output;
  } else {
    memcpy(message, encoder->failure.message, sizeof encoder->failure.message);
    free(encoder->output.bytes);
  }
  jpeg_destroy_compress(&encoder->image);
  free(encoder->row);
  free(encoder);
  return result;
}
