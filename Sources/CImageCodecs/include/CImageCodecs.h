// The image libraries for Swift: functions that return errors as values, because setjmp must stay in C.
#ifndef C_IMAGE_CODECS_H
#define C_IMAGE_CODECS_H

#if defined(__linux__) && !(__has_include(<jpeglib.h>) && __has_include(<png.h>) && __has_include(<isa-l.h>) && \
  __has_include(<webp/decode.h>) && __has_include(<lcms2.h>))
#error RetrieverImages needs libraries: apt-get install libjpeg-dev libpng-dev libisal-dev libwebp-dev liblcms2-dev
#endif

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(__clang__)
#define CODEC_CLOSED __attribute__((enum_extensibility(closed)))
#pragma clang assume_nonnull begin
#else
#define CODEC_CLOSED
#define _Nullable
#define _Nonnull
#endif

/// The result of a call. After a failure, the object may only be freed, or asked for its message.
typedef enum CODEC_CLOSED codec_result {
  codec_done,
  /// The input is used up, and more is needed.
  codec_needs_input,
  codec_corrupt,
  codec_unsupported,
  codec_too_large,
  codec_out_of_memory,
  /// A callback requested to stop.
  codec_stopped,
} codec_result;

/// The meaning of the samples in a row.
typedef enum CODEC_CLOSED codec_colors {
  codec_grey,
  codec_rgb,
  codec_rgba,
  codec_cmyk,
} codec_colors;

/// Bytes that an encoder allocated; the receiver frees them with `free`.
typedef struct codec_buffer {
  uint8_t *_Nullable bytes;
  size_t count;
} codec_buffer;

/// The size of the buffer for a library's message.
#define CODEC_MESSAGE_SIZE 200

/// A message about damage that did not end the decoding.
typedef struct codec_warning {
  /// NULL after the last warning.
  const char *_Nullable text;
  /// The damage does not affect the pixels.
  bool is_harmless;
} codec_warning;

// MARK: - JPEG, by libjpeg-turbo, and by our own code for the most common kind of pixels

/// Reads one JPEG from input that arrives in pieces.
typedef struct codec_jpeg_decoder codec_jpeg_decoder;

typedef struct codec_jpeg_header {
  uint32_t width, height;
  codec_colors colors;
  /// The coefficients of the complete image are kept, and rows are available after all scans were read.
  bool is_buffered;
  /// The size of the coefficients of a buffered image.
  uint64_t coefficient_bytes;
} codec_jpeg_header;

/// An APP1 or APP2 segment, without its marker and length.
typedef struct codec_jpeg_segment {
  const uint8_t *_Nullable bytes;
  size_t count;
} codec_jpeg_segment;

/// Returns NULL if memory cannot be allocated.
codec_jpeg_decoder *_Nullable codec_jpeg_decoder_make(void);
void codec_jpeg_decoder_free(codec_jpeg_decoder *decoder);
/// Makes libjpeg decode all images, so that its results can be compared with our own code's. Call this before the
/// start.
void codec_jpeg_decoder_leave_all_to_libjpeg(codec_jpeg_decoder *decoder);
/// Returns libjpeg's error message.
const char *codec_jpeg_decoder_message(const codec_jpeg_decoder *decoder);

/// Sets the input for the following calls. It must begin with the bytes that were left of the last input. The bytes
/// must stay valid until `codec_jpeg_decoder_detach_input`.
void codec_jpeg_decoder_attach_input(codec_jpeg_decoder *decoder, const uint8_t *bytes, size_t count);
/// Ends the use of the input. Returns the number of bytes at its end that must be passed again.
size_t codec_jpeg_decoder_detach_input(codec_jpeg_decoder *decoder);
/// Declares that no more input follows. Decoding continues as if the image ended there.
void codec_jpeg_decoder_end_input(codec_jpeg_decoder *decoder);

codec_result codec_jpeg_decoder_read_header(codec_jpeg_decoder *decoder, codec_jpeg_header *header);
/// Returns a segment that was read before the first scan, by its marker (1 for APP1, 2 for APP2) and its index. An
/// empty segment ends the list. There are at most 2,048 segments in total. They are valid until the decoder is freed.
codec_jpeg_segment codec_jpeg_decoder_segment(
    const codec_jpeg_decoder *decoder, int application, size_t index);

