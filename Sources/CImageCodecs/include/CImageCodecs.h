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

// MARK: - JPEG, by libjpeg-turbo and code of our own for the pixels of the usual kind

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
/// Before the start: has libjpeg read what our own code could as well, so that the two can be compared.
void codec_jpeg_decoder_leave_all_to_libjpeg(codec_jpeg_decoder *decoder);
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
/// ends the list. There are at most 2,048 of both. They are valid until the decoder is freed.
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
  /// With that: only across.
  bool keeps_chroma_rows;
  /// Huffman tables made to measure, which are so anyway when it is progressive.
  bool fits_tables;
  /// Four channels are inks, stored Adobe's way.
  bool is_cmyk;
  /// MCUs between restart markers; 0 for none.
  int restart_interval;
} codec_jpeg_encoding;

/// Makes a JPEG of rows without padding. `message` has CODEC_MESSAGE_SIZE bytes.
codec_result codec_jpeg_encode(
    const uint8_t *pixels, const codec_jpeg_encoding *encoding, codec_buffer *output, char *message);

// MARK: - PNG, by libpng

/// Reads one PNG from input that is given in pieces.
typedef struct codec_png_decoder codec_png_decoder;

typedef struct codec_png_header {
  uint32_t width, height;
  codec_colors colors;
  /// 1 or 2; samples of two bytes have the machine's order.
  int bytes_per_sample;
  bool is_interlaced;
  /// Valid until the decoder is freed; NULL without an iCCP chunk.
  const uint8_t *_Nullable profile;
  size_t profile_count;
  /// TIFF data; NULL without an eXIf chunk in front of the pixels.
  const uint8_t *_Nullable exif;
  size_t exif_count;
  /// What gAMA says, and 0 where there is none or where iCCP or sRGB overrule it.
  double gamma;
  /// White, red, green and blue as x and y; meaningless without `has_chromaticities`.
  double chromaticities[8];
  bool has_chromaticities;
} codec_png_header;

/// What the decoder calls while it is fed. Answering false ends the feeding with `codec_stopped`.
typedef struct codec_png_callbacks {
  void *context;
  /// Comes once, before memory is taken for pixels.
  bool (*begin)(void *context, const codec_png_header *header);
  /// Comes for each row, from the top, of an image that is not interlaced.
  bool (*take)(void *context, const uint8_t *row, size_t count);
} codec_png_callbacks;

/// NULL when there is no memory.
codec_png_decoder *_Nullable codec_png_decoder_make(void);
void codec_png_decoder_free(codec_png_decoder *decoder);
/// libpng's sentence on the failure.
const char *codec_png_decoder_message(const codec_png_decoder *decoder);
/// `codec_done` once the end of the image was read, `codec_needs_input` before.
codec_result codec_png_decoder_feed(
    codec_png_decoder *decoder, const uint8_t *bytes, size_t count, codec_png_callbacks callbacks);
/// True when all pixels were read.
bool codec_png_decoder_has_all_rows(const codec_png_decoder *decoder);
/// The pixels of an interlaced image as they are by now, without padding, and how many rows from the top have
/// anything in them; NULL for other images. Valid until the next call.
const uint8_t *_Nullable codec_png_decoder_pixels(const codec_png_decoder *decoder, uint32_t *rows);

typedef struct codec_png_encoding {
  uint32_t width, height;
  /// 1 grey, 3 RGB, 4 RGBA, of 8 bits each.
  int channels;
} codec_png_encoding;

/// Makes a PNG of rows without padding. `message` has CODEC_MESSAGE_SIZE bytes.
codec_result codec_png_encode(
    const uint8_t *pixels, const codec_png_encoding *encoding, codec_buffer *output, char *message);

// MARK: - Color, by Little CMS

/// An ICC profile.
typedef struct codec_color_profile codec_color_profile;
/// Turns rows in a profile's colors into sRGB.
typedef struct codec_color_transform codec_color_transform;

