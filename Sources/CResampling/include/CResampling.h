// The inner loops of resampling, compiled once for each instruction set that makes them faster.
//
// Light is linear, in floats, and 1 is white. A row of light has 1, 3 or 4 interleaved channels. The fourth channel is
// alpha, by which the others are multiplied. Every row of light has RSP_SLACK extra floats after its end. They are
// read and written, but any finite value is allowed there.
#ifndef C_RESAMPLING_H
#define C_RESAMPLING_H

#include <stddef.h>
#include <stdint.h>

#define RSP_SLACK 32
// The maximum number of rows that are accumulated in one call.
#define RSP_MAX_ROWS 8

typedef enum { RSP_PORTABLE = 0, RSP_AVX2 = 1, RSP_AVX512 = 2 } rsp_path;

// The conversion from the samples of a row to light.
typedef struct {
  int channels;           // 1, 3 or 4
  int bytes_per_sample;   // 1 or 2
  // A curve for each color, with an entry for each value of a sample; all NULL for the sRGB curve.
  const float *curves[3];
} rsp_source;

// The conversion from light to the samples of a thumbnail.
typedef struct {
  const uint8_t *codes;     // 4,097 entries: the sample for light of index / 4,096, rounded down
  const float *thresholds;  // 257 entries: the minimum light of a sample; the last is infinite
  const float *matrix;      // nine entries, row by row, from linear RGB to linear sRGB; NULL for none
} rsp_encoding;

// Returns the fastest path that this machine has.
rsp_path rsp_best_path(void);

// Converts `pixels` pixels to light.
void rsp_linearize(rsp_path path, const rsp_source *source, const void *row, float *out, size_t pixels);

// Adds the light of `row_count` rows (at most RSP_MAX_ROWS) to each of `sum_count` sums.
// The weight of row r in sum s is weights[s * RSP_MAX_ROWS + r].
void rsp_accumulate(
    rsp_path path, const rsp_source *source, const void *const *rows, size_t row_count, float *const *sums,
    size_t sum_count, const float *weights, size_t pixels);

// Sets `out` to the weighted sum of rows of light with `count` floats.
void rsp_combine(
    rsp_path path, const float *const *rows, size_t row_count, const float *weights, float *out,
    size_t count);

// Spreads three channels over four. The value of the fourth is undefined.
void rsp_spread(const float *in, float *out, size_t pixels);

// Computes `count` pixels with four channels. The n-th pixel is made from `taps` pixels (a multiple of four) that
// begin at starts[n]. There are `taps` weights for each new pixel, in the order of the pixels.
void rsp_contract4(
    rsp_path path, const float *in, const int32_t *starts, const float *weights, size_t taps, float *out,
    size_t count);

// The same for one channel. `taps` is a multiple of eight.
void rsp_contract1(
    rsp_path path, const float *in, const int32_t *starts, const float *weights, size_t taps, float *out,
    size_t count);

// Writes `count` pixels of `in_channels` (1 or 4) as `out_channels` (3 or 4) 8-bit samples in sRGB. With four channels
// in and out, the fourth is alpha, which becomes straight.
void rsp_encode(
    rsp_path path, const rsp_encoding *encoding, const float *in, int in_channels, uint8_t *out,
    int out_channels, size_t count);

// The same for four channels in and three out.
void rsp_encode_opaque(
    rsp_path path, const rsp_encoding *encoding, const float *in, uint8_t *out, size_t count);

#endif
