#include "jpeg_baseline.h"
#include "jpeg_errors.h"

#include <stdlib.h>
#include <string.h>

// A progressive image can have any number of scans. Each scan takes a pass over all its blocks, even if it contains
// almost no data. Ten to twenty scans are common.
enum { max_scans = 500, scans_always_allowed = 40 };
static const uint64_t max_blocks_in_scans = 100000000;
// libjpeg walks over all segments it has kept to add another. A file of 64 MiB has 1,024 segments of maximum length.
enum { max_segments = 2048 };
// The maximum number of different warnings that are kept.
enum { max_warnings = 8 };

typedef struct kept_warning {
  int code;
  bool is_harmless;
  char text[JMSG_LENGTH_MAX];
} kept_warning;

struct codec_jpeg_decoder {
  struct jpeg_decompress_struct image;
  jpeg_failure failure;
  struct jpeg_source_mgr source;
  /// Reads the pixels instead of libjpeg.
  jpeg_baseline *baseline;
  bool leaves_all_to_libjpeg;
  /// The number of bytes that libjpeg wants to skip and that have not arrived yet.
  size_t bytes_to_skip;
  /// CMYK samples are stored as 255 minus the ink, as Adobe does. Without Adobe's marker, browsers and other decoders assume
  /// it too.
  bool is_inverted;
  bool has_ended;
  bool has_synthetic_end;
  bool is_missing_data;
  uint32_t real_rows;
  uint32_t segments;
  uint64_t blocks_in_scans;
  unsigned warning_count;
  kept_warning warnings[max_warnings];
};

static codec_jpeg_decoder *decoder_of(j_common_ptr image) {
  return image->client_data;
}

static bool is_ignored(const struct jpeg_error_mgr *manager) {
  return manager->msg_code == JWRN_ADOBE_XFORM || manager->msg_code == JWRN_JFIF_MAJOR ||
         manager->msg_code == JWRN_JPEG_EOF;
}

/// Cameras add padding between segments and before the end, which does not affect the pixels. Before a restart marker,
/// extra data means lost blocks.
static bool is_harmless(const struct jpeg_error_mgr *manager) {
  return manager->msg_code == JWRN_EXTRANEOUS_DATA &&
         !(manager->msg_parm.i[1] >= 0xD0 && manager->msg_parm.i[1] <= 0xD7);
}

/// Keeps the first warning of each kind.
static void keep_warning(codec_jpeg_decoder *decoder, bool is_harmless) {
  struct jpeg_error_mgr *manager = &decoder->failure.manager;
  for (unsigned index = 0; index < decoder->warning_count; index++) {
    const kept_warning *kept = &decoder->warnings[index];
    if (kept->code == manager->msg_code && kept->is_harmless == is_harmless) return;
  }
  if (decoder->warning_count == max_warnings) return;
  kept_warning *warning = &decoder->warnings[decoder->warning_count++];
  warning->code = manager->msg_code;
  warning->is_harmless = is_harmless;
  manager->format_message((j_common_ptr)&decoder->image, warning->text);
}

/// Records that data is missing: the blocks of the current row and all later rows are invented.
static void note_missing_data(codec_jpeg_decoder *decoder) {
  const struct jpeg_decompress_struct *image = &decoder->image;
  if (decoder->is_missing_data) return;
  decoder->is_missing_data = true;
  // After the first scan, every row contains some data.
  if (image->input_scan_number > 1) return;
  uint64_t rows = decoder->baseline ? jpeg_baseline_mcu_rows(decoder->baseline) : image->input_iMCU_row;
  rows *= (uint64_t)image->max_v_samp_factor * (uint64_t)image->min_DCT_scaled_size;
  if (rows >= image->output_height) return;
  // If chroma is halved, the last row of real blocks is blended with invented blocks.
  if (rows > 0 && image->max_v_samp_factor > 1) rows -= 1;
  decoder->real_rows = (uint32_t)rows;
}