/// Allocates memory for rows at `eighths`/8 of the size, and returns that size.
codec_result codec_jpeg_decoder_start(
    codec_jpeg_decoder *decoder, unsigned eighths, uint32_t *width, uint32_t *height);

/// Like `codec_jpeg_decoder_start` at 2/8, but the rows have the mean light of the pixels that they stand for instead of
/// the mean of the encoded values. Returns `codec_unsupported` for kinds of images that only libjpeg decodes; then
/// `codec_jpeg_decoder_start` can be called.
codec_result codec_jpeg_decoder_start_keeping_light(
    codec_jpeg_decoder *decoder, uint32_t *width, uint32_t *height);

/// For a buffered image: reads scans until the input is used up (`codec_needs_input`) or the image ends.
codec_result codec_jpeg_decoder_read_scans(codec_jpeg_decoder *decoder);
/// For a buffered image: returns the number of complete scans.
int codec_jpeg_decoder_complete_scans(const codec_jpeg_decoder *decoder);
/// For a buffered image: starts to output rows of the scans so far, of which at least one must be complete.
codec_result codec_jpeg_decoder_start_output(codec_jpeg_decoder *decoder);
/// For a buffered image: ends the output that `codec_jpeg_decoder_start_output` started.
codec_result codec_jpeg_decoder_finish_output(codec_jpeg_decoder *decoder);
/// For a buffered image of which reading a scan has failed: starts to output rows of the scans before, after which no more
/// scans are read. Returns `codec_needs_input` if no scan is complete, and `codec_corrupt` if the failure makes that unsafe.
codec_result codec_jpeg_decoder_start_last_output(codec_jpeg_decoder *decoder);

/// Reads up to `capacity` rows and sets `*count` to their number. `codec_done` with fewer rows than `capacity` means
/// that the last row was read. `codec_needs_input` may also return rows.
codec_result codec_jpeg_decoder_read_rows(
    codec_jpeg_decoder *decoder, uint8_t *rows, size_t bytes_per_row, size_t capacity, size_t *count);

/// Returns the number of rows of this output that remain to be read.
uint32_t codec_jpeg_decoder_rows_left(const codec_jpeg_decoder *decoder);

/// Returns true if the result for damaged data depends on the number of bytes that are available in one piece, so that
/// the pieces must always end at the same positions.
bool codec_jpeg_decoder_depends_on_pieces(const codec_jpeg_decoder *decoder);

/// Returns the warning about damaged data with an index. There is at most one of each kind.
codec_warning codec_jpeg_decoder_warning(const codec_jpeg_decoder *decoder, size_t index);
/// Returns true if the input ended before the image did, so that part of the image was invented.
bool codec_jpeg_decoder_is_truncated(const codec_jpeg_decoder *decoder);
/// Returns the number of rows, at the current scale, that contain only data from the input. Use it for truncated
/// images that are not buffered.
uint32_t codec_jpeg_decoder_real_rows(const codec_jpeg_decoder *decoder);

typedef struct codec_jpeg_encoding {
  uint32_t width, height;
  /// 1 for gray, 3 for RGB, 4 for RGBA (drawn over white), or 4 for CMYK with `is_cmyk`.
  int channels;
  /// 1 to 100.
  int quality;
  bool is_progressive;
  /// Chroma has half the resolution in both directions.
  bool halves_chroma;
  /// With `halves_chroma`: chroma has half the resolution only horizontally.
  bool halves_chroma_horizontally_only;
  /// Quantization tables that keep more colour and more fine detail than those of the JPEG standard, for files of the
  /// same size. Not for CMYK.
  bool uses_flat_tables;
  /// Optimized Huffman tables, which a progressive image always has.
  bool optimizes_tables;
  /// The four channels are inks, stored inverted as Adobe does.
  bool is_cmyk;
  /// The number of MCUs between restart markers; 0 for none.
  int restart_interval;
} codec_jpeg_encoding;

/// Encodes rows without padding as a JPEG. `message` has CODEC_MESSAGE_SIZE bytes.
codec_result codec_jpeg_encode(
    const uint8_t *pixels, const codec_jpeg_encoding *encoding, codec_buffer *output, char *message);

