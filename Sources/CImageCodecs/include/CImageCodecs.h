// The image libraries as Swift sees them: functions that report errors as values, since setjmp must stay in C.
#ifndef C_IMAGE_CODECS_H
#define C_IMAGE_CODECS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(__clang__)
#define CODEC_CLOSED __attribute__((enum_extensibility(closed)))
#pragma clang assume_nonnull begin
#else
#define CODEC_CLOSED
#define _Nullable
#endif

/// How a call ended. After any of the failures only the message and the freeing of the object are left.
typedef enum CODEC_CLOSED codec_result {
  codec_done,
  /// The input that was given is used up, and more is wanted.
  codec_needs_input,
  codec_corrupt,
  codec_unsupported,
  codec_too_large,
  codec_out_of_memory,
  /// A callback asked to stop.
  codec_stopped,
} codec_result;

/// What the samples of a row mean.
typedef enum CODEC_CLOSED codec_colors {
  codec_grey,
  codec_rgb,
  codec_rgba,
  codec_cmyk,
} codec_colors;

/// Bytes that an encoder made; the receiver frees them with `free`.
typedef struct codec_buffer {
  uint8_t *_Nullable bytes;
  size_t count;
} codec_buffer;

/// Room for a library's own message.
#define CODEC_MESSAGE_SIZE 200

// MARK: - JPEG, by libjpeg-turbo

/// Reads one JPEG from input that is given in pieces.
typedef struct codec_jpeg_decoder codec_jpeg_decoder;

typedef struct codec_jpeg_header {
  uint32_t width, height;
  codec_colors colors;
  /// The coefficients of the whole image are kept, and rows come once all scans were read.
  bool is_buffered;
  /// What the coefficients of a buffered image will take.
  uint64_t coefficient_bytes;
} codec_jpeg_header;

/// An APP1 or APP2 segment, without its marker and length.
typedef struct codec_jpeg_segment {
  const uint8_t *_Nullable bytes;
  size_t count;
} codec_jpeg_segment;

/// NULL when there is no memory.
codec_jpeg_decoder *_Nullable codec_jpeg_decoder_make(void);
void codec_jpeg_decoder_free(codec_jpeg_decoder *decoder);
/// libjpeg's sentence on the failure.
const char *codec_jpeg_decoder_message(const codec_jpeg_decoder *decoder);

/// Input for the calls that follow: what was left of the last input comes first in it. The bytes must stay
/// valid until `codec_jpeg_decoder_detach_input`.
void codec_jpeg_decoder_attach_input(codec_jpeg_decoder *decoder, const uint8_t *bytes, size_t count);
/// Ends the use of the input; the answer is how many of its last bytes must be given again.
size_t codec_jpeg_decoder_detach_input(codec_jpeg_decoder *decoder);
/// No input will follow what is attached: decoding goes on as if the image ended there.
void codec_jpeg_decoder_end_input(codec_jpeg_decoder *decoder);

codec_result codec_jpeg_decoder_read_header(codec_jpeg_decoder *decoder, codec_jpeg_header *header);
/// The segments seen before the first scan, of marker APP1 or APP2 (1 or 2) and in their order; an empty one
/// ends the list. They are valid until the decoder is freed.
codec_jpeg_segment codec_jpeg_decoder_segment(
    const codec_jpeg_decoder *decoder, int application, size_t index);

/// Takes memory for rows at `eighths`/8 of the size, and tells that size.
codec_result codec_jpeg_decoder_start(
    codec_jpeg_decoder *decoder, unsigned eighths, uint32_t *width, uint32_t *height);

/// Of a buffered image: reads scans until the input is used up (`codec_needs_input`) or the image ends.
codec_result codec_jpeg_decoder_read_scans(codec_jpeg_decoder *decoder);
/// Of a buffered image: how many scans were read to their end.
int codec_jpeg_decoder_complete_scans(const codec_jpeg_decoder *decoder);
/// Of a buffered image: begins rows of the scans so far, of which one must be complete.
codec_result codec_jpeg_decoder_start_output(codec_jpeg_decoder *decoder);
/// Of a buffered image: ends the rows that `codec_jpeg_decoder_start_output` began.
codec_result codec_jpeg_decoder_finish_output(codec_jpeg_decoder *decoder);

/// Reads up to `capacity` rows, `*count` in number. `codec_done` with fewer than `capacity` says that the last
/// row was read; `codec_needs_input` may come with rows.
codec_result codec_jpeg_decoder_read_rows(
    codec_jpeg_decoder *decoder, uint8_t *rows, size_t bytes_per_row, size_t capacity, size_t *count);

/// Rows of this output that are still to be read.
uint32_t codec_jpeg_decoder_rows_left(const codec_jpeg_decoder *decoder);

/// The first warning on data that are damaged, or NULL.
const char *_Nullable codec_jpeg_decoder_warning(const codec_jpeg_decoder *decoder);
/// True when the input ended before the image did, and something had to be made up for it.
bool codec_jpeg_decoder_is_truncated(const codec_jpeg_decoder *decoder);
/// Rows, at the scale that was started, that come wholly from the input. Meant for truncated images that are
/// not buffered.
uint32_t codec_jpeg_decoder_genuine_rows(const codec_jpeg_decoder *decoder);

typedef struct codec_jpeg_encoding {
  uint32_t width, height;
  /// 1 grey, 3 RGB, 4 RGBA (laid over white), or CMYK with `is_cmyk`.
  int channels;
  /// 1 to 100.
  int quality;
  bool is_progressive;
  /// Chroma at half the resolution in both directions.
  bool halves_chroma;
  /// Four channels are inks, stored Adobe's way.
  bool is_cmyk;
  /// MCUs between restart markers; 0 for none.
  int restart_interval;
} codec_jpeg_encoding;

/// Makes a JPEG of rows without padding. `message` has CODEC_MESSAGE_SIZE bytes.
codec_result codec_jpeg_encode(
    const uint8_t *pixels, const codec_jpeg_encoding *encoding, codec_buffer *output, char *message);

#if defined(__clang__)
#pragma clang assume_nonnull end
#endif

#endif