/// Counts a segment, which libjpeg reports after reading it. After the maximum, further segments are skipped.
static void count_segment(codec_jpeg_decoder *decoder, int marker) {
  if (marker != JPEG_APP0 + 1 && marker != JPEG_APP0 + 2) return;
  if (++decoder->segments != max_segments) return;
  jpeg_save_markers(&decoder->image, JPEG_APP0 + 1, 0);
  jpeg_save_markers(&decoder->image, JPEG_APP0 + 2, 0);
}

static void note_message(j_common_ptr common, int level) {
  codec_jpeg_decoder *decoder = decoder_of(common);
  if (level >= 0) {
    if (common->err->msg_code == JTRC_MISC_MARKER) count_segment(decoder, common->err->msg_parm.i[0]);
    return;
  }
  common->err->num_warnings++;
  if (is_ignored(common->err)) return;
  bool harmless = is_harmless(common->err);
  if (decoder->has_synthetic_end) {
    if (!harmless) note_missing_data(decoder);
    return;
  }
  keep_warning(decoder, harmless);
}

static void drop_message(j_common_ptr image) {
  (void)image;
}

static void ignore_image(j_decompress_ptr image) {
  (void)image;
}

static boolean fill_input(j_decompress_ptr image) {
  static const JOCTET end[2] = {0xFF, JPEG_EOI};
  codec_jpeg_decoder *decoder = decoder_of((j_common_ptr)image);
  if (!decoder->has_ended) return FALSE;
  decoder->has_synthetic_end = true;
  image->src->next_input_byte = end;
  image->src->bytes_in_buffer = sizeof end;
  return TRUE;
}

static void skip_input(j_decompress_ptr image, long count) {
  if (count <= 0) return;
  codec_jpeg_decoder *decoder = decoder_of((j_common_ptr)image);
  size_t wanted = (size_t)count;
  size_t now = wanted < image->src->bytes_in_buffer ? wanted : image->src->bytes_in_buffer;
  image->src->next_input_byte += now;
  image->src->bytes_in_buffer -= now;
  decoder->bytes_to_skip += wanted - now;
}

static bool create(codec_jpeg_decoder *decoder) {
  if (setjmp(decoder->failure.jump)) return false;
  jpeg_create_decompress(&decoder->image);
  jpeg_save_markers(&decoder->image, JPEG_APP0 + 1, 0xFFFF);
  jpeg_save_markers(&decoder->image, JPEG_APP0 + 2, 0xFFFF);
  return true;
}

codec_jpeg_decoder *codec_jpeg_decoder_make(void) {
  codec_jpeg_decoder *decoder = calloc(1, sizeof *decoder);
  if (!decoder) return NULL;
  decoder->image.err = jpeg_std_error(&decoder->failure.manager);
  decoder->failure.manager.error_exit = jpeg_failure_exit;
  decoder->failure.manager.emit_message = note_message;
  decoder->failure.manager.output_message = drop_message;
  decoder->image.client_data = decoder;
  if (!create(decoder)) {
    jpeg_destroy_decompress(&decoder->image);
    free(decoder);
    return NULL;
  }
  decoder->source.init_source = ignore_image;
  decoder->source.fill_input_buffer = fill_input;
  decoder->source.skip_input_data = skip_input;
  decoder->source.resync_to_restart = jpeg_resync_to_restart;
  decoder->source.term_source = ignore_image;
  decoder->image.src = &decoder->source;
  return decoder;
}

void codec_jpeg_decoder_free(codec_jpeg_decoder *decoder) {
  if (decoder->baseline) jpeg_baseline_free(decoder->baseline);
  jpeg_destroy_decompress(&decoder->image);
  free(decoder);
}

const char *codec_jpeg_decoder_message(const codec_jpeg_decoder *decoder) {
  return decoder->failure.message;
}

void codec_jpeg_decoder_leave_all_to_libjpeg(codec_jpeg_decoder *decoder) {
  decoder->leaves_all_to_libjpeg = true;
}