// MARK: - PNG, by libpng

/// Reads one PNG from input that arrives in pieces.
typedef struct codec_png_decoder codec_png_decoder;

typedef struct codec_png_header {
  uint32_t width, height;
  codec_colors colors;
  /// 1 or 2. Samples of two bytes have the machine's byte order.
  int bytes_per_sample;
  bool is_interlaced;
  /// All pixels are gray, even if `colors` is RGBA.
  bool is_grey;
  /// Valid until the decoder is freed; NULL without an iCCP chunk.
  const uint8_t *_Nullable profile;
  size_t profile_count;
  /// The value of the gAMA chunk; 0 if there is none, or if iCCP or sRGB overrides it.
  double gamma;
  /// White, red, green and blue as x and y. Only valid with `has_chromaticities`.
  double chromaticities[8];
  bool has_chromaticities;
} codec_png_header;

/// The functions that the decoder calls while it reads. If one returns false, reading ends with `codec_stopped`.
typedef struct codec_png_callbacks {
  void *context;
  /// Called once, before memory is allocated for pixels.
  bool (*begin)(void *context, const codec_png_header *header);
  /// Called for each row, from the top, unless the image is interlaced.
  bool (*take)(void *context, const uint8_t *row, size_t count);
} codec_png_callbacks;

/// Returns NULL if memory cannot be allocated.
codec_png_decoder *_Nullable codec_png_decoder_make(void);
void codec_png_decoder_free(codec_png_decoder *decoder);
/// Returns libpng's error message.
const char *codec_png_decoder_message(const codec_png_decoder *decoder);
/// Returns `codec_done` after the end of the image was read, and `codec_needs_input` before.
codec_result codec_png_decoder_feed(
    codec_png_decoder *decoder, const uint8_t *bytes, size_t count, codec_png_callbacks callbacks);
/// Ends the input: reads the pixels that were held back.
codec_result codec_png_decoder_finish(codec_png_decoder *decoder, codec_png_callbacks callbacks);
/// Returns the warning about damaged data with an index.
codec_warning codec_png_decoder_warning(const codec_png_decoder *decoder, size_t index);
/// Returns true if all pixels were read.
bool codec_png_decoder_has_all_rows(const codec_png_decoder *decoder);
/// Returns the pixels of an interlaced image as decoded so far, without padding; NULL for other images. `*rows` is the
/// number of rows, from the top, that contain pixels. The result is valid until the next call.
const uint8_t *_Nullable codec_png_decoder_pixels(const codec_png_decoder *decoder, uint32_t *rows);

typedef struct codec_png_encoding {
  uint32_t width, height;
  /// 1 for gray, 3 for RGB, 4 for RGBA, with 8 bits each.
  int channels;
} codec_png_encoding;

/// Encodes rows without padding as a PNG. `message` has CODEC_MESSAGE_SIZE bytes.
codec_result codec_png_encode(
    const uint8_t *pixels, const codec_png_encoding *encoding, codec_buffer *output, char *message);

/// Inflates a complete zlib stream, such as a compressed text. Fails with `codec_too_large` if the result has more than
/// `maximum` bytes, and with `codec_needs_input` if the stream is incomplete.
codec_result codec_inflate(const uint8_t *bytes, size_t count, size_t maximum, codec_buffer *output);
/// Inflates the first `wanted` bytes of a zlib stream. `is_all` becomes true if the bytes are such a stream and nothing else.
codec_result codec_inflate_start(
    const uint8_t *bytes, size_t count, size_t wanted, codec_buffer *output, bool *is_all);
/// Returns the CRC-32 of bytes, as PNG chunks contain it.
uint32_t codec_crc32(const uint8_t *bytes, size_t count);

// MARK: - Color, by Little CMS

/// An ICC profile.
typedef struct codec_color_profile codec_color_profile;
/// Converts rows from a profile's colors to sRGB.
typedef struct codec_color_transform codec_color_transform;

