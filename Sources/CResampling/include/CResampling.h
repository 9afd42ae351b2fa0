// The inner loops of resampling, compiled once for every instruction set that is worth it.
//
// Light is linear and in floats, 1 is white. A row of light has 1, 3 or 4 interleaved channels, the fourth
// being alpha, by which the others are multiplied. Every row of light has RSP_SLACK floats behind its end,
// which are read and written, but whose values do not matter as long as they are finite.
#ifndef C_RESAMPLING_H
#define C_RESAMPLING_H

#include <stddef.h>
#include <stdint.h>

#define RSP_SLACK 32
// The rows that are accumulated in one go at most.
#define RSP_MAX_ROWS 8

typedef enum { RSP_PORTABLE = 0, RSP_AVX2 = 1, RSP_AVX512 = 2 } rsp_path;

// How the samples of a row become light.
typedef struct {
  int channels;           // 1, 3 or 4
  int bytes_per_sample;   // 1 or 2
  // A curve for each colour with an entry for each value of a sample; all NULL for the sRGB curve.
  const float *curves[3];
} rsp_source;

// How light becomes the samples of a thumbnail.
typedef struct {
  const uint8_t *codes;     // 4,097 entries: the sample for light of index / 4,096, rounded down
  const float *thresholds;  // 257 entries: the least light of a sample, the last is infinite
  const float *matrix;      // nine entries, row by row, from linear RGB to linear sRGB; NULL for none
} rsp_encoding;

// The fastest path that this machine has.
rsp_path rsp_best_path(void);

// Makes light of `pixels` pixels.
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

// Spreads three channels over four, the fourth of which means nothing.
void rsp_spread(const float *in, float *out, size_t pixels);

// Makes `count` pixels of four channels, the n-th from `taps` pixels (a multiple of four) that begin at
// starts[n]. Weights stand in the order of the pixels, `taps` for each new one.
void rsp_contract4(
    rsp_path path, const float *in, const int32_t *starts, const float *weights, size_t taps, float *out,
    size_t count);

// The same for one channel; `taps` is a multiple of eight.
void rsp_contract1(
    rsp_path path, const float *in, const int32_t *starts, const float *weights, size_t taps, float *out,
    size_t count);

// Writes `count` pixels of `in_channels` (1 or 4) as `out_channels` (3 or 4) samples of 8 bits in sRGB.
// Four out of four have alpha, which is made straight.
void rsp_encode(
    rsp_path path, const rsp_encoding *encoding, const float *in, int in_channels, uint8_t *out,
    int out_channels, size_t count);

// The same for four channels of which three are written.
void rsp_encode_opaque(
    rsp_path path, const rsp_encoding *encoding, const float *in, uint8_t *out, size_t count);

#endif