void codec_jpeg_decoder_attach_input(codec_jpeg_decoder *decoder, const uint8_t *bytes, size_t count) {
  size_t skipped = decoder->bytes_to_skip < count ? decoder->bytes_to_skip : count;
  decoder->bytes_to_skip -= skipped;
  decoder->source.next_input_byte = bytes + skipped;
  decoder->source.bytes_in_buffer = count - skipped;
}

size_t codec_jpeg_decoder_detach_input(codec_jpeg_decoder *decoder) {
  // The invented end is not part of the caller's input.
  size_t left = decoder->has_synthetic_end ? 0 : decoder->source.bytes_in_buffer;
  decoder->source.next_input_byte = NULL;
  decoder->source.bytes_in_buffer = 0;
  return left;
}

void codec_jpeg_decoder_end_input(codec_jpeg_decoder *decoder) {
  decoder->has_ended = true;
}

static codec_result fail(codec_jpeg_decoder *decoder, codec_result result, const char *message) {
  snprintf(decoder->failure.message, sizeof decoder->failure.message, "%s", message);
  return result;
}

codec_result codec_jpeg_decoder_read_header(codec_jpeg_decoder *decoder, codec_jpeg_header *header) {
  struct jpeg_decompress_struct *image = &decoder->image;
  if (setjmp(decoder->failure.jump)) {
    return jpeg_failure_name_feature(&decoder->failure, image) ? codec_unsupported
                                                               : jpeg_failure_result(&decoder->failure);
  }
  if (jpeg_read_header(image, TRUE) == JPEG_SUSPENDED) return codec_needs_input;
  // Segments between scans are not needed.
  jpeg_save_markers(image, JPEG_APP0 + 1, 0);
  jpeg_save_markers(image, JPEG_APP0 + 2, 0);

  // libjpeg cannot wait for input in the middle of arithmetic coding.
  if (image->arith_code) return fail(decoder, codec_unsupported, "arithmetic coding");
  switch (image->jpeg_color_space) {
    case JCS_GRAYSCALE:
      image->out_color_space = JCS_GRAYSCALE;
      header->colors = codec_grey;
      break;
    case JCS_RGB:
    case JCS_YCbCr:
      image->out_color_space = JCS_RGB;
      header->colors = codec_rgb;
      break;
    case JCS_CMYK:
    case JCS_YCCK:
      image->out_color_space = JCS_CMYK;
      header->colors = codec_cmyk;
      break;
    default:
      return fail(decoder, codec_unsupported, "its number of color components");
  }
  header->width = image->image_width;
  header->height = image->image_height;
  decoder->is_inverted = header->colors == codec_cmyk;
  header->is_buffered = jpeg_has_multiple_scans(image);
  header->coefficient_bytes = 0;
  for (int index = 0; index < image->num_components; index++) {
    const jpeg_component_info *component = &image->comp_info[index];
    header->coefficient_bytes +=
        (uint64_t)component->width_in_blocks * component->height_in_blocks * sizeof(JBLOCK);
  }
  return codec_done;
}

codec_jpeg_segment codec_jpeg_decoder_segment(
    const codec_jpeg_decoder *decoder, int application, size_t index) {
  for (jpeg_saved_marker_ptr saved = decoder->image.marker_list; saved; saved = saved->next) {
    if (saved->marker != JPEG_APP0 + application) continue;
    if (index-- == 0) return (codec_jpeg_segment){saved->data, saved->data_length};
  }
  return (codec_jpeg_segment){NULL, 0};
}

codec_result codec_jpeg_decoder_start(
    codec_jpeg_decoder *decoder, unsigned eighths, uint32_t *width, uint32_t *height) {
  struct jpeg_decompress_struct *image = &decoder->image;
  if (setjmp(decoder->failure.jump)) return jpeg_failure_result(&decoder->failure);
  image->scale_num = eighths;
  image->scale_denom = 8;
  image->buffered_image = jpeg_has_multiple_scans(image);
  if (!image->buffered_image && !decoder->leaves_all_to_libjpeg) {
    jpeg_calc_output_dimensions(image);
    decoder->baseline = jpeg_baseline_make(image, false);
  }
  // Neither path reads input here, so neither has to wait for it. A single scan is read together with its rows.
  if (!decoder->baseline && !jpeg_start_decompress(image)) return codec_needs_input;
  *width = image->output_width;
  *height = image->output_height;
  decoder->real_rows = image->output_height;
  return codec_done;
}