/// Returns NULL if the data is not a valid profile, or not a profile for pixels of these colors.
codec_color_profile *_Nullable codec_color_profile_make(const uint8_t *bytes, size_t count, codec_colors colors);
void codec_color_profile_free(codec_color_profile *profile);
/// Returns true if the profile contains only tone curves and, for RGB, a matrix.
bool codec_color_profile_is_curves(const codec_color_profile *profile);
/// For a profile with curves: computes the linear light of `count` samples that are spread evenly from 0 to 1.
/// `channel` is 0, 1 or 2 for red, green or blue; any value for gray.
void codec_color_profile_sample(const codec_color_profile *profile, int channel, float *samples, size_t count);
/// For a profile with curves: returns the matrix from linear RGB to XYZ (D50), row by row; false for gray.
bool codec_color_profile_matrix(const codec_color_profile *profile, double *matrix);

/// Creates a transform from pixels in the profile's colors to sRGB with 8 or 16 bits per sample. Alpha is copied.
/// Returns NULL if the profile does not support it.
codec_color_transform *_Nullable codec_color_transform_make(
    const codec_color_profile *profile, codec_colors colors, int bytes_per_sample);
void codec_color_transform_free(codec_color_transform *transform);
void codec_color_transform_convert(
    const codec_color_transform *transform, const void *from, void *to, size_t pixels);

/// Creates an ICC profile from a curve, as samples of the light from 0 to 1 (sRGB's curve if `count` is 0), and
/// chromaticities: white, red, green and blue as x and y.
codec_result codec_color_profile_write_curve(
    const float *_Nullable light, size_t count, const double *chromaticities, codec_colors colors,
    codec_buffer *output);

/// Creates an ICC profile from a gamma (the exponent from encoded samples to light) and chromaticities (NULL for those
/// of sRGB). The profile is for gray if `colors` is.
codec_result codec_color_profile_write(
    double exponent, const double *_Nullable chromaticities, codec_colors colors, codec_buffer *output);

// MARK: - WebP, by libwebp

/// Reads the pixels of one WebP frame: an optional ALPH chunk, then a VP8 or VP8L chunk, with their chunk headers.
typedef struct codec_webp_decoder codec_webp_decoder;

/// Returns NULL if memory cannot be allocated. With `is_reduced`, the pixels will be scaled down, so that chroma need
/// not be smoothed.
codec_webp_decoder *_Nullable codec_webp_decoder_make(bool has_alpha, bool is_reduced);
void codec_webp_decoder_free(codec_webp_decoder *decoder);
/// Returns a message for libwebp's status, because libwebp has none.
const char *codec_webp_decoder_message(const codec_webp_decoder *decoder);
/// Continues to read, with all bytes so far. They may have moved since the last call, and must stay valid until the
/// next call or the end. Returns `codec_done` after all rows were read, and `codec_needs_input` before.
codec_result codec_webp_decoder_update(codec_webp_decoder *decoder, const uint8_t *bytes, size_t count);
/// Returns the pixels read so far, or NULL. They have `*rows` rows, from the top, and are valid until the decoder is
/// freed.
const uint8_t *_Nullable codec_webp_decoder_pixels(
    const codec_webp_decoder *decoder, uint32_t *width, uint32_t *rows, size_t *bytes_per_row);

typedef struct codec_webp_encoding {
  uint32_t width, height;
  /// 3 for RGB, 4 for RGBA.
  int channels;
  /// The quality from 0 to 100; for lossless images, the effort.
  float quality;
  bool is_lossless;
} codec_webp_encoding;

/// Encodes rows without padding as a WebP. `message` has CODEC_MESSAGE_SIZE bytes.
codec_result codec_webp_encode(
    const uint8_t *pixels, const codec_webp_encoding *encoding, codec_buffer *output, char *message);

// MARK: - GIF

/// Decodes the pixels of one frame, which are compressed with LZW. Its memory does not depend on the image.
typedef struct codec_gif_lzw codec_gif_lzw;

typedef struct codec_gif_progress {
  size_t consumed, written;
  /// The end code was read.
  bool has_ended;
  /// A code was not valid. It was skipped, or treated as the next code.
  bool is_damaged;
} codec_gif_progress;

/// Creates a decoder for codes whose minimum size is `code_size` bits, at most 11. Returns NULL for other sizes, or if
/// memory cannot be allocated.
codec_gif_lzw *_Nullable codec_gif_lzw_make(unsigned code_size);
void codec_gif_lzw_free(codec_gif_lzw *lzw);
/// Reads bytes and writes the indices of pixels, until there are no more bytes, there is no more room, or the pixels end.
codec_gif_progress codec_gif_lzw_read(
    codec_gif_lzw *lzw, const uint8_t *bytes, size_t count, uint8_t *indices, size_t capacity);