/// NULL when it is no profile, or not one for pixels of these colors.
codec_color_profile *_Nullable codec_color_profile_make(const uint8_t *bytes, size_t count, codec_colors colors);
void codec_color_profile_free(codec_color_profile *profile);
/// True when it is made of nothing but tone curves and, for RGB, a matrix.
bool codec_color_profile_is_curves(const codec_color_profile *profile);
/// A profile of curves: the linear light of `count` samples spread evenly from 0 to 1, of red, green or blue
/// (0 to 2; any for grey).
void codec_color_profile_sample(const codec_color_profile *profile, int channel, float *samples, size_t count);
/// A profile of curves: the nine numbers from linear RGB to XYZ under D50, row by row; false for grey.
bool codec_color_profile_matrix(const codec_color_profile *profile, double *matrix);

/// From pixels in the profile's colors to sRGB of 8 or 16 bits a sample; alpha goes along. NULL when the profile
/// does not allow it.
codec_color_transform *_Nullable codec_color_transform_make(
    const codec_color_profile *profile, codec_colors colors, int bytes_per_sample);
void codec_color_transform_free(codec_color_transform *transform);
void codec_color_transform_convert(
    const codec_color_transform *transform, const void *from, void *to, size_t pixels);

/// Makes an ICC profile of a gamma (what encoded samples are raised to, to be light) and chromaticities, of which
/// NULL means sRGB's; of grey where `colors` is.
codec_result codec_color_profile_write(
    double exponent, const double *_Nullable chromaticities, codec_colors colors, codec_buffer *output);

// MARK: - WebP, by libwebp

/// Reads the pixels of one WebP frame: an ALPH chunk perhaps, then a VP8 or VP8L chunk, all with their heads.
typedef struct codec_webp_decoder codec_webp_decoder;

/// NULL when there is no memory. `is_reduced` says that the pixels will be scaled down, so that chroma need not
/// be smoothed.
codec_webp_decoder *_Nullable codec_webp_decoder_make(bool has_alpha, bool is_reduced);
void codec_webp_decoder_free(codec_webp_decoder *decoder);
/// libwebp has no sentences; this is one for its status.
const char *codec_webp_decoder_message(const codec_webp_decoder *decoder);
/// Reads on in all bytes so far, which may have moved since the last call and stay valid until the next one or
/// the end. `codec_done` once all rows were read, `codec_needs_input` before.
codec_result codec_webp_decoder_update(codec_webp_decoder *decoder, const uint8_t *bytes, size_t count);
/// The pixels read so far, or NULL: `*rows` of them, from the top. Valid until the decoder is freed.
const uint8_t *_Nullable codec_webp_decoder_pixels(
    const codec_webp_decoder *decoder, uint32_t *width, uint32_t *rows, size_t *bytes_per_row);

typedef struct codec_webp_encoding {
  uint32_t width, height;
  /// 3 RGB or 4 RGBA.
  int channels;
  /// 0 to 100; without loss it is the effort.
  float quality;
  bool is_lossless;
} codec_webp_encoding;

/// Makes a WebP of rows without padding. `message` has CODEC_MESSAGE_SIZE bytes.
codec_result codec_webp_encode(
    const uint8_t *pixels, const codec_webp_encoding *encoding, codec_buffer *output, char *message);

// MARK: - GIF, by giflib

/// Reads the first frame of a GIF.
typedef struct codec_gif_decoder codec_gif_decoder;

typedef struct codec_gif_frame {
  uint32_t left, top, width, height;
  bool is_interlaced;
  /// Has a color that stands for none.
  bool has_transparency;
} codec_gif_frame;

/// The bytes from the start of the file have to stay valid as long as the decoder. NULL when there is no memory.
codec_gif_decoder *_Nullable codec_gif_decoder_make(const uint8_t *bytes, size_t count);
void codec_gif_decoder_free(codec_gif_decoder *decoder);
/// giflib's sentence on the failure.
const char *codec_gif_decoder_message(const codec_gif_decoder *decoder);
/// Reads up to the pixels of the first frame.
codec_result codec_gif_decoder_start(codec_gif_decoder *decoder, codec_gif_frame *frame);
/// Reads the next row as stored (an interlaced frame has another order): RGB, or RGBA where asked for.
/// `codec_needs_input` when the bytes end.
codec_result codec_gif_decoder_read_row(codec_gif_decoder *decoder, bool with_alpha, uint8_t *row);

#if defined(__clang__)
#pragma clang assume_nonnull end
#endif

#endif