codec_result codec_jpeg_decoder_start_keeping_light(
    codec_jpeg_decoder *decoder, uint32_t *width, uint32_t *height) {
  struct jpeg_decompress_struct *image = &decoder->image;
  if (setjmp(decoder->failure.jump)) return jpeg_failure_result(&decoder->failure);
  if (decoder->leaves_all_to_libjpeg || jpeg_has_multiple_scans(image)) return codec_unsupported;
  image->scale_num = 2;
  image->scale_denom = 8;
  jpeg_calc_output_dimensions(image);
  decoder->baseline = jpeg_baseline_make(image, true);
  if (!decoder->baseline) return codec_unsupported;
  *width = image->output_width;
  *height = image->output_height;
  decoder->real_rows = image->output_height;
  return codec_done;
}

/// Counts the scan that has just begun; returns false if there are too many.
static bool allows_scan(codec_jpeg_decoder *decoder) {
  const struct jpeg_decompress_struct *image = &decoder->image;
  for (int index = 0; index < image->comps_in_scan; index++) {
    const jpeg_component_info *component = image->cur_comp_info[index];
    decoder->blocks_in_scans += (uint64_t)component->width_in_blocks * component->height_in_blocks;
  }
  if (image->input_scan_number > max_scans) return false;
  return image->input_scan_number <= scans_always_allowed || decoder->blocks_in_scans <= max_blocks_in_scans;
}

codec_result codec_jpeg_decoder_read_scans(codec_jpeg_decoder *decoder) {
  struct jpeg_decompress_struct *image = &decoder->image;
  if (setjmp(decoder->failure.jump)) return jpeg_failure_result(&decoder->failure);
  for (;;) {
    switch (jpeg_consume_input(image)) {
      case JPEG_SUSPENDED:
        return codec_needs_input;
      case JPEG_REACHED_EOI:
        return codec_done;
      case JPEG_REACHED_SOS:
        if (!allows_scan(decoder)) {
          snprintf(decoder->failure.message, sizeof decoder->failure.message,
              "The image has %d scans, which is too many for its size", image->input_scan_number);
          return codec_too_large;
        }
        break;
      default:
        break;
    }
  }
}

int codec_jpeg_decoder_complete_scans(const codec_jpeg_decoder *decoder) {
  return jpeg_input_complete((j_decompress_ptr)&decoder->image) ? decoder->image.input_scan_number
                                                                : decoder->image.input_scan_number - 1;
}

codec_result codec_jpeg_decoder_start_output(codec_jpeg_decoder *decoder) {
  if (setjmp(decoder->failure.jump)) return jpeg_failure_result(&decoder->failure);
  // The output of a complete scan never waits for input. It also uses the available part of the next scan.
  int scan = codec_jpeg_decoder_complete_scans(decoder);
  return jpeg_start_output(&decoder->image, scan) ? codec_done : codec_needs_input;
}

/// Returns whether the last error leaves everything that the output uses as it was. It does if a table or the header of a
/// scan is invalid. A second frame header, in contrast, changes the size and the number of components before it fails.
static bool keeps_output(const jpeg_failure *failure) {
  switch (failure->manager.msg_code) {
    case JERR_BAD_HUFF_TABLE:
    case JERR_NO_HUFF_TABLE:
    case JERR_DHT_INDEX:
    case JERR_DQT_INDEX:
    case JERR_NO_QUANT_TABLE:
    case JERR_BAD_LENGTH:
    case JERR_BAD_COMPONENT_ID:
    case JERR_BAD_PROGRESSION:
    case JERR_SOI_DUPLICATE:
    case JERR_UNKNOWN_MARKER:
      return true;
    default:
      return false;
  }
}