/// Writes the colors of indices, as RGB or RGBA. `colors` has 256 entries of four bytes.
void codec_gif_color_row(
    const uint8_t *colors, const uint8_t *indices, size_t count, bool with_alpha, uint8_t *row);

// MARK: - Tiles of HEIC and AVIF images, by libde265 and dav1d

/// The coding of a tile. The library is loaded with the first tile that needs it.
typedef enum CODEC_CLOSED codec_tile_coding {
  /// HEVC, by libde265.
  codec_hevc,
  /// AV1, by dav1d.
  codec_av1,
} codec_tile_coding;

/// Decodes one tile, and then holds its pixels.
typedef struct codec_tile codec_tile;

/// The pixels of a tile: luma and chroma. Samples have one byte, or two with the machine's byte order if `depth` is
/// more than 8.
typedef struct codec_tile_planes {
  /// The chroma planes are NULL in a monochrome picture.
  const uint8_t *_Nullable samples[3];
  size_t bytes_per_row[3];
  uint32_t width, height;
  /// The bits of a sample.
  int depth;
  /// 1 if chroma has half of luma's resolution in this direction.
  int horizontal_shift, vertical_shift;
  /// The matrix coefficients (as ITU-T H.273 numbers them) and the range that the coded data declares.
  int matrix;
  bool is_full_range;
} codec_tile_planes;

/// Returns true if the library was found.
bool codec_tile_library_is_available(codec_tile_coding coding);
/// Returns the number in the name of dav1d's library that this build needs; 0 if it was built without dav1d.
int codec_tile_av1_library_number(void);
/// Creates a decoder for one tile of at most `maximum_pixels`. HEVC does not check the maximum: the caller has to check
/// the sizes in the parameter sets. Returns `codec_unsupported` without the library.
codec_result codec_tile_make(
    codec_tile_coding coding, uint64_t maximum_pixels, codec_tile *_Nullable *_Nonnull tile);
/// Passes data: a NAL unit without its length, or all OBUs of an AV1 tile.
codec_result codec_tile_push(codec_tile *tile, const uint8_t *bytes, size_t count);
/// Ends the data and decodes the picture. The planes are valid until the tile is freed.
codec_result codec_tile_finish(codec_tile *tile, codec_tile_planes *planes);
/// Returns the reason of the last failure.
const char *codec_tile_message(const codec_tile *tile);
void codec_tile_free(codec_tile *tile);

/// The way from luma and chroma to samples of 8 or 16 bits.
typedef struct codec_tile_conversion {
  /// 1 for gray, 3 for RGB, 4 for RGBA.
  int channels;
  /// 1 or 2.
  int bytes_per_sample;
  /// The planes contain green, blue and red.
  bool is_identity;
  /// Chroma is interpolated, instead of repeated.
  bool smooths_chroma;
  /// The result is luma times the scale plus the offset, plus the distances of chroma from its middle times the factors.
  float luma_scale, luma_offset, chroma_offset;
  float red_v, green_u, green_v, blue_u;
} codec_tile_conversion;

/// Returns the number of floats that the conversion of rows needs as memory.
size_t codec_tile_scratch_count(const codec_tile_planes *planes);
/// Converts `count` pixels of a row, from column `first` on. The row and all columns must be within the planes. With
/// four channels, alpha is not written.
void codec_tile_read_row(
    const codec_tile_planes *planes, uint32_t row, uint32_t first, uint32_t count,
    const codec_tile_conversion *conversion, float *scratch, uint8_t *out);
/// Writes luma as the alpha of pixels with four channels.
void codec_tile_read_alpha(
    const codec_tile_planes *planes, uint32_t row, uint32_t first, uint32_t count,
    const codec_tile_conversion *conversion, float *scratch, uint8_t *out);
/// Divides the colors of pixels with four channels by their alpha.
void codec_tile_unpremultiply(uint8_t *row, size_t count, int bytes_per_sample);

#if defined(__clang__)
#pragma clang assume_nonnull end
#endif

#endif