codec_result codec_jpeg_decoder_start_last_output(codec_jpeg_decoder *decoder) {
  struct jpeg_decompress_struct *image = &decoder->image;
  if (!keeps_output(&decoder->failure)) return codec_corrupt;
  if (setjmp(decoder->failure.jump)) return jpeg_failure_result(&decoder->failure);
  // libjpeg counts a scan from its header on. Between two scans, all rows of the last one were read.
  bool is_complete = image->input_iMCU_row >= image->total_iMCU_rows;
  int scan = is_complete ? image->input_scan_number : image->input_scan_number - 1;
  if (scan < 1) return codec_needs_input;
  // As if the next scan had begun. Otherwise libjpeg would wait for more of this one, to smooth the last rows.
  image->input_scan_number = scan + 1;
  return jpeg_start_output(image, scan) ? codec_done : codec_needs_input;
}

codec_result codec_jpeg_decoder_finish_output(codec_jpeg_decoder *decoder) {
  if (setjmp(decoder->failure.jump)) return jpeg_failure_result(&decoder->failure);
  return jpeg_finish_output(&decoder->image) ? codec_done : codec_needs_input;
}

static void invert(uint8_t *samples, size_t count) {
  for (size_t index = 0; index < count; index++) samples[index] = 255 - samples[index];
}

codec_result codec_jpeg_decoder_read_rows(
    codec_jpeg_decoder *decoder, uint8_t *rows, size_t bytes_per_row, size_t capacity, size_t *count) {
  struct jpeg_decompress_struct *image = &decoder->image;
  *count = 0;
  if (setjmp(decoder->failure.jump)) return jpeg_failure_result(&decoder->failure);
  if (decoder->baseline) {
    return jpeg_baseline_read_rows(decoder->baseline, rows, bytes_per_row, capacity, count);
  }
  while (*count < capacity && image->output_scanline < image->output_height) {
    JSAMPROW wanted[8];
    size_t left = capacity - *count;
    JDIMENSION batch = left < 8 ? (JDIMENSION)left : 8;
    for (JDIMENSION index = 0; index < batch; index++) {
      wanted[index] = rows + (*count + index) * bytes_per_row;
    }
    JDIMENSION read = jpeg_read_scanlines(image, wanted, batch);
    if (read == 0) return codec_needs_input;
    if (decoder->is_inverted) {
      for (JDIMENSION index = 0; index < read; index++) invert(wanted[index], (size_t)image->output_width * 4);
    }
    *count += read;
  }
  return codec_done;
}

uint32_t codec_jpeg_decoder_rows_left(const codec_jpeg_decoder *decoder) {
  if (decoder->baseline) return jpeg_baseline_rows_left(decoder->baseline);
  return decoder->image.output_height - decoder->image.output_scanline;
}

bool codec_jpeg_decoder_depends_on_pieces(const codec_jpeg_decoder *decoder) {
  return !decoder->baseline && !decoder->image.progressive_mode;
}

codec_warning codec_jpeg_decoder_warning(const codec_jpeg_decoder *decoder, size_t index) {
  if (index >= decoder->warning_count) return (codec_warning){NULL, false};
  const kept_warning *warning = &decoder->warnings[index];
  return (codec_warning){warning->text, warning->is_harmless};
}

bool codec_jpeg_decoder_is_truncated(const codec_jpeg_decoder *decoder) {
  if (!decoder->has_synthetic_end) return false;
  if (decoder->is_missing_data) return true;
  const struct jpeg_decompress_struct *image = &decoder->image;
  if (!image->coef_bits) return codec_jpeg_decoder_rows_left(decoder) > 0;
  // A missing end after the last scan does no harm: every coefficient has all its bits.
  for (int component = 0; component < image->num_components; component++) {
    for (int index = 0; index < DCTSIZE2; index++) {
      if (image->coef_bits[component][index] != 0) return true;
    }
  }
  return false;
}

uint32_t codec_jpeg_decoder_real_rows(const codec_jpeg_decoder *decoder) {
  return decoder->real_rows;
}
